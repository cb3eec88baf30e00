// Far deeper than any real value, and shallow enough for code that walks it recursively.
const MAX_DEPTH = 64

/** Whether a value is nested too deeply to be passed on to an agent. */
export function nestsTooDeeply (value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some(inner => nestsTooDeeply(inner, depth - 1))
}
