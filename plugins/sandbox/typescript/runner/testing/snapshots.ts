// The words of snapshots, on @vitest/snapshot. A snapshot of a file is compared where the job brings the file; one that is
// nowhere yet holds, and is kept until the test's end: nothing is written here.
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

/** A test that is tried again begins with what it had. */
export function clearSnapshots (path: string, id: string): void {
  client.clearTest(path, id)
}

let places = 0

// The client asks the stack where in its file an inline snapshot stands, since it might write it there. No two stand at one place.
function elsewhere (): Error {
  return Object.assign(new Error('snapshot'), { stack: `Error: snapshot\n    at __INLINE_SNAPSHOT__ (file:///a.js:1:1)\n    at a (file:///a.js:1:1)\n    at b (file:///a.js:${++places}:1)` })
}

interface Task { id: string, file: { filepath: string } }

export const snapshotWords: ChaiPlugin = ({ Assertion, AssertionError, expect }, { addMethod, flag }) => {
  const match = (assertion: object, assertionName: string, received: unknown, more: { message?: string, properties?: object, inlineSnapshot?: string, isInline?: boolean, error?: Error }) => {
    const test = flag(assertion, 'vitest-test') as Task | undefined
    if (!test || flag(assertion, 'negate') === true) throw new Error(`${assertionName} is for a test that runs, and cannot be used with "not"`)
    const where = { filepath: test.file.filepath, name: fullNameOf(test as never), testId: test.id }
    client.assert({ received, assertionName, errorMessage: flag(assertion, 'message') as string, ...where, ...more })
  }
  const inline = (text: unknown) => ({ isInline: true, error: elsewhere(), ...(typeof text === 'string' ? { inlineSnapshot: stripSnapshotIndentation(text) } : {}) })
  // With properties that the value must have, or without.
  const parted = (first: unknown, second: unknown) => typeof first === 'object' && first !== null ? { properties: first, text: second } : { text: first ?? second }
  const thrownBy = (assertion: object): unknown => {
    const subject: unknown = flag(assertion, 'object')
    if (typeof subject !== 'function' || flag(assertion, 'promise') !== undefined) return subject // what a promise was rejected with
    try {
      (subject as () => unknown)()
    } catch (thrown) {
      return thrown
    }
    throw new AssertionError('expected the function to throw')
  }
  addMethod(Assertion.prototype, 'toMatchSnapshot', function (this: object, first?: unknown, second?: unknown) {
    const { properties, text } = parted(first, second)
    match(this, 'toMatchSnapshot', flag(this, 'object'), { ...(properties && { properties }), ...(typeof text === 'string' && { message: text }) })
  })
  addMethod(Assertion.prototype, 'toMatchInlineSnapshot', function (this: object, first?: unknown, second?: unknown) {
    const { properties, text } = parted(first, second)
    if (text !== undefined || properties) match(this, 'toMatchInlineSnapshot', flag(this, 'object'), { ...inline(text ?? ''), ...(properties && { properties }) })
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
