import { ADAPTERS, FURTHER, LEFT_OUT } from './adapters.js'
import { type TextFunction, textFunctions } from './functions.js'
import type { Shape } from './shapes.js'

const TABLES = 'test/support/pump/adapters.ts'

/** One way to call something with text. */
export type Target =
  | { name: string, type: 'function', file: string, path: string[], call: Shape[] }
  | { name: string, type: 'adapter', id: string }

/** Everything that is given text, and what the tables lack or hold in vain. */
export function targets (): { targets: Target[], faults: string[] } {
  const functions = textFunctions()
  const ids = new Set(functions.map(({ id }) => id))
  return {
    targets: [...functions.flatMap(targetsOf), ...Object.keys(FURTHER).map(id => ({ name: id, type: 'adapter' as const, id }))],
    faults: [
      ...functions.filter(({ id, lack }) => lack !== undefined && !(id in ADAPTERS) && !(id in LEFT_OUT)).map(({ id, lack }) =>
        `${id} is given text and ${lack ?? ''}, which nothing stands in for: add a line for it to ADAPTERS in ${TABLES} `
        + 'that says how it is called with a text, or to LEFT_OUT if it must not be, with the reason.'),
      ...[...Object.keys(ADAPTERS), ...Object.keys(LEFT_OUT)].filter(id => !ids.has(id)).map(id =>
        `${id} is in ${TABLES}, and no exported function is called so any more: take it out.`)
    ]
  }
}

function targetsOf ({ id, file, path, calls }: TextFunction): Target[] {
  if (id in LEFT_OUT) return []
  if (id in ADAPTERS) return [{ name: id, type: 'adapter', id }]
  return calls.map(call => ({ name: `${id}(${call.map(told).join(', ')})`, type: 'function', file, path, call }))
}

function told (shape: Shape): string {
  if (shape.type === 'value') return JSON.stringify(shape.value)
  if (shape.type === 'list') return `[${shape.items.map(told).join(', ')}]`
  if (shape.type === 'record') return `{ ${shape.entries.map(([name, value]) => `${name}: ${told(value)}`).join(', ')} }`
  return shape.type === 'stand-in' ? shape.name : shape.type
}
