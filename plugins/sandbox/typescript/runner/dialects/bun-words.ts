// What bun's `expect` has beside jest's matchers.
import { expect } from './expect.js'

type Holds = (this: { equals (found: unknown, wanted: unknown): boolean }, received: unknown, ...args: unknown[]) => boolean
interface Given { utils: { printReceived (value: unknown): string, printExpected (value: unknown): string }, isNot: boolean, equals (found: unknown, wanted: unknown): boolean }

const isNumber = (value: unknown): value is number => typeof value === 'number'
const isText = (value: unknown): value is string => typeof value === 'string'
const isObject = (value: unknown): value is object => (typeof value === 'object' && value !== null) || typeof value === 'function'
const rest = (value: unknown, by: number): unknown => isNumber(value) ? Math.abs(value % by) : typeof value === 'bigint' ? Number(value % BigInt(by)) ** 2 : undefined
const plain = (value: unknown): unknown => isText(value) ? value.replace(/\s+/g, '') : value
const listed = (value: unknown): unknown[] => Array.isArray(value) ? value : []
const has = (value: unknown, key: unknown) => isObject(value) && Object.hasOwn(value, key as PropertyKey)
const keysOf = (value: unknown): PropertyKey[] => isObject(value) ? Object.keys(value) : []
const valuesOf = (value: unknown): unknown[] => isObject(value) ? Object.values(value) : []

const WORDS: Record<string, Holds> = {
  toBeTrue: value => value === true,
  toBeFalse: value => value === false,
  toBeNil: value => value === undefined || value === null,
  toBeBoolean: value => typeof value === 'boolean',
  toBeNumber: isNumber,
  toBeString: isText,
  toBeSymbol: value => typeof value === 'symbol',
  toBeFunction: value => typeof value === 'function',
  toBeObject: isObject,
  toBeArray: value => Array.isArray(value),
  toBeArrayOfSize: (value, size) => Array.isArray(value) && value.length === size,
  toBeDate: value => value instanceof Date,
  toBeValidDate: value => value instanceof Date && !Number.isNaN(value.getTime()),
  toBeInteger: value => Number.isInteger(value),
  toBeFinite: value => Number.isFinite(value),
  toBePositive: value => Number.isFinite(value) && Number(value) > 0,
  toBeNegative: value => Number.isFinite(value) && Number(value) < 0,
  toBeEven: value => rest(value, 2) === 0,
  toBeOdd: value => rest(value, 2) === 1,
  toBeWithin: (value, from, to) => isNumber(value) && value >= Number(from) && value < Number(to),
  toBeEmpty: value => sizeOf(value) === 0,
  toBeEmptyObject: value => isObject(value) && Object.keys(value).length === 0,
  toInclude: (value, part) => isText(value) && isText(part) && value.includes(part),
  toIncludeRepeated: (value, part, times) => isText(value) && isText(part) && part !== '' && value.split(part).length - 1 === times,
  toStartWith: (value, part) => isText(value) && isText(part) && value.startsWith(part),
  toEndWith: (value, part) => isText(value) && isText(part) && value.endsWith(part),
  toEqualIgnoringWhitespace: (value, other) => isText(value) && isText(other) && plain(value) === plain(other),
  toContainKey: has,
  toContainKeys: (value, keys) => listed(keys).every(key => has(value, key)),
  toContainAllKeys: (value, keys) => keysOf(value).length === listed(keys).length && listed(keys).every(key => has(value, key)),
  toContainAnyKeys: (value, keys) => listed(keys).some(key => has(value, key)),
  toContainValue (value, wanted) { return valuesOf(value).some(found => this.equals(found, wanted)) },
  toContainValues (value, wanted) { return listed(wanted).every(one => valuesOf(value).some(found => this.equals(found, one))) },
  toContainAllValues (value, wanted) { return valuesOf(value).length === listed(wanted).length && listed(wanted).every(one => valuesOf(value).some(found => this.equals(found, one))) },
  toContainAnyValues (value, wanted) { return listed(wanted).some(one => valuesOf(value).some(found => this.equals(found, one))) }
}

function sizeOf (value: unknown): number | undefined {
  if (isText(value) || Array.isArray(value) || ArrayBuffer.isView(value)) return Reflect.get(Object(value) as object, 'length') as number
  if (value instanceof Map || value instanceof Set) return value.size
  if (!isObject(value)) return undefined
  return Symbol.iterator in value ? [...value as Iterable<unknown>].length : Object.keys(value).length
}

const matchers = Object.fromEntries(Object.entries(WORDS).map(([name, holds]) => [name, function (this: Given, received: unknown, ...args: unknown[]) {
  const words = name.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
  const { printReceived, printExpected } = this.utils
  const message = () => ['expected', printReceived(received), ...this.isNot ? ['not'] : [], words, ...args.map(printExpected)].join(' ')
  return { pass: holds.call(this, received, ...args), message }
}]))

/** Once somebody imports `bun:test`: others may have words of their own by these names. */
export function extendForBun (): void {
  expect.extend(matchers)
}
