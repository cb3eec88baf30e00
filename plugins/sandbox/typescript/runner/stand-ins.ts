import { standIn } from './surroundings.js'

const KEY = Symbol.for('svc.stand-ins')

/**
 * Gives a program another module for one of Node's: where it is required, by that name, and where it is imported, by the name
 * that plugins/sandbox/typescript/run.ts puts there, whose file (see bundle.mjs) exports what stands here.
 */
export function replaceModule (name: string, module: object): void {
  for (const asked of [name, `node:${name}`, `svc-${name}`]) standIn(asked, module)
  const known = Reflect.get(globalThis, KEY) as Record<string, object> | undefined
  Object.defineProperty(globalThis, KEY, { value: { ...known, [name]: module }, configurable: true })
}
