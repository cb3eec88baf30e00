import { join } from 'node:path'
import type { CellKind } from '../cell.js'
import { denoFlags } from '../deno.js'
import { isRecord } from '../values.js'
import type { Places } from './places.js'

const HEAP_MIB = 128
// What is made while it wakes is soon gone: with more room for it a cell holds 8 MB more for good.
const YOUNG_MIB = 2
// Python's memory. The list that grows without end gets a MemoryError at it.
const WASM_PAGES = 512 * 16
// V8 reserves some for wasm before anything runs: 1024 do not start, and with 1536 its compiler dies where Python should get a MemoryError.
const DATA_MIB = 2048

// Recursion that goes through C, as a key of `sorted` does, ends the process with less before Python raises its RecursionError.
const STACK = process.platform === 'win32' ? [] : ['--stack-size=2000']

/**
 * Pyodide in Deno, woken from the snapshot. It may read that and Pyodide until it has, and nothing once it takes its job: the
 * files of a job travel within it. Compiled by Liftoff alone, a job takes half the time and a tight loop 1.7 times as long;
 * without threads for V8 it wakes in five sixths of the time.
 */
export function pythonCell ({ runner, pyodide }: Places, snapshot: string): CellKind {
  const readable = [pyodide, snapshot]
  return {
    readable: [...readable, runner],
    dataMiB: DATA_MIB,
    begins: body => isRecord(body) && isRecord(body.event) && body.event.type === 'begin',
    command: () => [
      ...denoFlags(readable, [`--max-old-space-size=${HEAP_MIB}`, `--max-semi-space-size=${YOUNG_MIB}`, `--wasm-max-mem-pages=${WASM_PAGES}`, '--liftoff-only', '--single-threaded', ...STACK]),
      '--no-npm', '--deny-env', join(runner, 'worker.mjs'), pyodide, snapshot
    ]
  }
}
