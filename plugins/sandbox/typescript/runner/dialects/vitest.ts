// What `vitest`, `@jest/globals` and `bun:test` export here.
import chai from './chai.js'
import { fn, spyOn } from '@vitest/spy'
import { expect } from './expect.js'
import { vi } from './mocks.js'
import { onTestFailed, onTestFinished } from './running.js'
import { should } from './should.js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from './suite.js'

const nothing = (): unknown => new Proxy(nothing, { get: () => nothing, apply: () => nothing() })

export const it = test
export const xit = test.skip
export const xtest = test.skip
export const fit = test.only
export const xdescribe = describe.skip
export const fdescribe = describe.only
export const suite = describe
export const context = describe
export const specify = test
export const before = beforeAll
export const after = afterAll
export const vitest = vi
export const jest = vi
export const mock = Object.assign((body?: Parameters<typeof fn>[0]) => fn(body), { module: vi.mock, restore: () => vi.restoreAllMocks(), clearAllMocks: () => vi.clearAllMocks() })
export const setSystemTime = (time?: number | Date) => time === undefined ? vi.useRealTimers() : vi.setSystemTime(time)
export const assertType = () => {}
export const expectTypeOf = nothing
export const { assert } = chai
export { afterAll, afterEach, beforeAll, beforeEach, chai, describe, expect, onTestFailed, onTestFinished, should, spyOn, test, vi }
export default { test, it, describe, expect, vi, jest: vi, beforeAll, afterAll, beforeEach, afterEach }
