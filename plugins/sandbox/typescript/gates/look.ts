import type { Files } from '../../../../agents/types.js'
import { Turns } from '../../turns.js'
import { isSource } from '../imports.js'
import { RULES } from './rules.js'
import { Scope } from './scope.js'
import { type Node, bare, nameOf, nodesIn, parse } from './tree.js'

// Parsing cannot be parted: the worst text of that length holds the loop for a tenth of a second, a usual one for 5 ms.
const MAX_LETTERS = 30_000
const MAX_FILES = 200
const MAX_DOUBTS = 20

/** What is seen in the files that are no tests of code that reaches for its tests, a line each: `a.ts:3: what it does`. */
export async function doubtsOf (files: Files, tests: string[]): Promise<string[]> {
  const doubts = new Set<string>()
  const turns = new Turns()
  const sources = Object.entries(files).filter(([path]) => isSource(path) && !tests.includes(path))
  if (sources.length > MAX_FILES) doubts.add(`there are more than ${MAX_FILES} files: not all were looked at`)
  for (const [path, text] of sources.slice(0, MAX_FILES)) {
    if (turns.isOver) await turns.next()
    for (const doubt of await lookAt(path, text, turns)) doubts.add(doubt)
    if (doubts.size >= MAX_DOUBTS) break
  }
  return [...doubts].slice(0, MAX_DOUBTS)
}

export async function lookAt (path: string, text: string, turns = new Turns()): Promise<string[]> {
  if (text.length > MAX_LETTERS) return [`${path}:1: it is too long to be looked at`]
  const tree = parse(path, text)
  if (!tree) return [`${path}:1: it could not be read here, and was not looked at`]
  const scope = new Scope(tree)
  const doubts = new Map<number, string>() // of several in a line the first
  for (const { node, around } of nodesIn(tree)) {
    if (turns.isOver) await turns.next()
    if (doubts.size >= MAX_DOUBTS) break
    for (const { find } of RULES) {
      const { line } = node.loc.start
      const what = doubts.has(line) ? undefined : find(node, scope, around)
      if (what !== undefined) doubts.set(line, what)
    }
  }
  return [...doubts].sort(([a], [b]) => a - b).map(([line, what]) => `${path}:${line}: ${what}`)
}

const TEST_CALL = /^(?:it|test|Deno\.test)(?:\.(?:skip|only|todo|fails|failing))?$/

/** How many tests stand at the very left of a file: where fewer were collected, something took one away. */
export function countDeclared (path: string, text = ''): number {
  const tree = text.length > MAX_LETTERS ? undefined : parse(path, text)
  const own = new Set<unknown>()
  let count = 0
  for (const node of (tree?.body ?? []) as Node[]) {
    const declared = bare(node.declaration) ?? node
    if (declared.type === 'FunctionDeclaration') own.add(nameOf(declared.id))
    for (const { id } of (declared.declarations ?? []) as Node[]) own.add(nameOf(id))
  }
  for (const node of (tree?.body ?? []) as Node[]) {
    const call = bare(node.expression)
    const callee = call?.type === 'CallExpression' ? bare(call.callee) : undefined
    const name = callee ? text.slice(callee.start, callee.end) : ''
    if (TEST_CALL.test(name) && !own.has(name.split('.')[0])) count++
  }
  return count
}
