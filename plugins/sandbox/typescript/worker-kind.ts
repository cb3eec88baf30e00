import { join } from 'node:path'
import { denoFlags } from '../deno.js'
import type { Host } from '../toolchain.js'
import { isRecord } from '../values.js'
import type { WorkerKind } from '../worker.js'

// V8's heap. Memory outside of it (buffers, wasm) is limited by `ulimit -d` and by watchUsage.
const HEAP_MIB = 256
const DATA_MIB = 1536
const WASM_PAGES = 4096

/**
 * Deno with our runner as the root module. The job's files are written to the worker's folder. It may read that, the runner and
 * the packages. `config`: a file of ours with settings of the compiler, which Deno reads when it starts.
 */
export function typescriptWorker ({ packages, folder: temporary }: Host, runner: string, config?: string): WorkerKind {
  const modules = packages === undefined ? [] : [packages, join(temporary, 'node_modules')]
  const readable = [runner, ...(config === undefined ? [] : [config]), ...modules]
  const memory = [`--max-old-space-size=${HEAP_MIB}`, `--wasm-max-mem-pages=${WASM_PAGES}`]
  return {
    readable,
    dataMiB: DATA_MIB,
    isTestStart: body => isRecord(body) && body.type === 'start',
    command: folder => [
      ...denoFlags([folder, ...readable], memory, config),
      '--ignore-env', // reading a variable gives undefined, as programs expect, instead of an error
      '--unstable-sloppy-imports', // './x' and './x.js' for x.ts
      '--unstable-detect-cjs', // module.exports in a .js file
      ...(packages === undefined ? ['--no-npm'] : ['--node-modules-dir=manual']),
      `--import-map=${join(runner, 'import-map.json')}`,
      join(runner, 'main.js')
    ]
  }
}
