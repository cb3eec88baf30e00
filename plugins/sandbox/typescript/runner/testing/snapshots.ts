// The matchers for snapshots, on @vitest/snapshot. A snapshot in a file is compared if the job has the file. A new one passes and is kept
// until the end of the tests, since no file is written here.
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type ChaiPlugin, equals, iterableEquality, subsetEquality } from '@vitest/expect'
import { SnapshotClient, addSerializer, stripSnapshotIndentation } from '@vitest/snapshot'
import { fullNameOf } from './names.js'

const client = new SnapshotClient({ isEqual: (received, expected) => equals(received, expected, [iterableEquality, subsetEquality]) })

const environment = {
  getVersion: () => '1',
  getHeader: () => '// Snapshot v1',
  resolvePath: async (path: string) => join(dirname(path), '__snapshots__', `${basename(path)}.snap`),
  resolveRawPath: async (path: string, raw: string) => join(dirname(path), raw),
  saveSnapshotFile: async () => {},
  removeSnapshotFile: async () => {},
  readSnapshotFile: async (path: string) => textOf(path)
}

function textOf (path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null // the job has none
  }
}

export async function openSnapshots (path: string): Promise<void> {
  await client.setup(path, { updateSnapshot: 'new', snapshotEnvironment: environment })
}

/** Called before each try of a test. */
export function clearSnapshots (path: string, id: string): void {
  client.clearTest(path, id)
}

let count = 0

// The client reads the stack to find the place of an inline snapshot, which it could update. Each place must be another one.
function elsewhere (): Error {
  const frames = ['__INLINE_SNAPSHOT__ (file:///a.js:1:1)', 'a (file:///a.js:1:1)', `b (file:///a.js:${++count}:1)`]
  return Object.assign(new Error('snapshot'), { stack: `Error: snapshot\n${frames.map(frame => `    at ${frame}`).join('\n')}` })
}

interface Task { id: string, file: { filepath: string } }
interface Details { message?: string, properties?: object, inlineSnapshot?: string, isInline?: boolean, error?: Error }

export const snapshotWords: ChaiPlugin = ({ Assertion, AssertionError, expect }, { addMethod, flag }) => {
  const match = (assertion: object, assertionName: string, received: unknown, details: Details) => {
    const test = flag(assertion, 'vitest-test') as Task | undefined
    const isNegated = flag(assertion, 'negate') === true
    if (!test || isNegated) throw new Error(`${assertionName} is for a test that runs, and cannot be used with "not"`)
    const where = { filepath: test.file.filepath, name: fullNameOf(test as never), testId: test.id }
    client.assert({ received, assertionName, errorMessage: flag(assertion, 'message') as string, ...where, ...details })
  }
  const inline = (text: unknown) => {
    return { isInline: true, error: elsewhere(), ...(typeof text === 'string' && { inlineSnapshot: stripSnapshotIndentation(text) }) }
  }
  // The first argument may be properties that the value must have.
  const parted = (first: unknown, second: unknown) => {
    return typeof first === 'object' && first !== null ? { properties: first, text: second } : { text: first ?? second }
  }
  const thrownBy = (assertion: object): unknown => {
    const subject: unknown = flag(assertion, 'object')
    if (typeof subject !== 'function' || flag(assertion, 'promise') !== undefined) return subject // the reason of a rejected promise
    try {
      (subject as () => unknown)()
    } catch (thrown) {
      return thrown
    }
    throw new AssertionError('expected the function to throw')
  }
  addMethod(Assertion.prototype, 'toMatchSnapshot', function (this: object, first?: unknown, second?: unknown) {
    const { properties, text } = parted(first, second)
    const message = typeof text === 'string' && { message: text }
    match(this, 'toMatchSnapshot', flag(this, 'object'), { ...(properties && { properties }), ...message })
  })
  addMethod(Assertion.prototype, 'toMatchInlineSnapshot', function (this: object, first?: unknown, second?: unknown) {
    const { properties, text } = parted(first, second)
    if (text === undefined && !properties) return
    match(this, 'toMatchInlineSnapshot', flag(this, 'object'), { ...inline(text ?? ''), ...(properties && { properties }) })
  })
  addMethod(Assertion.prototype, 'toThrowErrorMatchingSnapshot', function (this: object, message?: string) {
    match(this, 'toThrowErrorMatchingSnapshot', thrownBy(this), { ...(message !== undefined && { message }) })
  })
  addMethod(Assertion.prototype, 'toThrowErrorMatchingInlineSnapshot', function (this: object, text?: string) {
    const thrown = thrownBy(this)
    if (text !== undefined) match(this, 'toThrowErrorMatchingInlineSnapshot', thrown, inline(text))
  })
  Object.assign(expect, { addSnapshotSerializer: addSerializer })
}
