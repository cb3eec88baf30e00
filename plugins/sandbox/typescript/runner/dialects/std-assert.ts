// What programs use of @std/assert, by its rules.
import { format } from '@vitest/pretty-format'
import { is, uncurry } from '../platform.js'
import { equal, isObject } from './std-equal.js'
import { partOf } from './std-match.js'

type Class = abstract new (...args: never[]) => unknown

const includes = uncurry(String.prototype.includes)
const test = uncurry(RegExp.prototype.test)
const { abs } = Math
const shown = (value: unknown) => format(value, { printBasicPrototype: false, escapeString: false, maxDepth: 8 })
const suffix = (message: string | undefined) => message === undefined || message === '' ? '' : `: ${message}`

export class AssertionError extends Error {
  override name = 'AssertionError'
}

// What is said is put together only where it is needed: to print a value can take long, or fail.
function holds (condition: unknown, say: () => string): void {
  if (!condition) throw new AssertionError(say())
}

export { assert_ as assert }
function assert_ (condition: unknown, message = 'the condition does not hold'): void { holds(condition, () => message) }
export const assertFalse = (condition: unknown, message = 'the condition holds') => holds(!condition, () => message)
export const assertEquals = (found: unknown, wanted: unknown, message?: string) => holds(equal(found, wanted), () => `the values are not equal${suffix(message)}\nfound  ${shown(found)}\nwanted ${shown(wanted)}`)
export const assertNotEquals = (found: unknown, unwanted: unknown, message?: string) => holds(!equal(found, unwanted), () => `both values are ${shown(found)}${suffix(message)}`)
export const assertStrictEquals = (found: unknown, wanted: unknown, message?: string) => holds(is(found, wanted), () => `the values are not the same${suffix(message)}\nfound  ${shown(found)}\nwanted ${shown(wanted)}`)
export const assertNotStrictEquals = (found: unknown, unwanted: unknown, message?: string) => holds(!is(found, unwanted), () => `both values are the same ${shown(found)}${suffix(message)}`)
export const assertExists = (found: unknown, message?: string) => holds(found !== undefined && found !== null, () => `there is no value${suffix(message)}`)
export const assertGreater = (found: number, bound: number, message?: string) => holds(found > bound, () => `${shown(found)} is not above ${shown(bound)}${suffix(message)}`)
export const assertGreaterOrEqual = (found: number, bound: number, message?: string) => holds(found >= bound, () => `${shown(found)} is below ${shown(bound)}${suffix(message)}`)
export const assertLess = (found: number, bound: number, message?: string) => holds(found < bound, () => `${shown(found)} is not below ${shown(bound)}${suffix(message)}`)
export const assertLessOrEqual = (found: number, bound: number, message?: string) => holds(found <= bound, () => `${shown(found)} is above ${shown(bound)}${suffix(message)}`)
export const assertInstanceOf = (found: unknown, wanted: Class, message?: string) => holds(found instanceof wanted, () => `${shown(found)} is no ${wanted.name}${suffix(message)}`)
export const assertNotInstanceOf = (found: unknown, unwanted: Class, message?: string) => holds(!(found instanceof unwanted), () => `${shown(found)} is a ${unwanted.name}${suffix(message)}`)
export const assertStringIncludes = (found: string, part: string, message?: string) => holds(includes(found, part), () => `${shown(found)} does not include ${shown(part)}${suffix(message)}`)
export const assertMatch = (found: string, pattern: RegExp, message?: string) => holds(test(pattern, found), () => `${shown(found)} does not match ${shown(pattern)}${suffix(message)}`)
export const assertNotMatch = (found: string, pattern: RegExp, message?: string) => holds(!test(pattern, found), () => `${shown(found)} matches ${shown(pattern)}${suffix(message)}`)
export const assertObjectMatch = (found: object, part: object, message?: string) => assertEquals(partOf(found, part), partOf(part, part), message)
export const assertNever = (value: never, message?: string): never => fail(message ?? `there is the value ${shown(value)}`)
export const fail = (message?: string): never => { throw new AssertionError(`the test failed${suffix(message)}`) }
export const unreachable = (message?: string): never => { throw new AssertionError(`this must not be reached${suffix(message)}`) }
export const unimplemented = (message?: string): never => { throw new AssertionError(`this is not written yet${suffix(message)}`) }
export { equal }

export function assertAlmostEquals (found: number, wanted: number, tolerance = isFinite(wanted) ? abs(wanted * 1e-7) : 1e-7, message?: string): void {
  holds(is(found, wanted) || abs(wanted - found) <= tolerance, () => `${found} is not close to ${wanted}${suffix(message)}`)
}

export function assertArrayIncludes (found: ArrayLike<unknown>, items: ArrayLike<unknown>, message?: string): void {
  const all = Array.from(found)
  for (const item of Array.from(items)) holds(isObject(item) ? all.some(other => equal(item, other)) : all.includes(item), () => `${shown(found)} does not include ${shown(item)}${suffix(message)}`)
}

export function assertIsError (found: unknown, wanted?: Class, part?: string | RegExp, message?: string): void {
  holds(found instanceof Error, () => `${shown(found)} is no error${suffix(message)}`)
  if (wanted) assertInstanceOf(found, wanted, message)
  if (part === undefined || part === '') return
  const { message: told } = found as Error
  holds(typeof part === 'string' ? includes(told, part) : test(part, told), () => `the error's message is ${shown(told)}, which does not include ${shown(part)}${suffix(message)}`)
}

export function assertThrows (body: () => unknown, ...wanted: unknown[]): unknown {
  try {
    body()
  } catch (error) {
    return thrownAs(error, wanted)
  }
  throw new AssertionError('the function did not throw')
}

/** Of a function that gives a promise: one that throws at once, or gives something else, does not reject. */
export async function assertRejects (body: () => unknown, ...wanted: unknown[]): Promise<unknown> {
  const given = promiseOf(body)
  try {
    await given
  } catch (error) {
    return thrownAs(error, wanted)
  }
  throw new AssertionError('the function did not reject')
}

function promiseOf (body: () => unknown): unknown {
  let given: unknown
  try {
    given = body()
  } catch (error) {
    throw new AssertionError('the function threw, where it was to reject', { cause: error })
  }
  holds(isObject(given) && typeof given.then === 'function', () => 'the function gave no promise, where it was to reject')
  return given
}

// `(Class, part, message)` or `(message)`. A class that is no error's says nothing there.
function thrownAs (error: unknown, [wanted, part, message]: unknown[]): unknown {
  if (wanted === Error || (typeof wanted === 'function' && wanted.prototype instanceof Error)) assertIsError(error, wanted as unknown as Class, part as string | RegExp | undefined, message as string | undefined)
  return error
}
