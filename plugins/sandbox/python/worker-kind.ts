import { join } from 'node:path'
import { denoFlags } from '../deno.js'
import { isRecord } from '../values.js'
import type { WorkerKind } from '../worker.js'
import type { Paths } from './paths.js'

const HEAP_MIB = 128
// Most objects that are made at the start are soon garbage. With a larger space for them a worker holds 8 MB more for good.
const YOUNG_MIB = 2
// Python's memory, in pages of 64 KiB: a list that grows without end gets a MemoryError here.
const WASM_PAGES = 512 * 16
// V8 reserves some of it for wasm before anything runs. With 1024 it does not start, with 1536 its compiler fails too early.
const DATA_MIB = 2048
// Recursion through C, as by a key of `sorted`, would otherwise end the process before Python raises its RecursionError.
const STACK = process.platform === 'win32' ? [] : ['--stack-size=2000']

/**
 * Pyodide in Deno, started from the snapshot. It may read the snapshot and Pyodide while it starts, and nothing once it takes
 * its job: the files of a job are part of the job. With V8's quick compiler (Liftoff) alone a job takes half the time, and a
 * tight loop 1.7 times as long; without threads for V8 the start takes five sixths of the time.
 */
export function pythonWorker ({ runner, pyodide }: Paths, snapshot: string): WorkerKind {
  const readable = [pyodide, snapshot]
  const memory = [`--max-old-space-size=${HEAP_MIB}`, `--max-semi-space-size=${YOUNG_MIB}`, `--wasm-max-mem-pages=${WASM_PAGES}`]
  const flags = [...denoFlags(readable, [...memory, '--liftoff-only', '--single-threaded', ...STACK]), '--no-npm', '--deny-env']
  return {
    readable: [...readable, runner],
    dataMiB: DATA_MIB,
    isTestStart: body => isRecord(body) && isRecord(body.event) && body.event.type === 'begin',
    command: () => [...flags, join(runner, 'worker.mjs'), pyodide, snapshot]
  }
}
