import type { Files } from '../../../../agents/types.js'
import { TimeSlice } from '../../time-slice.js'
import { isSource } from '../imports.js'
import { RULES } from './rules.js'
import { Scope } from './scope.js'
import { type Node, bare, nameOf, nodesIn, parse } from './tree.js'

// Parsing cannot be interrupted: the worst file of this length takes a tenth of a second, a usual one 5 ms.
const MAX_LETTERS = 30_000
const MAX_FILES = 200
const MAX_DOUBTS = 20

/** Searches the files that are no tests for code that may interfere with the tests. A line for each finding: `a.ts:3: what it does`. */
export async function doubtsIn (files: Files, tests: string[]): Promise<string[]> {
  const doubts = new Set<string>()
  const slice = new TimeSlice()
  const sources = Object.entries(files).filter(([path]) => isSource(path) && !tests.includes(path))
  if (sources.length > MAX_FILES) doubts.add(`there are more than ${MAX_FILES} files: not all were looked at`)
  for (const [path, text] of sources.slice(0, MAX_FILES)) {
    if (slice.isOver) await slice.next()
    for (const doubt of await doubtsInFile(path, text, slice)) doubts.add(doubt)
    if (doubts.size >= MAX_DOUBTS) break
  }
  return [...doubts].slice(0, MAX_DOUBTS)
}

export async function doubtsInFile (path: string, text: string, slice = new TimeSlice()): Promise<string[]> {
  if (text.length > MAX_LETTERS) return [`${path}:1: it is too long to be looked at`]
  const tree = parse(path, text)
  if (!tree) return [`${path}:1: it could not be read here, and was not looked at`]
  const scope = new Scope(tree)
  const doubts = new Map<number, string>() // the first one of each line
  for (const { node, around } of nodesIn(tree)) {
    if (slice.isOver) await slice.next()
    if (doubts.size >= MAX_DOUBTS) break
    for (const { find } of RULES) {
      const { line } = node.loc.start
      const doubt = doubts.has(line) ? undefined : find(node, scope, around)
      if (doubt !== undefined) doubts.set(line, doubt)
    }
  }
  return [...doubts].sort(([a], [b]) => a - b).map(([line, doubt]) => `${path}:${line}: ${doubt}`)
}

const TEST_CALL = /^(?:it|test|Deno\.test)(?:\.(?:skip|only|todo|fails|failing))?$/

/** Counts the tests at the top level of a file. If fewer are collected, code has removed some. */
export function countDeclared (path: string, text = ''): number {
  const tree = text.length > MAX_LETTERS ? undefined : parse(path, text)
  const body = (tree?.body ?? []) as Node[]
  const own = new Set<unknown>()
  for (const node of body) {
    const declared = bare(node.declaration) ?? node
    if (declared.type === 'FunctionDeclaration') own.add(nameOf(declared.id))
    for (const { id } of (declared.declarations ?? []) as Node[]) own.add(nameOf(id))
  }
  return body.filter(node => {
    const call = bare(node.expression)
    const callee = call?.type === 'CallExpression' ? bare(call.callee) : undefined
    const name = callee ? text.slice(callee.start, callee.end) : ''
    return TEST_CALL.test(name) && !own.has(name.split('.')[0])
  }).length
}
