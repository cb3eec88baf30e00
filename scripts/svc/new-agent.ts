import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { InferredOptionTypes, Options } from 'yargs'
import { ROOT, buildApp } from '../../app.js'
import { UsageError, list } from './flags.js'
import { canBeWritten, usable } from './folders.js'
import { type Names, templates } from './new-agent-templates.js'

export const NEW_AGENT_FLAGS = {
  js: { type: 'boolean', default: false, describe: 'Write JavaScript instead of TypeScript' },
  tools: { type: 'boolean', default: false, describe: 'Write an agent that calls one of the caller\'s tools' },
  'agents-dir': {
    type: 'string', default: [], coerce: list, describe: 'Folder to write it into', defaultDescription: 'agents/ of the service'
  }
} satisfies Record<string, Options>

type NewAgentArgs = InferredOptionTypes<typeof NEW_AGENT_FLAGS> & { name: string }

/** Writes a small agent that works, with its test. */
export async function newAgent ({ name, js, tools, 'agents-dir': dirs }: NewAgentArgs): Promise<number> {
  if (!/^[a-z][a-z0-9-]*$/.test(name)) {
    throw new UsageError(`"${name}" cannot be an agent's name: use small letters, digits and hyphens, such as my-agent.`)
  }
  const [dir] = dirs
  const parent = dir === undefined ? join(ROOT, 'agents') : resolve(dir)
  const folder = join(parent, name)
  if (!existsSync(folder)) await refuseTaken(name, dirs.map(dir => resolve(dir)))
  await usable('--agents-dir', parent, canBeWritten)
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new UsageError(`${folder} is there already: choose another name, or remove it.`)
    throw new UsageError(`${folder} cannot be made: ${error.message}`)
  })
  const isInside = !relative(ROOT, folder).startsWith('..')
  const names: Names = {
    name,
    className: name.split('-').map(part => part.charAt(0).toUpperCase() + part.slice(1)).join('') + 'Agent',
    app: isInside ? 'svc' : pathToFileURL(join(ROOT, 'dist', 'app.js')).href,
    types: isInside ? 'svc' : join(ROOT, 'agents', 'types.js')
  }
  const files = templates(names, { language: js ? 'js' : 'ts', kind: tools ? 'tools' : 'echo' })
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text)

  const shown = quoted(fromHere(folder))
  const start = dir === undefined ? 'npm start' : `npm start -- --agents-dir ${quoted(fromHere(parent))}`
  console.log([
    `The agent ${name} is in ${shown}.`,
    `  try its test   node --test ${quoted(fromHere(join(folder, `${name}.test.mjs`)))}`,
    `  serve it       ${start}`,
    `  change it      ${quoted(fromHere(join(folder, js ? 'agent.mjs' : 'agent.ts')))}`
  ].join('\n'))
  return 0
}

/** Throws if an agent with this id exists: with two of them, the service would not start. */
async function refuseTaken (id: string, dirs: string[]): Promise<void> {
  const ids = await idsIn(dirs.filter(dir => existsSync(dir)))
  if (!ids.includes(id)) return
  throw new UsageError(`The id ${id} is taken by an agent that is served already: choose another name. Taken are: ${ids.join(', ')}.`)
}

async function idsIn (agentsDirs: string[]): Promise<string[]> {
  try {
    const app = await buildApp({ agentsDirs, backendSearch: [] })
    const ids = app.agents.list().map(({ id }) => id)
    await app.close()
    return ids
  } catch {
    return await readdir(join(ROOT, 'agents')) // an agent cannot be loaded; the next start of the service says which one
  }
}

function fromHere (path: string): string {
  const short = relative(process.cwd(), path)
  return short === '' || short.startsWith('..') ? path : short
}

/** A path, quoted for a shell if necessary. */
function quoted (path: string): string {
  if (process.platform === 'win32') return /[\s&()^;,=]/.test(path) ? `"${path}"` : path
  return /^[\w./:@%+,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
