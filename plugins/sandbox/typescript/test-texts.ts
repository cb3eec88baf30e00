// What a file of tests says in its own text. Whoever wrote it may have written anything: no pattern here looks at a part of it
// more often than a few times.

const MAX_REPLACED = 1000
const REACH = 300

/** Whether the author of the tests says `only`: code under test may not. */
export function mentionsOnly (source: string | undefined): boolean {
  return /\.only\b|\bonly\s{0,20}:\s{0,20}true|\bf(?:it|describe)\s{0,20}\(/.test(codeOf(source))
}

/** Whether the file skips any of its tests while they run. What it tests may not. */
export function speaksOfSkipping (source: string | undefined): boolean {
  return /\b(?:skip|pending)\s{0,20}\(|\.(?:skip|todo|skipIf|runIf|todoIf|ignore|if)\b|\bx(?:it|test|describe)\b|\b(?:skip|todo|ignore)\s{0,20}:/.test(codeOf(source))
}

/** How many tests stand at the very left of a file: they are defined when it loads. Where one is missing, something took it away. */
export function countDeclared (source: string | undefined): number {
  const code = codeOf(source)
  const own = new Set([...code.matchAll(/\b(?:function|const|let|var)\s{1,20}(it|test)\b/g)].map(([, name]) => name))
  let count = 0
  let before = ''
  for (const line of code.split('\n')) {
    const [, name] = /^(it|test|Deno\.test)(?:\.(?:skip|only|todo|fails|failing))?\s{0,20}\(/.exec(line) ?? []
    const isOnCondition = /^(?:\}\s{0,20})?(?:else|if)\b/.test(before) && /(?:\)|\belse)$/.test(before.slice(-10))
    if (name !== undefined && !own.has(name) && !isOnCondition) count++
    if (line !== '') before = line.trim() || before
  }
  return count
}

/** What the tests replace by its name, or assign to: of that, nothing is locked. */
export function namesReplaced (source = ''): string[] {
  const names = new Set<string>()
  for (const { 0: { length }, index } of source.matchAll(/\b(?:spyOn|stubGlobal|replaceProperty|defineProperty|method|getter|setter|property)\s{0,20}\(/g)) {
    const after = source.slice(index + length, index + length + REACH)
    const at = after.search(/['"]/)
    const [, name] = /^['"]([\w$]{1,100})['"]/.exec(after.slice(Math.max(0, at))) ?? []
    if (name !== undefined && /^$|,$/.test(after.slice(0, at).trimEnd().slice(-1))) names.add(name)
    if (names.size >= MAX_REPLACED) break
  }
  for (const [, name = ''] of source.matchAll(/\.([\w$]{1,100})(?:\s{1,20}as\s{1,20}\w{1,100}\))?\s{0,20}(?:\?\?|\|\|)?=(?![=>])/g)) {
    names.add(name)
    if (names.size >= MAX_REPLACED) break
  }
  return [...names]
}

// Without comments and texts. What is not closed goes to the end.
function codeOf (source = ''): string {
  return source.replace(/\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)|'(?:\\.|[^'\\\n])*'?|"(?:\\.|[^"\\\n])*"?|`(?:\\[\s\S]?|[^`\\])*`?/g, text => text.startsWith('/') ? '' : "''")
}
