// What `vitest` exports here.
import { chai } from '@vitest/expect'
import { expect } from './expect.js'
import { vi } from './vi.js'

const nothing = (): unknown => new Proxy(nothing, { get: () => nothing, apply: () => nothing() })

export {
  afterAll, afterEach, aroundAll, aroundEach, beforeAll, beforeEach, describe, it, onTestFailed, onTestFinished, suite, test
} from '@vitest/runner'
export const vitest = vi
export const { assert } = chai
export const should = () => chai.should()
export const assertType = () => {}
export const expectTypeOf = nothing
export { chai, expect, vi }
