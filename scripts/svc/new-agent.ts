import { mkdir, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { InferredOptionTypes, Options } from 'yargs'
import { ROOT } from '../../app.js'
import { UsageError } from './flags.js'
import { type Names, templates } from './new-agent-templates.js'

export const NEW_AGENT_FLAGS = {
  js: { type: 'boolean', default: false, describe: 'Write JavaScript instead of TypeScript' },
  'agents-dir': { type: 'string', describe: 'Folder to write it into', defaultDescription: 'agents/ of the service' }
} satisfies Record<string, Options>

/** Writes a small agent that works, with its test. */
export async function newAgent ({ name, js, 'agents-dir': dir }: InferredOptionTypes<typeof NEW_AGENT_FLAGS> & { name: string }): Promise<number> {
  if (!/^[a-z][a-z0-9-]*$/.test(name)) throw new UsageError(`"${name}" cannot be an agent's name: use small letters, digits and hyphens, such as my-agent.`)
  const parent = dir === undefined ? join(ROOT, 'agents') : resolve(dir)
  const folder = join(parent, name)
  await mkdir(parent, { recursive: true })
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(error.code === 'EEXIST' ? `${folder} is there already: choose another name, or remove it.` : `${folder} cannot be made: ${error.message}`)
  })
  const isInside = !relative(ROOT, folder).startsWith('..')
  const names: Names = {
    name,
    className: name.split('-').map(part => part.charAt(0).toUpperCase() + part.slice(1)).join('') + 'Agent',
    app: isInside ? 'svc' : pathToFileURL(join(ROOT, 'dist', 'app.js')).href,
    types: isInside ? 'svc' : join(ROOT, 'agents', 'types.js')
  }
  for (const [file, text] of Object.entries(templates(names, js ? 'js' : 'ts'))) await writeFile(join(folder, file), text)

  const shown = relative(process.cwd(), folder) || folder
  const start = dir === undefined ? 'npm start' : `npm start -- --agents-dir ${relative(process.cwd(), parent) || parent}`
  console.log([
    `The agent ${name} is in ${shown}.`,
    `  try its test   node --test ${join(shown, `${name}.test.mjs`)}`,
    `  serve it       ${start}`,
    `  change it      ${join(shown, js ? 'agent.mjs' : 'agent.ts')}`
  ].join('\n'))
  return 0
}
