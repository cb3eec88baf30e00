import assert from 'node:assert'
import strictAssert from 'node:assert/strict'
import process from 'node:process'
import { defineProperty, freeze, host } from './platform.js'
import { requireIn } from './require.js'

export class ExitCalled extends Error {
  override name = 'ExitCalled'
}

/** Makes of Deno's globals what programs for Node expect, without those that would keep anything beyond the job. */
export function prepare (folder: string): void {
  for (const name of ['localStorage', 'sessionStorage', 'caches']) Reflect.deleteProperty(globalThis, name)
  for (const place of [host, process]) for (const name of ['exit', 'reallyExit', 'abort', 'kill']) if (name in place) override(place, name, exit(name))
  override(globalThis, 'close', exit('close'))
  freeze(assert)
  freeze(strictAssert)
  // Programs written as CommonJS ask whether they are the main module, and list what they export.
  const require = requireIn(folder)
  for (const [name, value] of Object.entries({ require, module: { exports: {} }, exports: {}, global: globalThis })) {
    if (!(name in globalThis)) defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false })
  }
  // One stream, so that what is printed stays in its order.
  for (const [name, to] of [['error', 'log'], ['warn', 'log'], ['trace', 'log'], ['assert', undefined]] as const) {
    if (to !== undefined) console[name] = console[to].bind(console)
  }
}

// A way to end early would leave the tests behind it unheard. To see it as a failure helps more than a dead process.
function exit (name: string) {
  return (code?: unknown): never => {
    throw new ExitCalled(name === 'exit' || name === 'reallyExit' ? `the process was told to exit with code ${String(code ?? 0)}` : `the process was told to end by ${name}()`)
  }
}

function override (place: object, name: string, value: unknown): void {
  defineProperty(place, name, { value, writable: true, configurable: true })
}
