import { host } from './platform.js'

/**
 * Variables of the job's own, in memory. Deno was told to ignore those of its process, and would ignore also what programs set.
 * `process.env` asks Deno's for each of its variables.
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
}
