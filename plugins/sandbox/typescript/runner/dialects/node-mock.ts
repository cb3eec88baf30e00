import type { Procedure } from '../registry.js'
import { vi } from './mocks.js'
import { mockFunction } from './node-mock-function.js'
import { setTimeOnly, timers } from './timers.js'

type Owner = Record<string, Procedure>
interface Options { times?: number, getter?: boolean, setter?: boolean }

const APIS = ['setTimeout', 'setInterval', 'setImmediate', 'Date']

export type Tracker = ReturnType<typeof tracker>

/** What replaces, and knows what it replaced. Each test has one of its own, which puts all back at its end. */
export function tracker () {
  const restores: (() => void)[] = []
  const kept = (mocked: Procedure & { mock?: { restore: () => void } }): Procedure => {
    if (mocked.mock) restores.push(mocked.mock.restore)
    return mocked
  }
  const accessor = (owner: Owner, name: string, which: 'get' | 'set', body?: unknown, options?: Options): Procedure => {
    const { times } = optionsOf(body, options)
    const before = Object.getOwnPropertyDescriptor(owner, name) ?? { configurable: true, writable: true, value: undefined }
    const restore = () => { Object.defineProperty(owner, name, before) }
    const original = before[which] ?? (() => {})
    const wrapper = mockFunction({ original, body: isProcedure(body) ? body : original, times, restore })
    Object.defineProperty(owner, name, { ...('value' in before ? {} : before), configurable: true, [which]: wrapper })
    return kept(wrapper)
  }
  const method = (owner: Owner, name: string, body?: unknown, options?: Options): Procedure => {
    const { times, getter, setter } = optionsOf(body, options)
    if (getter) return accessor(owner, name, 'get', body, options)
    if (setter) return accessor(owner, name, 'set', body, options)
    const original: unknown = owner[name]
    if (!isProcedure(original)) throw new TypeError(`mock.method: '${name}' is not a method`)
    const before = Object.getOwnPropertyDescriptor(owner, name)
    const restore = () => { if (before) Object.defineProperty(owner, name, before); else Reflect.deleteProperty(owner, name) }
    const wrapper = mockFunction({ original, body: isProcedure(body) ? body : original, times, restore })
    Object.defineProperty(owner, name, { value: wrapper, writable: true, configurable: true })
    return kept(wrapper)
  }
  const restoreAll = () => { for (const restore of restores.splice(0).reverse()) restore() }
  let hasTimers = false
  const resetTimers = () => { if (hasTimers) timers.useRealTimers(); hasTimers = false }
  const whileEnabled = () => { if (!timers.isFakeTimers()) throw new Error('mock.timers: call enable() first') }
  return Object.freeze({
    fn (...given: unknown[]) {
      const [original = () => {}, body = original] = given.filter(isProcedure)
      return kept(mockFunction({ original, body, times: optionsOf(...given).times }))
    },
    method,
    getter: (owner: Owner, name: string, body?: unknown, options?: Options) => accessor(owner, name, 'get', body, options),
    setter: (owner: Owner, name: string, body?: unknown, options?: Options) => accessor(owner, name, 'set', body, options),
    reset () {
      restoreAll()
      resetTimers()
    },
    restoreAll,
    module: vi.mock,
    timers: Object.freeze({
      // Node's Date begins at 0 there, where it is replaced at all.
      enable: ({ now = 0, apis = APIS }: { now?: number | Date, apis?: string[] } = {}) => {
        hasTimers = true
        timers.useFakeTimers({ now, toFake: apis.flatMap(name => [name, name.replace('set', 'clear')]) })
      },
      reset: resetTimers,
      tick (ms = 1) {
        whileEnabled()
        timers.advanceTimersByTime(ms)
      },
      runAll () {
        whileEnabled()
        timers.runAllTimers()
      },
      setTime (time = 0) {
        whileEnabled()
        setTimeOnly(time)
      }
    })
  })
}

export const mock = tracker()

function isProcedure (value: unknown): value is Procedure {
  return typeof value === 'function'
}

/** They come last, whether or not what may come before them does. */
function optionsOf (...given: unknown[]): Options {
  return given.find((one): one is Options => typeof one === 'object' && one !== null) ?? {}
}
