// Examples that do not name their function: they are read as calls of the only function that they can mean.
import type { Assertion, Profile } from '../languages/profile.js'

export interface Called {
  profile: Profile
  name: string
  /** The names of its parameters, if they are known. */
  parameters: readonly string[] | undefined
}

const LONGEST_LINE = 600

/** The lines that may hold an example. */
export function linesOf (text: string): string[] {
  return text.split('\n').map(line => line.length > LONGEST_LINE ? '' : line)
}

export function example (args: readonly string[], wanted: string, { name }: Called): Assertion {
  return { expression: `${name}(${args.join(', ')})`, wanted: { type: 'value', source: wanted } }
}
