import { fn } from '@vitest/spy'
import type { Procedure } from '../registry.js'
import { vi } from './mocks.js'
import { timers } from './timers.js'

type Spy = ReturnType<typeof fn<Procedure>>
type Owner = Record<string, Procedure>

/** node:test's view of a mock: `mock.calls[0].arguments`, `mock.callCount()`. */
function asNode (spy: Spy, restore: () => void): Procedure {
  const view = {
    get calls () {
      return spy.mock.calls.map((args, index) => {
        const result = spy.mock.results[index]
        return { arguments: args, result: result?.type === 'return' ? result.value : undefined, error: result?.type === 'throw' ? result.value as unknown : undefined, this: spy.mock.contexts[index], target: undefined }
      })
    },
    callCount: () => spy.mock.calls.length,
    resetCalls: () => { spy.mockClear() },
    restore,
    mockImplementation: (body: Procedure) => { spy.mockImplementation(body) },
    mockImplementationOnce: (body: Procedure) => { spy.mockImplementationOnce(body) }
  }
  const wrapper = function (this: unknown, ...args: unknown[]): unknown {
    if (!new.target) return spy.apply(this, args)
    const made: unknown = Reflect.construct(spy, args)
    return made
  }
  return Object.defineProperty(wrapper, 'mock', { value: view })
}

export type Tracker = ReturnType<typeof tracker>

/** What replaces, and knows what it replaced. Each test has one of its own, which puts all back at its end. */
export function tracker () {
  const restores: (() => void)[] = []
  const accessor = (owner: Owner, name: string, which: 'get' | 'set', body: Procedure): Procedure => {
    const before = Object.getOwnPropertyDescriptor(owner, name) ?? { configurable: true, writable: true, value: undefined }
    const restore = () => { Object.defineProperty(owner, name, before) }
    const wrapper = asNode(fn(body), restore)
    Object.defineProperty(owner, name, { ...('value' in before ? {} : before), configurable: true, [which]: wrapper })
    restores.push(restore)
    return wrapper
  }
  const restoreAll = () => { for (const restore of restores.splice(0).reverse()) restore() }
  let hasTimers = false
  const resetTimers = () => { if (hasTimers) timers.useRealTimers(); hasTimers = false }
  return Object.freeze({
    fn: (...bodies: unknown[]) => {
      const spy = fn(bodies.filter(isProcedure).at(-1))
      return asNode(spy, () => { spy.mockReset() })
    },
    method (owner: Owner, name: string, body?: unknown): Procedure {
      const original = owner[name]
      const before = Object.getOwnPropertyDescriptor(owner, name)
      const spy = fn(isProcedure(body) ? body : original)
      const restore = () => { if (before) Object.defineProperty(owner, name, before); else Reflect.deleteProperty(owner, name) }
      const wrapper = asNode(spy, restore)
      Object.defineProperty(owner, name, { value: wrapper, writable: true, configurable: true })
      restores.push(restore)
      return wrapper
    },
    getter: (owner: Owner, name: string, body: Procedure) => accessor(owner, name, 'get', body),
    setter: (owner: Owner, name: string, body: Procedure) => accessor(owner, name, 'set', body),
    reset () {
      restoreAll()
      resetTimers()
    },
    restoreAll,
    module: vi.mock,
    timers: Object.freeze({
      // Node's Date begins at 0 there, where it is replaced at all.
      enable: ({ now, apis }: { now?: number | Date, apis?: unknown[] } = {}) => {
        hasTimers = true
        timers.useFakeTimers(now === undefined && apis?.includes('Date') === false ? {} : { now: now ?? 0 })
      },
      reset: resetTimers,
      tick: (ms = 1) => timers.advanceTimersByTime(ms),
      runAll: () => timers.runAllTimers(),
      setTime: (time: number) => timers.setSystemTime(time)
    })
  })
}

export const mock = tracker()

function isProcedure (value: unknown): value is Procedure {
  return typeof value === 'function'
}
