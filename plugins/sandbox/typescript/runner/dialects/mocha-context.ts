// Mocha's `this`: one object for each group, which has what that of the group around it has.
import { uncurry } from '../platform.js'
import { type Suite, groupHere, skipFor } from '../registry.js'

const contexts = new WeakMap<Suite, object>()
const contextOf = uncurry<WeakMap<Suite, object>, [Suite], object | undefined>(WeakMap.prototype.get)
const setContext = uncurry<WeakMap<Suite, object>, [Suite, object], unknown>(WeakMap.prototype.set)

/** That of the group that is being defined, or of the one given. */
export function mochaContext (suite: Suite = groupHere()): object {
  const known = contextOf(contexts, suite)
  if (known) return known
  const made = suite.parent ? Object.create(mochaContext(suite.parent)) as object : outermost()
  setContext(contexts, suite, made)
  return made
}

// What skips is for whatever runs as it is asked for.
function outermost (): object {
  const self = { timeout: () => self, slow: () => self, retries: () => self, get skip () { return skipFor() } }
  return self
}
