import type { Files } from '../../../../agents/types.js'
import { isSource } from '../imports.js'
import { type Node, bare, childrenOf, isNode, parse } from './tree.js'

/** Replaces all functions that are no tests with stubs, which do nothing. Constructors stay: without `super` there would be no object. */
export function stubbed (files: Files, tests: string[]): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => {
    return [path, isSource(path) && !tests.includes(path) ? withStubs(path, text) : text]
  }))
}

function withStubs (path: string, text: string): string {
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
    // The parentheses of `() => ({})` stay.
    if (body) bodies.push(body.type === 'ParenthesizedExpression' ? bare(body) ?? body : body)
    else left.push(...childrenOf(node))
  }
  return bodies
}
