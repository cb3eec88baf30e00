import { isAsymmetric } from '@vitest/expect'
import { format, plugins } from '@vitest/pretty-format'
import type * as Chai from 'chai'

const { AsymmetricMatcher, DOMElement, Immutable, ReactElement, ReactTestComponent } = plugins
const none = new Set<unknown>()

// Only the matchers of the test stand for what they match: a value that says it is one is printed as any other.
function shown (value: unknown, matchers: ReadonlySet<unknown> = none): string {
  const wanted = { ...AsymmetricMatcher, test: (found: unknown) => matchers.has(found) }
  // What all arrays are to print as is not for the code under test to say.
  const callToJSON = ![Array, String, Number, Boolean].some(({ prototype }) => Object.hasOwn(prototype, 'toJSON'))
  return format(value, { callToJSON, plugins: [ReactTestComponent, ReactElement, DOMElement, Immutable, wanted], escapeString: false, printBasicPrototype: false })
}

/** Inline snapshots are compared. One that is not written yet, or would lie in a file, has nothing to be compared with. */
export function installSnapshots (chai: typeof Chai): void {
  chai.use((_chai, util) => {
    const subject = (assertion: object): unknown => util.flag(assertion, 'object')
    util.addMethod(chai.Assertion.prototype, 'toMatchInlineSnapshot', function (this: object, ...args: unknown[]) {
      const wanted = args.find(arg => typeof arg === 'string')
      const found = matched(subject(this), args[0])
      if (wanted !== undefined) compare(found, wanted)
    })
    util.addMethod(chai.Assertion.prototype, 'toThrowErrorMatchingInlineSnapshot', function (this: object, wanted: unknown) {
      const thrown = thrownBy(subject(this))
      if (typeof wanted === 'string') compare(thrown instanceof Error ? `[${thrown.name}: ${thrown.message}]` : shown(thrown), wanted, thrown instanceof Error ? thrown.message : undefined)
    })
    util.addMethod(chai.Assertion.prototype, 'toMatchSnapshot', function (this: object, properties: unknown) {
      matched(subject(this), properties)
    })
    util.addMethod(chai.Assertion.prototype, 'toThrowErrorMatchingSnapshot', function (this: object) {
      thrownBy(subject(this))
    })
  })

  /** The value as it prints, with what it was to match in place of what did. */
  function matched (value: unknown, properties: unknown): string {
    if (typeof properties !== 'object' || properties === null) return shown(value)
    if (typeof value !== 'object' || value === null) throw new chai.AssertionError('a snapshot with properties is of an object')
    ;(new chai.Assertion(value) as unknown as { toMatchObject (properties: object): void }).toMatchObject(properties)
    const matchers = new Set<unknown>()
    return shown(merged(value, properties, matchers), matchers)
  }

  function thrownBy (body: unknown): unknown {
    if (typeof body !== 'function') return body // of `rejects`: what it was rejected with
    try {
      (body as () => unknown)()
    } catch (thrown) {
      return thrown
    }
    throw new chai.AssertionError('expected the function to throw')
  }

  function compare (found: string, wanted: string, orElse?: string): void {
    const [is, should] = [found, unindented(wanted)]
    if (is === should || `"${orElse}"` === should || orElse === should) return
    throw new chai.AssertionError(`the inline snapshot is\n${should}\nand the value\n${is}`, { actual: is, expected: should })
  }
}

function merged (value: unknown, properties: unknown, matchers: Set<unknown>): unknown {
  if (typeof properties !== 'object' || properties === null) return properties
  if (isAsymmetric(properties)) {
    matchers.add(properties)
    return properties
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: unknown, at) => at in properties ? merged(item, Reflect.get(properties, at), matchers) : item)
  const made = Object.create(Object.getPrototypeOf(value) as object | null) as object
  for (const key of new Set([...Object.keys(value), ...Object.keys(properties)])) {
    const own: unknown = Reflect.get(value, key)
    Object.defineProperty(made, key, { value: Object.hasOwn(properties, key) ? merged(own, Reflect.get(properties, key), matchers) : own, enumerable: true })
  }
  return made
}

// As it is written in a source file: indented with it, on lines of its own.
function unindented (snapshot: string): string {
  const lines = snapshot.split('\n')
  if (lines.length < 3 || lines[0]?.trim() !== '' || lines.at(-1)?.trim() !== '') return snapshot.trim()
  const indent = /^\s*/.exec(lines[1] ?? '')?.[0] ?? ''
  return lines.slice(1, -1).map(line => line.startsWith(indent) ? line.slice(indent.length) : line).join('\n')
}
