import { assertionsHold, beginAssertions, checkAssertions } from './dialects/expect.js'
import { beginTest, endTest, settleAssertions } from './dialects/running.js'
import { bool, List, num, record, str } from './json.js'
import { send } from './channel.js'
import { Failure, Pending, cancel, later, now, whenSettled } from './platform.js'
import { type Procedure, type Suite, type Test, fullName, isSkip, lineage, setRunning, takeCollection } from './registry.js'
import { millis, thrownFields } from './thrown.js'
import { takeStray } from './stray.js'

export interface TestJob { folder: string, tests: string[], testMs: number, allowOnly: boolean }

const MAX_TESTS = 5000

const { tests, beginFile, whole, end: endCollection } = takeCollection()

/** How far a group is. */
interface Progress {
  /** How many of its tests are still to end: those that are run, since the last of them ends it. */
  left: number
  hasBegun: boolean
  /** What its beforeAll threw: none of its tests can pass then. */
  broken: { thrown: unknown } | undefined
}

const progress = new Map<Suite, Progress>()

function progressOf (suite: Suite): Progress {
  const known = progress.get(suite)
  if (known) return known
  const fresh: Progress = { left: 0, hasBegun: false, broken: undefined }
  progress.set(suite, fresh)
  return fresh
}

// Functions here resolve to nothing or to a plain boolean: an object would be asked for a `then`, which code under test can
// put on Object.prototype.

/** Loads the files and runs what they define. */
export async function runTests ({ folder, tests: files, testMs, allowOnly }: TestJob): Promise<void> {
  for (const file of files) await load(folder, file)
  endCollection()
  const hasOnly = allowOnly && [...tests].some(test => isOnly(test))
  for (const test of tests) if (!isSkipped(test, hasOnly)) for (const suite of lineage(test.suite)) progressOf(suite).left++
  announce(hasOnly)
  let id = 0
  for (const test of tests) {
    if (id >= MAX_TESTS) break
    setRunning(test)
    await runOne(test, id++, testMs, hasOnly)
    setRunning(undefined)
  }
  await new Pending<void>(resolve => { later(() => resolve(), 0) }) // a promise that nobody waits for is told of only now
  const stray = takeStray()
  if (stray) send('broken', thrownFields(stray.reason))
  if (tests.size > MAX_TESTS) send('broken', thrownFields(new Failure(`there are ${tests.size} tests, and ${MAX_TESTS} at most are run`)))
  send('end', { tampered: bool(!assertionsHold()), count: num(id) })
}

async function load (folder: string, file: string): Promise<void> {
  send('loading', { file: str(file) })
  beginFile(file)
  try {
    await import(urlOf(folder, file)) // computed: what the file imports is then held to the permissions
    await whole()
    const stray = takeStray()
    if (stray) throw stray.reason
    send('loaded', { file: str(file) })
  } catch (error) {
    send('load error', { file: str(file), ...thrownFields(error) })
  }
}

export function urlOf (folder: string, file: string): string {
  return `file://${folder.split('/').map(encodeURIComponent).join('/')}/${file.split('/').map(encodeURIComponent).join('/')}`
}

// What is to come, so that the service can name those that were never reached.
function announce (hasOnly: boolean): void {
  const list = new List()
  let count = 0
  for (const test of tests) {
    if (count++ >= MAX_TESTS || list.length > 500_000) break
    list.add(record({ name: str(fullName(test).slice(0, 500)), file: str(test.file), skipped: bool(isSkipped(test, hasOnly)) }))
  }
  send('tests', { tests: list.json, count: num(tests.size) })
}

function isOnly (test: Test): boolean {
  return test.only || [...lineage(test.suite)].some(suite => suite.only)
}

function isSkipped (test: Test, hasOnly: boolean): boolean {
  return test.skip || !test.body || (hasOnly && !isOnly(test)) || [...lineage(test.suite)].some(suite => suite.skip)
}

async function runOne (test: Test, id: number, testMs: number, hasOnly: boolean): Promise<void> {
  if (isSkipped(test, hasOnly)) return send('test', { id: num(id), outcome: str('skipped'), ms: num(0) })
  send('start', { id: num(id) })
  const since = now()
  let failure: { thrown: unknown } | undefined
  let repeats = test.repeats
  for (let tries = 1 + test.retry; tries > 0; tries--) {
    failure = undefined
    try {
      await attempt(test, testMs)
    } catch (thrown) {
      failure = { thrown }
    }
    if (failure ? isSkip(failure.thrown) : repeats-- <= 0) break
    if (!failure) tries++
  }
  await finish(test, testMs).catch((thrown: unknown) => {
    if (failure && isSkip(failure.thrown) && !isSkip(thrown)) send('broken', thrownFields(thrown)) // a test that was skipped stays so
    failure ??= { thrown }
  })
  const ms = millis(now() - since)
  if (!failure) return send('test', { id: num(id), outcome: str('passed'), ms })
  const outcome = isSkip(failure.thrown) ? 'skipped' : 'failed'
  send('test', { id: num(id), outcome: str(outcome), ms, ...thrownFields(failure.thrown) })
}

async function attempt (test: Test, testMs: number): Promise<void> {
  const suites = lineage(test.suite)
  for (const suite of suites) await begin(suite, test, testMs)
  beginAssertions(fullName(test))
  beginTest(test.name, fullName(test))
  let failure: { thrown: unknown } | undefined
  try {
    for (const suite of suites) for (const hook of suite.hooks.beforeEach) await within(hook, testMs, 'a beforeEach hook')
    await within(async () => {
      await test.body?.()
      await settleAssertions()
    }, test.timeout ?? testMs, 'the test')
    checkAssertions()
    const stray = takeStray()
    if (stray) throw stray.reason
  } catch (thrown) {
    failure = { thrown }
  }
  for (const suite of inverse(suites)) {
    for (const hook of inverse(suite.hooks.afterEach)) await within(hook, testMs, 'an afterEach hook').catch((thrown: unknown) => { failure ??= { thrown } })
  }
  await within(() => endTest(failure !== undefined), testMs, 'what ends the test').catch((thrown: unknown) => { failure ??= { thrown } })
  if (test.isExpectedToFail && !(failure && isSkip(failure.thrown))) {
    if (!failure) throw new Failure('the test was expected to fail, and passed')
    return
  }
  if (failure) throw failure.thrown
}

async function begin (suite: Suite, test: Test, testMs: number): Promise<void> {
  const state = progressOf(suite)
  if (!state.hasBegun) {
    state.hasBegun = true
    setRunning(suite)
    try {
      for (const hook of suite.hooks.beforeAll) await within(hook, testMs, 'a beforeAll hook')
    } catch (thrown) {
      state.broken = { thrown }
    }
    setRunning(test)
  }
  if (state.broken) throw state.broken.thrown
}

// The last test of a group ends it. All of it is done, whatever fails; the first failure is told.
async function finish (test: Test, testMs: number): Promise<void> {
  let failure: { thrown: unknown } | undefined
  for (const suite of inverse(lineage(test.suite))) {
    const state = progressOf(suite)
    if (--state.left > 0 || !state.hasBegun) continue
    for (const hook of inverse(suite.hooks.afterAll)) await within(hook, testMs, 'an afterAll hook').catch((thrown: unknown) => { if (!failure || isSkip(failure.thrown)) failure = { thrown } })
  }
  if (failure) throw failure.thrown
}

function inverse<T> (items: Set<T>): Set<T> {
  return new Set([...items].reverse())
}

/** Calls it, and gives it that many milliseconds to settle. */
async function within (body: Procedure, ms: number, what: string): Promise<void> {
  let timer: number | undefined
  let hasSettled = false
  try {
    await new Pending<void>((resolve, reject) => {
      timer = later(() => reject(new Failure(`${what} did not end within ${ms} ms`)), ms) as unknown as number
      whenSettled(body(), () => { hasSettled = true; resolve() }, reject)
    })
  } finally {
    cancel(timer)
  }
  // Whoever comes by the promise itself could have it go on.
  if (!hasSettled) throw new Failure(`${what} did not end`)
}
