import { join } from 'node:path'
import type { CellKind } from '../cell.js'
import { denoFlags } from '../deno.js'
import { isRecord } from '../values.js'
import type { Site } from '../toolchain.js'

// V8's heap; what lies outside of it (buffers, wasm) is seen to by `ulimit -d` and the watch on RSS.
const HEAP_MIB = 256
const DATA_MIB = 1536
const WASM_PAGES = 4096

/**
 * A Deno process with the runner as its trusted root. The job's files are written to its folder, the only one it may read.
 * `config`: how files are compiled, a file of ours, which Deno reads when it starts.
 */
export function typescriptCell ({ packages, folder: site }: Site, runner: string, config?: string): CellKind {
  const readable = [runner, ...(config === undefined ? [] : [config]), ...(packages === undefined ? [] : [packages, join(site, 'node_modules')])]
  return {
    readable,
    dataMiB: DATA_MIB,
    begins: body => isRecord(body) && body.type === 'start',
    command: folder => [
      ...denoFlags([folder, ...readable], [`--max-old-space-size=${HEAP_MIB}`, `--wasm-max-mem-pages=${WASM_PAGES}`], config),
      '--ignore-env', // a variable that is not there is undefined, as programs expect
      '--unstable-sloppy-imports', // './x' and './x.js' for x.ts
      '--unstable-detect-cjs', // module.exports in a .js file
      ...(packages === undefined ? ['--no-npm'] : ['--node-modules-dir=manual']),
      `--import-map=${join(runner, 'import-map.json')}`,
      join(runner, 'main.js')
    ]
  }
}
