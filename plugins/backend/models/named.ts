import { createHash } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import type { Model } from '../embedded/embedded-backend.js'
import { causeOf } from '../errors.js'
import { DEMO_NAME, makeDemo } from '../reciter/demo.js'
import { type FetchOptions, FetchedModel } from './fetched-model.js'
import { parseHubName } from './hub.js'
import { MODELS } from './table.js'

/** The model that `--model` names. Throws an error whose message is for the person who typed the name. */
export function namedModel (name: string, options: FetchOptions): Model {
  if (name === 'demo') return demo(options)
  const listed = MODELS.find(model => model.name === name.toLowerCase())
  if (listed) return new FetchedModel(listed, options)
  if (name.startsWith('hf:')) {
    const wanted = parseHubName(name)
    if (wanted) return new FetchedModel(wanted, options)
    throw new Error(`--model ${name} is no name on the hub: write hf:user/repo:Q4_K_M, or hf:user/repo/file.gguf.`)
  }
  return file(resolve(name), name)
}

function file (path: string, given: string): Model {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) {
    const names = MODELS.map(({ name }) => name).join(', ')
    throw new Error(`--model ${given} is neither a file nor a known name. `
      + `Give a GGUF file, hf:user/repo:Q4_K_M, demo, or one of: ${names}.`)
  }
  if (stats.isDirectory()) throw new Error(`--model ${given} is a folder; name the GGUF file in it.`)
  if (!isGguf(path)) throw new Error(`--model ${given} is no GGUF file.`)
  return { kind: 'embedded', name: basename(path), obtain: async () => path }
}

function isGguf (path: string): boolean {
  const start = Buffer.alloc(4)
  const file = openSync(path, 'r')
  try {
    readSync(file, start)
  } finally {
    closeSync(file)
  }
  return start.toString() === 'GGUF'
}

function demo ({ folder, log }: FetchOptions): Model {
  return {
    kind: 'demo',
    name: DEMO_NAME,
    async obtain () {
      const bytes = makeDemo()
      try {
        return kept(join(folder, '.demo'), bytes)
      } catch (error) {
        log.info({ reason: causeOf(error) }, 'the folder for models cannot be written to: the demo model is kept in a temporary folder')
        return kept(temporaryFolder(), bytes)
      }
    }
  }
}

// The file is named by its content, because another version of the service may be using a demo model of its own.
function kept (folder: string, bytes: Buffer): string {
  const path = join(folder, `${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.gguf`)
  if (existsSync(path) && statSync(path).size === bytes.length) return path
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${path}.${process.pid}`, bytes)
  renameSync(`${path}.${process.pid}`, path)
  return path
}

let temporary: string | undefined

/** One folder for the life of the process: after an idle time, the engine loads the model again. */
function temporaryFolder (): string {
  if (temporary === undefined) {
    const folder = temporary = mkdtempSync(join(tmpdir(), 'svc-demo-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  }
  return temporary
}
