import Module from 'node:module'

const KEY = Symbol.for('svc.stand-ins')
const standIns = new Map<string, object>()

/**
 * Gives a program another module for one of Node's: where it is required, by that name, and where it is imported, by the name
 * that plugins/sandbox/typescript/prepare-program.ts puts there, whose file (see bundle.mjs) exports what stands here.
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
