// Time that tests move by hand: setTimeout, setInterval, setImmediate, queueing by them, and the Date.
import { dateAt, fakeDate, realNow, timeOf } from './fake-date.js'
import { isFaked, type TimerOptions, stepOf } from './timer-options.js'

interface Entry { id: number, at: number, run: () => unknown, every: number | undefined }

interface Clock {
  now: number
  start: number
  entries: Entry[]
  cleared: Set<number>
  nextId: number
  /** What the test has in the place of which of the globals. */
  fakes: Set<string>
  /** Moves it as real time passes, where that was asked for. */
  ticking: unknown
}

const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate, Date } = globalThis
const real = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate, Date }
const performanceNow = performance.now.bind(performance)
const MAX_RUNS = 10_000
const FIRST_ID = 1e12 // no real timer has it, should one be cleared by it

let clock: Clock | undefined
/** Where setSystemTime was called without fake timers: a Date that stands still, and timers that run. */
let fixed: number | undefined

export const timers = {
  useFakeTimers (options?: TimerOptions | string): void {
    const given = typeof options === 'object' ? options : {}
    const start = given.now === undefined ? fixed ?? realNow() : timeOf(given.now)
    timers.useRealTimers()
    const own: Clock = { now: start, start, entries: [], cleared: new Set(), nextId: FIRST_ID, fakes: new Set(), ticking: undefined }
    clock = own
    const add = (every: boolean) => (run: (...args: unknown[]) => unknown, ms: unknown = 0, ...args: unknown[]) => schedule(() => run(...args), Math.max(0, Number(ms) || 0), every)
    const remove = (handle: unknown) => {
      const id = Number(handle)
      clock?.cleared.add(id)
      if (clock) clock.entries = clock.entries.filter(entry => entry.id !== id)
    }
    const fakes = {
      setTimeout: add(false),
      setInterval: add(true),
      setImmediate: (run: (...args: unknown[]) => unknown, ...args: unknown[]) => schedule(() => run(...args), 0, false),
      clearTimeout: remove,
      clearInterval: remove,
      clearImmediate: remove,
      Date: fakeDate(() => clock?.now ?? realNow())
    }
    for (const [name, fake] of Object.entries(fakes)) if (isFaked(name, given)) install(name, fake)
    if (isFaked('performance', given)) {
      own.fakes.add('performance')
      performance.now = () => clock ? clock.now - clock.start : performanceNow()
    }
    const step = stepOf(given)
    if (step !== undefined) own.ticking = setInterval(() => { if (clock === own) timers.advanceTimersByTime(step) }, step)
  },
  useRealTimers (): void {
    const names = clock?.fakes ?? (fixed === undefined ? [] : ['Date'])
    if (clock?.ticking !== undefined) clearInterval(clock.ticking as number)
    clock = undefined
    fixed = undefined
    for (const name of names) {
      if (name === 'performance') performance.now = performanceNow
      else install(name, real[name as keyof typeof real])
    }
  },
  isFakeTimers: () => clock !== undefined,
  setSystemTime (time: number | string | Date = realNow()): void {
    const to = timeOf(time)
    if (!clock) {
      fixed = to
      install('Date', fakeDate(() => fixed ?? realNow()))
      return
    }
    // What was to come after a while still comes after that while.
    const shift = to - clock.now
    clock.start += shift
    for (const entry of clock.entries) entry.at += shift
    clock.now = to
  },
  getMockedSystemTime: () => {
    const time = clock?.now ?? fixed
    return time === undefined ? null : dateAt(time)
  },
  getRealSystemTime: realNow,
  getTimerCount: () => clock?.entries.length ?? 0,
  clearAllTimers (): void {
    for (const { id } of clock?.entries ?? []) clock?.cleared.add(id)
    if (clock) clock.entries = []
  },
  advanceTimersByTime (ms: number): void { for (const entry of due(ms)) entry.run() },
  async advanceTimersByTimeAsync (ms: number): Promise<void> {
    await settle()
    for (const entry of due(ms)) {
      entry.run()
      await settle()
    }
  },
  advanceTimersToNextTimer (): void { timers.advanceTimersByTime(untilNext()) },
  async advanceTimersToNextTimerAsync (): Promise<void> {
    await settle()
    await timers.advanceTimersByTimeAsync(untilNext())
  },
  runAllTimers (): void { for (let runs = 0; clock && clock.entries.length > 0; runs++) timers.advanceTimersByTime(untilNext(runs)) },
  async runAllTimersAsync (): Promise<void> {
    await settle()
    for (let runs = 0; clock && clock.entries.length > 0; runs++) await timers.advanceTimersByTimeAsync(untilNext(runs))
  },
  runOnlyPendingTimers (): void { timers.advanceTimersByTime(untilLast()) },
  async runOnlyPendingTimersAsync (): Promise<void> {
    await settle()
    await timers.advanceTimersByTimeAsync(untilLast())
  },
  runAllTicks (): void {}
}

/** As node:test sets the time: what is to come keeps its hour. */
export function setTimeOnly (time: number): void {
  if (clock) clock.now = time
}

function install (name: string, value: unknown): void {
  clock?.fakes.add(name)
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false })
}

// A number for browsers' code, with the methods that Node's timers have.
function schedule (callback: () => unknown, ms: number, repeats: boolean): unknown {
  if (!clock) return 0
  const own = clock
  const id = own.nextId++
  const entry: Entry = { id, at: own.now + ms, run: callback, every: repeats ? Math.max(1, ms) : undefined }
  own.entries.push(entry)
  let holds = true
  const hold = (does: boolean) => {
    holds = does
    return handle
  }
  // One that ran begins anew, but not one that was cleared.
  const refresh = () => {
    entry.at = own.now + (entry.every ?? ms)
    if (!own.cleared.has(id) && !own.entries.includes(entry)) own.entries.push(entry)
    return handle
  }
  const handle: object = { ref: () => hold(true), unref: () => hold(false), hasRef: () => holds, refresh, [Symbol.toPrimitive]: () => id }
  return handle
}

/** What falls due while that much time passes, one after the other; each may add more, or set the time. */
function * due (ms: number): Generator<Entry> {
  const own = clock
  if (!own) return
  const end = own.now - own.start + ms
  for (let runs = 0; clock === own; runs++) {
    if (runs > MAX_RUNS) throw new Error(`more than ${MAX_RUNS} timers ran: is there an endless chain of them?`)
    const next = own.entries.filter(entry => entry.at - own.start <= end).sort((a, b) => a.at - b.at || a.id - b.id)[0]
    if (!next) break
    own.now = Math.max(own.now, next.at)
    if (next.every === undefined) own.entries = own.entries.filter(entry => entry !== next)
    else next.at += next.every
    yield next
  }
  own.now = Math.max(own.now, own.start + end)
}

function untilNext (runs = 0): number {
  if (runs > MAX_RUNS) throw new Error(`more than ${MAX_RUNS} timers ran: is there an endless chain of them?`)
  return clock && clock.entries.length > 0 ? Math.max(0, Math.min(...clock.entries.map(entry => entry.at)) - clock.now) : 0
}

function untilLast (): number {
  const { now, entries } = clock ?? { now: 0, entries: [] }
  return Math.max(0, ...entries.map(entry => entry.at - now))
}

// What a timer set going goes on before the next one, however many promises it waits for: streams need a turn of the real
// event loop.
async function settle (): Promise<void> {
  await new Promise<void>(resolve => { real.setImmediate(() => { resolve() }) })
}
