// Fake timers: @sinonjs/fake-timers by the names of vitest and jest.
import { type Clock, withGlobal } from '@sinonjs/fake-timers'

interface Options {
  now?: number | Date
  toFake?: string[]
  toNotFake?: string[]
  shouldAdvanceTime?: boolean
  advanceTimeDelta?: number
  loopLimit?: number
  /** jest's words for some of these. */
  doNotFake?: string[]
  advanceTimers?: boolean | number
}

const { Date: RealDate } = globalThis
const fakes = withGlobal(globalThis)
// As in vitest, `queueMicrotask` and `process.nextTick` stay real.
const NAMES = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate', 'Date', 'performance']

let clock: Clock | undefined
/** For a time that is set without fake timers: only Date is replaced, and stands still. */
let still: Clock | undefined

function ticking (): Clock {
  if (!clock) throw new Error('timers are not faked: call useFakeTimers() first')
  return clock
}

export const timers = {
  useFakeTimers (given: Options | string = {}): void {
    const { toNotFake = [], doNotFake = [], advanceTimers, ...options } = typeof given === 'string' ? {} : given
    const now = options.now ?? still?.now ?? RealDate.now()
    timers.useRealTimers()
    const { toFake = NAMES, shouldAdvanceTime = advanceTimers !== undefined && advanceTimers !== false } = options
    clock = fakes.install({
      now, shouldAdvanceTime,
      toFake: toFake.filter(name => ![...toNotFake, ...doNotFake].includes(name)) as never[],
      advanceTimeDelta: options.advanceTimeDelta ?? (typeof advanceTimers === 'number' ? advanceTimers : 20),
      loopLimit: options.loopLimit ?? 10_000,
      ignoreMissingTimers: true
    })
  },
  useRealTimers (): void {
    clock?.uninstall()
    still?.uninstall()
    clock = still = undefined
  },
  isFakeTimers: () => clock !== undefined,
  setSystemTime (time: number | string | Date = RealDate.now()): void {
    const now = new RealDate(time)
    if (clock) return clock.setSystemTime(now)
    still?.uninstall()
    still = fakes.install({ now, toFake: ['Date'] })
  },
  getMockedSystemTime: () => clock || still ? new RealDate((clock ?? still)?.now ?? 0) : null,
  getRealSystemTime: () => RealDate.now(),
  getTimerCount: () => ticking().countTimers(),
  clearAllTimers: () => { ticking().reset() },
  advanceTimersByTime: (ms: number) => { ticking().tick(ms) },
  advanceTimersByTimeAsync: async (ms: number) => { await ticking().tickAsync(ms) },
  advanceTimersToNextTimer: () => { ticking().next() },
  advanceTimersToNextTimerAsync: async () => { await ticking().nextAsync() },
  runAllTimers: () => { ticking().runAll() },
  runAllTimersAsync: async () => { await ticking().runAllAsync() },
  runOnlyPendingTimers: () => { ticking().runToLast() },
  runOnlyPendingTimersAsync: async () => { await ticking().runToLastAsync() },
  runAllTicks: () => { ticking().runMicrotasks() }
}
