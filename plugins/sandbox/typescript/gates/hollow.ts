import type { Files } from '../../../../agents/types.js'
import { isSource } from '../imports.js'
import { type Node, bare, childrenOf, isNode, parse } from './tree.js'

/** The files with every function that is no test's left empty. Constructors stay: without `super` no object would be there. */
export function hollowed (files: Files, tests: string[]): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, isSource(path) && !tests.includes(path) ? hollow(path, text) : text]))
}

function hollow (path: string, text: string): string {
  const tree = parse(path, text)
  const bodies = tree === undefined ? [] : bodiesIn(tree).sort((left, right) => left.start - right.start)
  let made = ''
  let at = 0
  for (const { start, end, type } of bodies) {
    made += text.slice(at, start) + (type === 'BlockStatement' ? '{}' : 'undefined')
    at = end
  }
  return made + text.slice(at)
}

/** The bodies of the outermost functions. */
function bodiesIn (tree: Node): Node[] {
  const bodies: Node[] = []
  const left: Node[] = [tree]
  for (let node = left.pop(); node; node = left.pop()) {
    if (node.type === 'MethodDefinition' && node.kind === 'constructor') continue
    const body = /Function/.test(node.type) && isNode(node.body) ? node.body : undefined
    // What lies in parentheses, as `() => ({})`, is emptied within them.
    if (body) bodies.push(body.type === 'ParenthesizedExpression' ? bare(body) ?? body : body)
    else left.push(...childrenOf(node))
  }
  return bodies
}
