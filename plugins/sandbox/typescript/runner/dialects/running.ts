// The one test that runs, and what is to be done once it is through. Tests run one after the other, so there is one of it.
import type { Procedure } from '../registry.js'
import { type TaskOfTest, newTask } from './task.js'

export interface Running extends TaskOfTest {
  readonly name: string
  readonly fullName: string
  /** What was set up for it is taken down after its afterEach hooks, the last first: fixtures, what a beforeEach gave. */
  readonly undo: Procedure[]
  readonly onFinished: Procedure[]
  readonly onFailed: Procedure[]
  isSkipped: boolean
}

let current: Running | undefined

export const running = (): Running | undefined => current

/** Before the beforeEach hooks, for each try of a test. */
export function beginTest (name: string, fullName: string): void {
  current = { name, fullName, undo: [], onFinished: [], onFailed: [], isSkipped: false, ...newTask(fullName) }
}

/** The assertions that began and were not waited for are part of their test. */
export async function settleAssertions (): Promise<void> {
  await current?.settle()
}

/** After the afterEach hooks. All of it is done, whatever fails; the first failure is told. */
export async function endTest (hasFailed: boolean): Promise<void> {
  const ended = current
  if (!ended) return
  let failure: { thrown: unknown } | undefined
  const call = async (steps: Procedure[]) => {
    for (let step = steps.pop(); step; step = steps.pop()) {
      try {
        await step()
      } catch (thrown) {
        failure ??= { thrown }
      }
    }
  }
  await call(ended.undo)
  await call(ended.onFinished)
  if (!hasFailed) await call([ended.settle])
  if ((hasFailed || failure) && !ended.isSkipped) await call(ended.onFailed.reverse())
  current = undefined
  if (failure) throw failure.thrown
}

/** vitest's, which belong to the test that calls them. */
export const onTestFinished = (hook: Procedure): void => { ofTest('onTestFinished').onFinished.push(hook) }
export const onTestFailed = (hook: Procedure): void => { ofTest('onTestFailed').onFailed.push(hook) }

function ofTest (word: string): Running {
  if (!current) throw new Error(`${word}() is for a test that runs: call it within one`)
  return current
}
