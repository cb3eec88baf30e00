import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'

/** A folder outside the project, gone with the test. */
export function tempFolder (t: Test): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'svc-test-')))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Writes files, by path below `dir`, and gives `dir`. */
export function write (dir: string, files: Record<string, string>): string {
  for (const [file, text] of Object.entries(files)) {
    const path = join(dir, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  return dir
}

/** The plugin of an agent's folder. */
export function plugin (id: string, entry: object): string {
  return `export default async function (fastify) { fastify.agents.register(${JSON.stringify(id)}, ${JSON.stringify(entry)}) }\n`
}

/** An agent that says one thing. */
export function saying (text: string, name = 'Sayer'): string {
  return `export class ${name} {
  modelInfo () { return { max_input_tokens: 100, max_output_tokens: 50 } }
  async * reply () { yield ${JSON.stringify(text)} }
}
`
}

/** The files of a whole agent: its folder's name is its id. */
export function agentFiles (id: string, text = id): Record<string, string> {
  return {
    [`${id}/index.mjs`]: plugin(id, { class_name: `${id}.agent.Sayer`, init_params: {}, description: `Says ${text}` }),
    [`${id}/agent.mjs`]: saying(text)
  }
}
