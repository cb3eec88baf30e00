import { beyondBounds } from '../../schemas/json-bounds.js'

// Reads JSON from servers. It may have any shape, so every value is checked before it is used.

export type Json = Record<string, unknown>

/** JSON that would take seconds to parse. The message is the rest of a sentence that begins with the name of the text. */
export class JsonTooLarge extends Error {}

/** The value of a JSON text. Throws JsonTooLarge, or a SyntaxError if it is no JSON. */
export function parseJson (json: string): unknown {
  const beyond = beyondBounds(json)
  if (beyond !== undefined) throw new JsonTooLarge(beyond)
  return JSON.parse(json)
}

export function record (value: unknown): Json {
  return isRecord(value) ? value : {}
}

export function records (value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

export function isRecord (value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function text (value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** A number of tokens or slots; null for anything else. */
export function whole (value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null
}
