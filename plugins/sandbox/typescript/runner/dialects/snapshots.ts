import { format, plugins } from '@vitest/pretty-format'
import type * as Chai from 'chai'

const { AsymmetricMatcher, DOMElement, Immutable, ReactElement, ReactTestComponent } = plugins
const shown = (value: unknown) => format(value, { plugins: [ReactTestComponent, ReactElement, DOMElement, Immutable, AsymmetricMatcher], escapeString: false, printBasicPrototype: false })

/** Inline snapshots are compared. One that is not written yet, or would lie in a file, has nothing to be compared with. */
export function installSnapshots (chai: typeof Chai): void {
  chai.use((_chai, util) => {
    const subject = (assertion: object): unknown => util.flag(assertion, 'object')
    util.addMethod(chai.Assertion.prototype, 'toMatchInlineSnapshot', function (this: object, ...args: unknown[]) {
      const wanted = args.find(arg => typeof arg === 'string')
      if (wanted !== undefined) compare(shown(subject(this)), wanted)
    })
    util.addMethod(chai.Assertion.prototype, 'toThrowErrorMatchingInlineSnapshot', function (this: object, wanted: unknown) {
      const thrown = thrownBy(subject(this))
      if (typeof wanted === 'string') compare(thrown instanceof Error ? `[${thrown.name}: ${thrown.message}]` : shown(thrown), wanted, thrown instanceof Error ? thrown.message : undefined)
    })
    util.addMethod(chai.Assertion.prototype, 'toMatchSnapshot', function (this: object) {
      shown(subject(this))
    })
    util.addMethod(chai.Assertion.prototype, 'toThrowErrorMatchingSnapshot', function (this: object) {
      thrownBy(subject(this))
    })
  })

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

// As it is written in a source file: indented with it, on lines of its own.
function unindented (snapshot: string): string {
  const lines = snapshot.split('\n')
  if (lines.length < 3 || lines[0]?.trim() !== '' || lines.at(-1)?.trim() !== '') return snapshot.trim()
  const indent = /^\s*/.exec(lines[1] ?? '')?.[0] ?? ''
  return lines.slice(1, -1).map(line => line.startsWith(indent) ? line.slice(indent.length) : line).join('\n')
}
