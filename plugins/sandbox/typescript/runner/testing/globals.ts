import { cover, host } from '../platform.js'
import { denoTest } from './deno-test.js'
import * as jest from './jest.js'
import { suite } from './vitest.js'

const OF_IMPORTS = new Set(['default', 'mock', 'setSystemTime', 'spyOn', 'onTestFinished'])

/** What jest, mocha and vitest's `globals` put there, and Deno.test, on which Deno's own `node:test` stands as well. */
export function installGlobals (): void {
  for (const [name, value] of Object.entries({ ...jest, suite })) if (!OF_IMPORTS.has(name)) cover(globalThis, name, value)
  cover(host, 'test', denoTest)
}
