import { replace, host } from '../platform.js'
import { denoTest } from './deno-test.js'
import * as jest from './jest.js'
import { suite } from './vitest.js'

// Only for those who import them.
const NOT_GLOBAL = new Set(['default', 'mock', 'setSystemTime', 'spyOn', 'onTestFinished'])

/** Defines the globals of jest, mocha and vitest, and Deno.test. */
export function installGlobals (): void {
  for (const [name, value] of Object.entries({ ...jest, suite })) if (!NOT_GLOBAL.has(name)) replace(globalThis, name, value)
  replace(host, 'test', denoTest)
}
