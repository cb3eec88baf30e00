// The names that a statement of TypeScript defines.
const MODIFIERS = new Set([
  'export', 'default', 'declare', 'abstract', 'async', 'const', 'let', 'var', 'function', 'class', 'interface', 'type', 'enum', 'namespace'
])

/** The first word that is no keyword, or the names in the brackets of a destructuring. */
export function nameAfter (head: string): string[] {
  const words = head.split(/[\s*]+/, 8)
  for (const [index, word] of words.entries()) {
    if (word.startsWith('{') || word.startsWith('[')) return index > 0 && !head.startsWith('export {') ? bracketed(head, word[0] ?? '') : []
    const name = /^[\w$]*/.exec(word)?.[0] ?? ''
    if (name !== '' && !MODIFIERS.has(name)) return index === 0 || words[index - 1] === 'default' ? [] : [name]
  }
  return []
}

function bracketed (head: string, open: string): string[] {
  const start = head.indexOf(open)
  const ends = [head.indexOf('}'), head.indexOf(']')].filter(end => end >= 0)
  return head.slice(start, Math.min(head.length, ...ends)).split(/[^\w$]+/).filter(name => name !== '')
}
