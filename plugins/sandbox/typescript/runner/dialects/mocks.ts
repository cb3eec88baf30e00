import { clearAllMocks, fn, isMockFunction, resetAllMocks, restoreAllMocks, spyOn } from '@vitest/spy'
import { later, now } from '../platform.js'
import { replaceProperty, restoreProperties } from './properties.js'
import { timers } from './timers.js'

const NO_MODULES = 'replacing modules (vi.mock, jest.mock) is not available here: hand the dependency in, or use spyOn'
const NO_ISOLATION = 'loading modules anew (jest.isolateModules) is not available here: have what the module keeps made by a function, or put it back'
const stubs = new Map<string, PropertyDescriptor | undefined>()
const variables = new Map<string, string | undefined>()

type Step = (...args: never[]) => unknown

// Each of these gives the object itself, so that calls can be chained.
const chained = {
  ...timers,
  clearAllMocks, resetAllMocks,
  restoreAllMocks () {
    restoreAllMocks()
    restoreProperties()
  },
  stubGlobal (name: string, value: unknown) {
    if (!stubs.has(name)) stubs.set(name, Object.getOwnPropertyDescriptor(globalThis, name))
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true })
  },
  unstubAllGlobals () {
    for (const [name, before] of stubs) {
      if (before) Object.defineProperty(globalThis, name, before)
      else Reflect.deleteProperty(globalThis, name)
    }
    stubs.clear()
  },
  stubEnv (name: string, value: string | undefined) {
    if (!variables.has(name)) variables.set(name, process.env[name])
    setVariable(name, value)
  },
  unstubAllEnvs () {
    for (const [name, before] of variables) setVariable(name, before)
    variables.clear()
  },
  unmock () {},
  dontMock () {},
  resetModules () {},
  setTimeout () {},
  setConfig () {},
  resetConfig () {},
  retryTimes () {}
} satisfies Record<string, Step>
// These give something of their own.
const telling = new Set(['isFakeTimers', 'getMockedSystemTime', 'getRealSystemTime', 'getTimerCount'])

// Tests may have put other variables in the place of all.
function setVariable (name: string, value: string | undefined): void {
  const { env } = process
  if (value === undefined) Reflect.deleteProperty(env, name)
  else env[name] = value
}

const noModules = () => { throw new Error(NO_MODULES) }
const noIsolation = () => { throw new Error(NO_ISOLATION) }

/** Tries until it does not throw. */
export async function waitFor (read: () => unknown, options: { timeout?: number, interval?: number } | number = {}): Promise<unknown> {
  const { timeout = 1000, interval = 50 } = typeof options === 'number' ? { timeout: options } : options
  for (const end = now() + timeout; ;) {
    try {
      return await read()
    } catch (error) {
      if (now() > end) throw error
      await new Promise(resolve => later(resolve, interval))
    }
  }
}

function chain<S extends Record<string, Step>> (steps: S): { [N in keyof S]: (...args: Parameters<S[N]>) => unknown } {
  const entries = Object.entries<Step>(steps).map(([name, step]) => [name, (...args: never[]): unknown => {
    const given = step(...args)
    if (telling.has(name)) return given
    return given instanceof Promise ? given.then(() => vi) : vi
  }])
  return Object.fromEntries(entries) as { [N in keyof S]: (...args: Parameters<S[N]>) => unknown }
}

/** `vi` and `jest`, which tests rely on, as they do on `expect`. */
export const vi = Object.freeze({
  ...chain(chained),
  fn, spyOn, isMockFunction, replaceProperty,
  spy: fn,
  mocked: (value: unknown) => value,
  hoisted: (make: () => unknown) => make(),
  now: () => Date.now(),
  waitFor,
  waitUntil: (read: () => unknown, options?: { timeout?: number, interval?: number } | number) => waitFor(async () => {
    const value = await read()
    if (!value) throw new Error('what was waited for did not come')
    return value
  }, options),
  dynamicImportSettled: async () => {},
  mock: noModules, doMock: noModules, doUnmock: () => {}, unstable_mockModule: noModules, importActual: noModules, importMock: noModules, requireActual: noModules, requireMock: noModules, createMockFromModule: noModules,
  isolateModules: noIsolation, isolateModulesAsync: noIsolation
})
