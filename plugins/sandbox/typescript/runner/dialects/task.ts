// What the assertions of one try of a test tell it later: that one failed softly, and those that are still to settle. Whoever
// comes by a task, as code under test may by chai's flags, can only have its test fail.
import { freeze, later } from '../platform.js'

/** As @vitest/expect knows a test: see `ASKED` in runner/bundle.mjs. */
export interface Task {
  readonly type: 'test'
  readonly fullTestName: string
  fail (thrown: unknown): void
  /** Gives what stands for the promise: whether somebody waits for it is then known. */
  wait<T> (asserted: Promise<T>, isSoft?: boolean): Awaitable<T>
}

export type Awaitable<T> = Pick<Promise<T | void>, 'then' | 'catch' | 'finally'>

interface Asserted { isAwaited: boolean, failure: { thrown: unknown } | undefined, settled: Promise<void> | undefined }

export interface TaskOfTest {
  readonly task: Task
  /** Waits for what has begun; throws what failed unseen. */
  settle (): Promise<void>
}

export function newTask (fullTestName: string): TaskOfTest {
  const begun = new Set<Asserted>()
  let failure: { thrown: unknown } | undefined
  const fail = (thrown: unknown) => { failure ??= { thrown } }

  const wait = <T>(asserted: Promise<T>, isSoft = false): Awaitable<T> => {
    const one: Asserted = { isAwaited: false, failure: undefined, settled: undefined }
    one.settled = asserted.then(() => { begun.delete(one) }, (thrown: unknown) => {
      one.settled = undefined
      one.failure = { thrown }
      if (isSoft) fail(thrown)
    })
    begun.add(one)
    const given: Promise<T | void> = isSoft ? one.settled : asserted
    const awaited = () => {
      one.isAwaited = true
      return given
    }
    const hands: Awaitable<T> & { [Symbol.toStringTag]: string } = {
      then: (...hands) => awaited().then(...hands),
      catch: hand => awaited().catch(hand),
      finally: hand => awaited().finally(hand),
      [Symbol.toStringTag]: 'Promise'
    }
    return freeze(hands)
  }

  const settle = async () => {
    while (begun.size > 0) {
      for (const one of begun) {
        begun.delete(one)
        if (one.settled) {
          await one.settled
          one.isAwaited = false // too late for whoever does
        }
        if (one.failure && !one.isAwaited) fail(one.failure.thrown)
      }
      await new Promise<void>(resolve => { later(() => resolve(), 0) }) // for those who go on from there
    }
    const failed = failure
    failure = undefined
    if (failed) throw failed.thrown
  }

  return { task: freeze({ type: 'test', fullTestName, fail, wait }), settle }
}
