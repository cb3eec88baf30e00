import process from 'node:process'
import { host } from './platform.js'

const OF_VITEST: Record<string, unknown> = { MODE: 'test', DEV: true, PROD: false, SSR: true, BASE_URL: '/' }

/**
 * Gives the job environment variables of its own, in memory. Deno ignores those of its process, and would also ignore those that
 * programs set. `process.env` reads them through `Deno.env`.
 */
export function openEnvironment (variables: Record<string, string>): void {
  const known = new Map(Object.entries(variables))
  Object.assign(host.env as object, {
    get: (name: string) => known.get(String(name)),
    set: (name: string, value: string) => { known.set(String(name), String(value)) },
    has: (name: string) => known.has(String(name)),
    delete: (name: string) => { known.delete(String(name)) },
    toObject: () => Object.fromEntries(known)
  })
  // What prepare.ts puts in the place of `import.meta.env`: all variables, some of which are true or false.
  const valueOf = (name: string, value = '') => typeof OF_VITEST[name] === 'boolean' ? !['', '0', 'false'].includes(value) : value
  const all = (): Record<string, unknown> => {
    return { ...OF_VITEST, ...Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, valueOf(name, value)])) }
  }
  const value = new Proxy({}, {
    get: (_target, name) => Reflect.get(all(), name) as unknown,
    has: (_target, name) => name in all(),
    set: (_target, name, value) => Reflect.set(process.env, name, String(value)),
    deleteProperty: (_target, name) => Reflect.deleteProperty(process.env, name),
    ownKeys: () => Reflect.ownKeys(all()),
    getOwnPropertyDescriptor: (_target, name) => Reflect.getOwnPropertyDescriptor(all(), name)
  })
  Object.defineProperty(globalThis, Symbol.for('svc.env'), { value, writable: false, configurable: false, enumerable: false })
}
