import assert from 'node:assert'
import strictAssert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import Module from 'node:module'
import { dirname } from 'node:path'
import process from 'node:process'
import util from 'node:util'
import v8 from 'node:v8'
import { ExitCalled } from './exit-called.js'
import { exceptions, lockProperties, lockTools, shieldMethods } from './lock.js'
import { lockNamed } from './lock-named.js'
import { defineProperty, freeze, getPrototypeOf, host } from './platform.js'
import { fileIn, requireIn } from './require.js'

/** Takes away, before anything of a job is known, what shows or changes how the engine runs the runner. */
export function closeEngine (): void {
  const internal = host.internal as PropertyKey
  Reflect.deleteProperty(host, internal)
  Reflect.deleteProperty(host, 'internal')
  // Each promise that is made would be shown, the runner's own among them.
  const { promiseHooks } = v8 as unknown as { promiseHooks: Record<string, unknown> }
  for (const name of Object.keys(promiseHooks)) fix(promiseHooks, name, notHere(`v8.promiseHooks.${name}`))
  const hook = createHook({})
  for (const name of ['enable', 'disable']) fix(getPrototypeOf(hook) ?? hook, name, function (this: unknown) { return this })
  closeModules(Module as unknown as Record<string, unknown>)
  // What fails outside of any call is told by events.
  fix(globalThis, 'dispatchEvent', Reflect.get(EventTarget.prototype, 'dispatchEvent'))
  for (const name of ['EventTarget', 'Event', 'PromiseRejectionEvent', 'ErrorEvent']) shieldMethods((Reflect.get(globalThis, name) as { prototype: object }).prototype)
}

const standIns = new Map<string, unknown>()

/** Has `require` give something else for a module. */
export function standIn (name: string, module: unknown): void {
  standIns.set(name, module)
}

// How modules are found and loaded stays; what is loaded by `require` may still be taken from its cache, but what is built in.
function closeModules (module: Record<string, unknown>): void {
  for (const name of ['registerHooks', 'register']) fix(module, name, notHere(`module.${name}`))
  const load = module._load as (request: string, ...more: unknown[]) => unknown
  const isBuiltin = module.isBuiltin as (request: string) => boolean
  const builtin = process.getBuiltinModule as (name: string) => unknown // `load` would look in the cache first
  fix(module, '_load', (request: string, ...more: unknown[]) => standIns.get(request) ?? (isBuiltin(request) ? builtin(request) : load(request, ...more)))
  for (const object of [module, module.prototype as object]) lockProperties(object)
}

/** Makes of Deno's globals what programs for Node expect, without those that would keep anything beyond the job. */
export function prepare (folder: string): void {
  for (const name of ['localStorage', 'sessionStorage', 'caches']) Reflect.deleteProperty(globalThis, name)
  // Where this machine has its programs is nothing to print. Its title is that of the process itself, and stays.
  for (const [name, value] of Object.entries({ execPath: 'node', argv: ['node', `${folder}/main.js`] })) cover(process, name, value)
  for (const [name, value] of Object.entries({ execPath: () => 'deno', mainModule: `file://${folder}/main.js` })) cover(host, name, value)
  freeze(assert)
  freeze(strictAssert)
  fix(globalThis, 'require', requireIn(folder))
  // Programs written as CommonJS ask whether they are the main module, and list what they export.
  for (const [name, value] of Object.entries({ module: { exports: {} }, exports: {}, global: globalThis })) {
    if (!(name in globalThis)) defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false })
  }
  tell('__filename', () => fileIn(folder))
  tell('__dirname', () => dirname(fileIn(folder)))
}

/** What goes for tests and calls, and not for a program: it does not end the process, and prints to one stream. */
export function keepGoing (): void {
  for (const place of [host, process]) for (const name of ['exit', 'reallyExit', 'abort', 'kill']) if (name in place) override(place, name, exit(name))
  override(globalThis, 'close', exit('close'))
  // So that what is printed stays in its order.
  for (const [name, to] of [['error', 'log'], ['warn', 'log'], ['trace', 'log'], ['assert', undefined]] as const) {
    if (to !== undefined) console[name] = console[to].bind(console)
  }
}

/** What assertions of tests stand on, beside the language. Values are compared elsewhere, and so is all of it the program's own. */
export function lockForTests ({ spoken, globals, modules }: { spoken: string[], globals: string[], modules: string[] }): void {
  const but = exceptions(new Set(spoken))
  if (!but.has('Deno')) fix(globalThis, 'Deno', host)
  lockTools(but, [util, util.types, util.inspect])
  lockNamed({ globals, modules }, but)
}

// A way to end early would leave the tests behind it unheard. To see it as a failure helps more than a dead process.
function exit (name: string) {
  return (code?: unknown): never => {
    throw new ExitCalled(name === 'exit' || name === 'reallyExit' ? `the process was told to exit with code ${String(code ?? 0)}` : `the process was told to end by ${name}()`)
  }
}

function notHere (what: string) {
  return (): never => { throw new Error(`${what} is not available here`) }
}

function fix (place: object, name: PropertyKey, value: unknown): void {
  defineProperty(place, name, { value, writable: false, configurable: false, enumerable: false })
}

// A global that says something else to each file. Where a program puts it there itself, it says the same as before.
function tell (name: string, get: () => string): void {
  defineProperty(globalThis, name, { get, set: () => {}, configurable: false, enumerable: false })
}

function cover (place: object, name: string, value: unknown): void {
  if (!Reflect.defineProperty(place, name, { value, writable: true, configurable: true })) Reflect.set(place, name, value)
}

function override (place: object, name: string, value: unknown): void {
  defineProperty(place, name, { value, writable: true, configurable: true })
}
