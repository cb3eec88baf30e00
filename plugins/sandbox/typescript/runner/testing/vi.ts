import { clearAllMocks, fn, isMockFunction, resetAllMocks, restoreAllMocks, spyOn } from '@vitest/spy'
import { replace, later, now } from '../platform.js'
import { NotAvailable } from '../thrown.js'
import { timers } from './timers.js'

const NO_MODULES = 'replacing modules (vi.mock, jest.mock) is not available here: hand the dependency in, or use spyOn'
const NO_ISOLATION = 'loading modules anew (jest.isolateModules) is not available here: have what the module keeps made by a function'
const stubs = new Map<string, PropertyDescriptor | undefined>()
const variables = new Map<string, string | undefined>()
const replaced: (() => void)[] = []

type Step = (...args: never[]) => unknown

// Each of these returns `vi`, so that calls can be chained.
const chained = {
  ...timers, clearAllMocks, resetAllMocks,
  restoreAllMocks () {
    restoreAllMocks()
    for (const restore of replaced.splice(0).reverse()) restore()
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
  unmock () {}, doUnmock () {}, dontMock () {}, resetModules () {}, setTimeout () {}, setConfig () {}, resetConfig () {}, retryTimes () {}
} satisfies Record<string, Step>
// These return a value of their own.
const WITH_VALUE = new Set(['isFakeTimers', 'getMockedSystemTime', 'getRealSystemTime', 'getTimerCount'])

function setVariable (name: string, value: string | undefined): void {
  if (value === undefined) Reflect.deleteProperty(process.env, name)
  else process.env[name] = value
}

/** jest's replacement for properties that are no functions. */
function replaceProperty (owner: object, name: string, value: unknown) {
  const before = Object.getOwnPropertyDescriptor(owner, name)
  const restore = () => { if (before) Object.defineProperty(owner, name, before); else Reflect.deleteProperty(owner, name) }
  replaced.push(restore)
  const replaceValue = (next: unknown) => {
    replace(owner, name, next)
    return { replaceValue, restore }
  }
  return replaceValue(value)
}

/** Calls the function again until it does not throw. */
async function waitFor (read: () => unknown, options: { timeout?: number, interval?: number } | number = {}): Promise<unknown> {
  const { timeout = 1000, interval = 50 } = typeof options === 'number' ? { timeout: options } : options
  for (const end = now() + timeout; ;) {
    try {
      return await read()
    } catch (error) {
      if (now() > end) throw error
      if (timers.isFakeTimers()) await timers.advanceTimersByTimeAsync(interval)
      await new Promise(resolve => later(resolve, interval))
    }
  }
}

function chain (steps: Record<string, Step>): Record<string, Step> {
  return Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, (...args: never[]): unknown => {
    const given = step(...args)
    if (WITH_VALUE.has(name)) return given
    return given instanceof Promise ? given.then(() => vi) : vi
  }]))
}

const refused = (why: string) => (): never => { throw new NotAvailable(why) }
const MODULE_WORDS = [
  'mock', 'doMock', 'unstable_mockModule', 'importActual', 'importMock', 'requireActual', 'requireMock', 'createMockFromModule'
]

/** `vi` and `jest`. */
export const vi: Record<string, unknown> = {
  ...chain(chained),
  fn, spyOn, isMockFunction, replaceProperty, waitFor,
  mocked: (value: unknown) => value,
  hoisted: (make: () => unknown) => make(),
  now: () => Date.now(),
  waitUntil: async (read: () => unknown, options?: { timeout?: number, interval?: number } | number) => await waitFor(async () => {
    const value = await read()
    if (!value) throw new Error('what was waited for did not come')
    return value
  }, options),
  dynamicImportSettled: async () => {},
  ...Object.fromEntries(MODULE_WORDS.map(name => [name, refused(NO_MODULES)])),
  isolateModules: refused(NO_ISOLATION),
  isolateModulesAsync: refused(NO_ISOLATION)
}
