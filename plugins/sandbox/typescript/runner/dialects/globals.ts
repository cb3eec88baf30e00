import { defineProperty, host } from '../platform.js'
import { denoTest } from './deno-test.js'
import { lockAssertions } from './expect.js'
import * as vitest from './vitest.js'

const NAMES = ['test', 'it', 'xit', 'xtest', 'fit', 'xdescribe', 'fdescribe', 'describe', 'suite', 'context', 'specify', 'expect', 'vi', 'jest', 'beforeAll', 'afterAll', 'beforeEach', 'afterEach', 'before', 'after'] as const

/** What jest, mocha and vitest's `globals` put there, and Deno.test; none of it can be replaced. */
export function installGlobals (): void {
  for (const name of NAMES) defineProperty(globalThis, name, { value: vitest[name], writable: false, configurable: false, enumerable: false })
  defineProperty(host, 'test', { value: denoTest, writable: false, configurable: false, enumerable: true })
  lockAssertions()
}
