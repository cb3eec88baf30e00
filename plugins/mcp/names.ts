// Models' interfaces take 64 characters, and clients put the server's name before it: `mcp__svc__`.
const LONGEST = 48

/** Names of tools for ids that may hold anything: letters, digits, `_` and `-`, each name once and none of those that are taken. */
export function toolNames (ids: readonly string[], taken: readonly string[]): string[] {
  const names = new Set(taken)
  // Who can have the own id as name has it, whatever comes before.
  const plain = new Set(ids.filter(id => nameOf(id) === id && !names.has(id)))
  return ids.map(id => {
    if (plain.has(id)) return id
    const name = nameOf(id)
    for (let turn = 1; ; turn++) {
      const tried = turn === 1 ? name : `${name.slice(0, LONGEST - 4)}_${turn}`
      if (names.has(tried) || plain.has(tried)) continue
      names.add(tried)
      return tried
    }
  })
}

function nameOf (id: string): string {
  return id.slice(0, LONGEST).replace(/[^\w-]/g, '_')
}
