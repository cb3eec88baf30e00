import Module from 'node:module'

const KEY = Symbol.for('svc.stand-ins')
const standIns = new Map<string, object>()

/**
 * Replaces one of Node's modules for a program. `require` finds the replacement by the module's name. Imports find it by a name that
 * prepare.ts puts into the program's text; bundle.mjs makes a file of that name, which exports what is stored here.
 */
export function replaceModule (name: string, module: object): void {
  if (standIns.size === 0) catchRequires(Module as unknown as { _load: (request: string, ...more: unknown[]) => unknown })
  for (const asked of [name, `node:${name}`, `svc-${name}`]) standIns.set(asked, module)
  const known = Reflect.get(globalThis, KEY) as Record<string, object> | undefined
  Object.defineProperty(globalThis, KEY, { value: { ...known, [name]: module }, configurable: true })
}

function catchRequires (module: { _load: (request: string, ...more: unknown[]) => unknown }): void {
  const load = module._load
  module._load = (request, ...more) => standIns.get(request) ?? load(request, ...more)
}
