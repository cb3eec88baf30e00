// The APIs of models allow 64 characters, and clients put a prefix such as `mcp__svc__` before the name.
const LONGEST = 48

/** Makes names of tools from ids of agents. A name has letters, digits, `_` and `-` only, and is neither taken nor given twice. */
export function toolNames (ids: readonly string[], taken: readonly string[]): string[] {
  const names = new Set(taken)
  // An id that is a valid name is kept, even if an earlier id would become the same name.
  const plain = new Set(ids.filter(id => nameOf(id) === id && !names.has(id)))
  return ids.map(id => {
    if (plain.has(id)) return id
    const name = nameOf(id)
    for (let number = 1; ; number++) {
      const candidate = number === 1 ? name : `${name.slice(0, LONGEST - 4)}_${number}`
      if (names.has(candidate) || plain.has(candidate)) continue
      names.add(candidate)
      return candidate
    }
  })
}

function nameOf (id: string): string {
  return id.slice(0, LONGEST).replace(/[^\w-]/g, '_')
}
