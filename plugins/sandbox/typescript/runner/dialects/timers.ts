// Time that tests move by hand: setTimeout, setInterval, setImmediate, queueing by them, and the Date.

interface Entry { id: number, at: number, run: () => unknown, every: number | undefined }

const real = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate: (globalThis as Record<string, unknown>).setImmediate, clearImmediate: (globalThis as Record<string, unknown>).clearImmediate, Date, performanceNow: performance.now.bind(performance) }
const MAX_RUNS = 10_000

let clock: { now: number, start: number, entries: Entry[], cleared: Set<number>, nextId: number } | undefined

export const timers = {
  useFakeTimers (options: { now?: number | Date } = {}): void {
    const start = options.now === undefined ? real.Date.now() : Number(options.now)
    clock = { now: start, start, entries: [], cleared: new Set(), nextId: 1 }
    const add = (every: boolean) => (run: (...args: unknown[]) => unknown, ms: unknown = 0, ...args: unknown[]) => schedule(() => run(...args), Math.max(0, Number(ms) || 0), every)
    const remove = (handle: unknown) => {
      const id = Number(handle)
      clock?.cleared.add(id)
      if (clock) clock.entries = clock.entries.filter(entry => entry.id !== id)
    }
    install({
      setTimeout: add(false),
      setInterval: add(true),
      setImmediate: (run: (...args: unknown[]) => unknown, ...args: unknown[]) => schedule(() => run(...args), 0, false),
      clearTimeout: remove,
      clearInterval: remove,
      clearImmediate: remove,
      Date: fakeDate()
    })
    performance.now = () => clock ? clock.now - clock.start : real.performanceNow()
  },
  useRealTimers (): void {
    clock = undefined
    const { performanceNow, ...rest } = real
    install(rest)
    performance.now = performanceNow
  },
  isFakeTimers: () => clock !== undefined,
  setSystemTime (time: number | string | Date): void {
    if (!clock) timers.useFakeTimers()
    if (clock) clock.now = new real.Date(time).getTime()
  },
  getMockedSystemTime: () => clock ? new real.Date(clock.now) : null,
  getRealSystemTime: () => real.Date.now(),
  getTimerCount: () => clock?.entries.length ?? 0,
  clearAllTimers (): void {
    for (const { id } of clock?.entries ?? []) clock?.cleared.add(id)
    if (clock) clock.entries = []
  },
  advanceTimersByTime (ms: number): void { for (const entry of due(ms)) run(entry) },
  async advanceTimersByTimeAsync (ms: number): Promise<void> {
    await settle()
    for (const entry of due(ms)) {
      run(entry)
      await settle()
    }
  },
  advanceTimersToNextTimer (): void { timers.advanceTimersByTime(untilNext()) },
  async advanceTimersToNextTimerAsync (): Promise<void> { await timers.advanceTimersByTimeAsync(untilNext()) },
  runAllTimers (): void { for (let runs = 0; clock && clock.entries.length > 0; runs++) timers.advanceTimersByTime(untilNext(runs)) },
  async runAllTimersAsync (): Promise<void> {
    await settle()
    for (let runs = 0; clock && clock.entries.length > 0; runs++) await timers.advanceTimersByTimeAsync(untilNext(runs))
  },
  runOnlyPendingTimers (): void {
    const last = Math.max(...(clock?.entries.map(entry => entry.at) ?? []))
    if (clock && Number.isFinite(last)) timers.advanceTimersByTime(last - clock.now)
  },
  async runOnlyPendingTimersAsync (): Promise<void> {
    const last = Math.max(...(clock?.entries.map(entry => entry.at) ?? []))
    if (clock && Number.isFinite(last)) await timers.advanceTimersByTimeAsync(last - clock.now)
  },
  runAllTicks (): void {}
}

function install (globals: object): void {
  for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value: value as unknown, writable: true, configurable: true, enumerable: false })
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

/** What falls due while that much time passes, one after the other; each may add more. */
function * due (ms: number): Generator<Entry> {
  const end = (clock?.now ?? 0) + ms
  for (let runs = 0; clock; runs++) {
    if (runs > MAX_RUNS) throw new Error(`more than ${MAX_RUNS} timers ran: is there an endless chain of them?`)
    const next = clock.entries.filter(entry => entry.at <= end).sort((a, b) => a.at - b.at || a.id - b.id)[0]
    if (!next) break
    clock.now = Math.max(clock.now, next.at)
    if (next.every === undefined) clock.entries = clock.entries.filter(entry => entry !== next)
    else next.at += next.every
    yield next
  }
  if (clock) clock.now = Math.max(clock.now, end)
}

function run (entry: Entry): void {
  entry.run()
}

function untilNext (runs = 0): number {
  if (runs > MAX_RUNS) throw new Error(`more than ${MAX_RUNS} timers ran: is there an endless chain of them?`)
  return clock && clock.entries.length > 0 ? Math.max(0, Math.min(...clock.entries.map(entry => entry.at)) - clock.now) : 0
}

// Promises that a timer settled go on before the next one.
async function settle (): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
}

function fakeDate (): DateConstructor {
  return new Proxy(real.Date, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [clock?.now ?? target.now()] : args, newTarget) as object,
    apply: target => new target(clock?.now ?? target.now()).toString(),
    get: (target, key, receiver) => key === 'now' ? () => clock?.now ?? target.now() : Reflect.get(target, key, receiver) as unknown
  })
}
