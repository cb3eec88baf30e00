// What nests deeper than anything that is meant would overflow a stack later on.
const MAX_DEPTH = 64

/** Whether a value of a caller's is nested so deeply that it cannot be handed on. */
export function nestsTooDeeply (value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some(inner => nestsTooDeeply(inner, depth - 1))
}
