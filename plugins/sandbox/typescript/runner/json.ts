import { stringify, text } from './platform.js'

// JSON by hand: JSON.stringify would ask objects and arrays for a toJSON, which code under test can put on their prototypes.

/** JSON that was made here. */
export type Json = string & { readonly json: unique symbol }

const json = (made: string): Json => made as Json

export const str = (value: string): Json => json(stringify(text(value)))
export const num = (value: number): Json => json(stringify(+value))
export const bool = (value: boolean): Json => json(value ? 'true' : 'false')
export const orNull = (value: string | null | undefined): Json => value === null || value === undefined ? json('null') : str(value)

export const record = (fields: Record<string, Json>): Json => {
  let inside = ''
  for (const name in fields) {
    const field = ownField(fields, name)
    if (field !== undefined) inside += `${inside === '' ? '' : ','}${str(name)}:${field}`
  }
  return json(`{${inside}}`)
}

export class List {
  #inside = ''

  add (item: Json): void { this.#inside += `${this.#inside === '' ? '' : ','}${item}` }
  get json (): Json { return json(`[${this.#inside}]`) }
  get length (): number { return this.#inside.length }
}

// `for in` also finds what was put on Object.prototype.
const { hasOwn } = Object
const ownField = (fields: Record<string, Json>, name: string): Json | undefined => hasOwn(fields, name) ? fields[name] : undefined
