// Runs one file of tests with @vitest/runner. Each result is sent at once, since the process may be killed at any time.
import { type File, type Suite, type Test, type VitestRunner, getFn, startTests } from '@vitest/runner'
import { send } from './channel.js'
import { later } from './platform.js'
import { beginAssertions, checkAssertions, expect } from './testing/expect.js'
import { prepareSteps } from './testing/deno-test.js'
import { fullNameOf } from './testing/names.js'
import { clearSnapshots, openSnapshots } from './testing/snapshots.js'
import { countAll, countFrom } from './testing/steps.js'
import { takeStray, thrownFields } from './thrown.js'

export interface TestJob { folder: string, test: string, testMs: number, usesNodeTest: boolean }

type Result = NonNullable<Test['result']> & { note?: string, pending?: boolean }

const MAX_TESTS = 5000
const MAX_NAME = 500

export function urlOf (folder: string, file: string): string {
  return `file://${folder.split('/').map(encodeURIComponent).join('/')}/${file.split('/').map(encodeURIComponent).join('/')}`
}

/** Loads the file and runs what it defines. */
export async function runTests ({ folder, test: file, testMs, usesNodeTest }: TestJob): Promise<void> {
  const ids = new Map<string, number>()
  let tests: Test[] = []
  let runnable = new Set<Test>()
  let isLoaded = true
  // What tests and files threw. The runner's results have only copies.
  const thrown = new Map<string, unknown>()
  prepareSteps(testMs, usesNodeTest)

  const report = (test: Test, errors = test.result?.errors) => {
    const id = ids.get(test.id)
    if (id === undefined) return
    const result: Result | undefined = test.result
    const ms = result?.duration ?? 0
    if (errors?.[0]) send('test', { id, outcome: 'failed', ms, ...fieldsOf(errors[0], thrown.get(test.id)) })
    else send('test', { id, outcome: result?.state === 'pass' ? 'passed' : 'skipped', ms, message: result?.note ?? '' })
  }

  const runner: VitestRunner = {
    config: {
      root: folder, name: undefined, setupFiles: [], passWithNoTests: true, testNamePattern: undefined, allowOnly: true,
      sequence: { seed: 0, hooks: 'stack', setupFiles: 'list' }, maxConcurrency: 5, testTimeout: testMs, hookTimeout: testMs,
      retry: 0, chaiConfig: undefined, includeTaskLocation: undefined, tags: [], tagsFilter: undefined, strictTags: false
    },
    async importFile () {
      send('loading', { file })
      try {
        await import(urlOf(folder, file)) // a computed import, so that the permissions apply to what the file imports
        const stray = takeStray()
        if (stray) throw stray.reason
      } catch (error) {
        thrown.set(file, error)
        throw error
      }
      send('loaded', { file })
    },
    async onCollected ([collected]) {
      if (!collected) return
      for (const error of collected.result?.errors ?? []) send('load error', { file, ...fieldsOf(error, thrown.get(file)) })
      isLoaded = collected.result?.state !== 'fail'
      tests = [...testsIn(collected)]
      if (tests.length > MAX_TESTS) throw new Error(`there are ${tests.length} tests, and ${MAX_TESTS} at most are run`)
      for (const [id, test] of tests.entries()) ids.set(test.id, id)
      runnable = new Set(tests.filter(test => !isSkip(test)))
      countFrom(tests.length, file)
      send('tests', { tests: tests.map(test => ({ name: fullNameOf(test).slice(0, MAX_NAME), file, skipped: !runnable.has(test) })) })
      await openSnapshots(collected.filepath)
    },
    extendTaskContext: context => Object.assign(context, { expect }),
    onBeforeRunTask (test) {
      if (runnable.has(test)) send('start', { id: ids.get(test.id) })
    },
    async runTask (test) {
      try {
        await getFn(test)()
      } catch (error) {
        thrown.set(test.id, error)
        throw error
      }
    },
    onBeforeTryTask (test) {
      clearSnapshots(test.file.filepath, test.id)
      beginAssertions(fullNameOf(test), test.file.filepath)
    },
    onAfterTryTask () {
      checkAssertions()
      const stray = takeStray()
      if (stray) throw stray.reason
    },
    onAfterRunTask (test) {
      report(test)
    }
  }

  const [ran] = await startTests([`${folder}/${file}`], runner)
  for (const test of tests) if (runnable.has(test) && test.result?.state === 'skip') report(test) // it skipped itself
  for (const suite of ran && isLoaded ? brokenIn(ran) : []) {
    reportBroken(suite, [...testsIn(suite)].filter(test => runnable.has(test)), report)
  }
  await new Promise<void>(resolve => { later(() => { resolve() }, 0) }) // only now errors in promises that nobody awaited are known
  const stray = takeStray()
  if (stray) send('broken', thrownFields(stray.reason))
  send('end', { count: countAll() })
}

function fieldsOf (copy: { message: string }, thrown: unknown): object {
  const fields = thrownFields(thrown)
  return fields.message === copy.message ? fields : thrownFields(copy)
}

// Where a hook of a group failed, its tests without a result fail, or else its last test.
function reportBroken (suite: Suite, tests: Test[], report: (test: Test, errors: Result['errors']) => void): void {
  const open = tests.filter(({ result }) => result?.state !== 'pass' && result?.state !== 'fail')
  const last = tests.at(-1)
  for (const test of open.length > 0 ? open : last && !last.result?.errors ? [last] : []) report(test, suite.result?.errors)
}

function isSkip ({ mode }: Test): boolean {
  return mode === 'skip' || mode === 'todo'
}

function * testsIn (suite: Suite | File): Generator<Test> {
  for (const task of suite.tasks) {
    if (task.type === 'test') yield task
    else yield * testsIn(task)
  }
}

function * brokenIn (suite: Suite): Generator<Suite> {
  if (suite.result?.errors?.length && suite.tasks.length > 0) yield suite
  for (const task of suite.tasks) if (task.type === 'suite') yield * brokenIn(task)
}
