// What tests for Deno import from @std/assert.
import assert from 'node:assert'
import { expect } from './expect.js'

type Class = new (...args: never[]) => unknown

export { AssertionError } from 'node:assert'
const say = (message: string | undefined) => message === undefined ? [] : [message] as const
const holds = (condition: unknown, message: string) => { if (!condition) throw new assert.AssertionError({ message }) }
const that = (value: unknown, message?: string) => expect(value, ...say(message))

export { assert_ as assert }
function assert_ (condition: unknown, message = 'the condition does not hold'): void { holds(condition, message) }
export const assertFalse = (condition: unknown, message = 'the condition holds') => holds(!condition, message)
export const assertEquals = (found: unknown, wanted: unknown, message?: string) => that(found, message).toEqual?.(wanted)
export const assertNotEquals = (found: unknown, wanted: unknown, message?: string) => that(found, message).not.toEqual?.(wanted)
export const assertStrictEquals = (found: unknown, wanted: unknown, message?: string) => that(found, message).toBe?.(wanted)
export const assertNotStrictEquals = (found: unknown, wanted: unknown, message?: string) => that(found, message).not.toBe?.(wanted)
export const assertExists = (found: unknown, message = 'there is no value') => holds(found !== undefined && found !== null, message)
export const assertAlmostEquals = (found: number, wanted: number, tolerance = Math.max(1e-7, Math.abs(wanted) * 1e-7), message = `${found} is not close to ${wanted}`) => holds(Object.is(found, wanted) || Math.abs(found - wanted) <= tolerance, message)
export const assertGreater = (found: number, bound: number, message = `${found} is not above ${bound}`) => holds(found > bound, message)
export const assertGreaterOrEqual = (found: number, bound: number, message = `${found} is below ${bound}`) => holds(found >= bound, message)
export const assertLess = (found: number, bound: number, message = `${found} is not below ${bound}`) => holds(found < bound, message)
export const assertLessOrEqual = (found: number, bound: number, message = `${found} is above ${bound}`) => holds(found <= bound, message)
export const assertInstanceOf = (found: unknown, wanted: Class, message = `it is no ${wanted.name}`) => holds(found instanceof wanted, message)
export const assertNotInstanceOf = (found: unknown, unwanted: Class, message = `it is a ${unwanted.name}`) => holds(!(found instanceof unwanted), message)
export const assertIsError = (found: unknown, wanted?: Class, part?: string) => checkError(found, wanted, part)
export const assertStringIncludes = (found: string, part: string, message?: string) => that(found, message).toContain?.(part)
export const assertMatch = (found: string, pattern: RegExp, message?: string) => that(found, message).toMatch?.(pattern)
export const assertNotMatch = (found: string, pattern: RegExp, message?: string) => that(found, message).not.toMatch?.(pattern)
export const assertObjectMatch = (found: object, part: object, message?: string) => that(found, message).toMatchObject?.(part)
export const assertArrayIncludes = (found: ArrayLike<unknown>, items: ArrayLike<unknown>, message?: string) => { for (const item of Array.from(items)) that(Array.from(found), message).toContainEqual?.(item) }
export const fail = (message = 'the test failed'): never => { throw new assert.AssertionError({ message }) }
export const unreachable = (message = 'this must not be reached'): never => fail(message)
export const unimplemented = (message = 'this is not written yet'): never => fail(message)
export const equal = (a: unknown, b: unknown) => { try { that(a).toEqual?.(b); return true } catch { return false } }

export function assertThrows (body: () => unknown, ...wanted: unknown[]): unknown {
  try {
    body()
  } catch (error) {
    return checkThrown(error, wanted)
  }
  return fail('the function did not throw')
}

export async function assertRejects (body: () => unknown, ...wanted: unknown[]): Promise<unknown> {
  try {
    await body()
  } catch (error) {
    return checkThrown(error, wanted)
  }
  return fail('the function did not reject')
}

function checkThrown (error: unknown, wanted: unknown[]): unknown {
  const [wantedClass, part] = typeof wanted[0] === 'function' ? wanted : []
  checkError(error, wantedClass as Class | undefined, part as string | undefined)
  return error
}

function checkError (error: unknown, wanted: Class | undefined, part: string | undefined): void {
  if (wanted) assertInstanceOf(error, wanted, `it threw ${String(error)}, not a ${wanted.name}`)
  if (part !== undefined) assertStringIncludes(error instanceof Error ? error.message : String(error), part)
}
