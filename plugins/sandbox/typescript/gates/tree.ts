import { Parser } from 'acorn'
import { tsPlugin } from '@sveltejs/acorn-typescript'

/** A node of a syntax tree. Its other fields depend on its type. */
export interface Node { type: string, start: number, end: number, loc: { start: { line: number } }, [key: string]: unknown }

const OPTIONS = {
  ecmaVersion: 'latest', sourceType: 'module', locations: true, allowReturnOutsideFunction: true, allowHashBang: true
} as const
const Plain = Parser.extend(tsPlugin())
const WithJsx = Parser.extend(tsPlugin({ jsx: {} }))

/** The syntax tree; undefined where the source does not parse. */
export function parse (path: string, source: string): Node | undefined {
  const parsers = /x$|\.[cm]?js$/.test(path) ? [WithJsx, Plain] : [Plain]
  for (const parser of parsers) {
    try {
      return parser.parse(source, OPTIONS) as unknown as Node
    } catch {
      continue // it is no code, or has syntax that acorn does not know
    }
  }
  return undefined
}

export function isNode (value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

export function childrenOf (node: Node): Node[] {
  return Object.values(node).flat().filter(isNode)
}

/** All nodes with their parents, from the root on. It does not recurse, since a file can be nested to any depth. */
export function * nodesIn (root: Node): Generator<{ node: Node, around: Around | undefined }> {
  const stack: { node: Node, around: Around | undefined }[] = [{ node: root, around: undefined }]
  for (let next = stack.pop(); next; next = stack.pop()) {
    yield next
    const around = { node: next.node, around: next.around }
    for (const child of childrenOf(next.node)) stack.push({ node: child, around })
  }
}

export interface Around { node: Node, around: Around | undefined }

const WRAPPERS = new Set([
  'TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression', 'TSTypeAssertion', 'TSInstantiationExpression',
  'ParenthesizedExpression', 'ChainExpression'
])

/** The expression without parentheses and types around it. */
export function bare (value: unknown): Node | undefined {
  let node = isNode(value) ? value : undefined
  while (node && WRAPPERS.has(node.type)) node = isNode(node.expression) ? node.expression : undefined
  return node
}

/** The name of a member, a key or an import; undefined where it is computed. */
export function nameOf (key: unknown, isComputed = false): string | undefined {
  const node = bare(key)
  if (node?.type === 'Literal') return String(node.value)
  if (node?.type === 'Identifier' && !isComputed) return String(node.name)
  if (node?.type === 'PrivateIdentifier') return `#${String(node.name)}`
  // `[Symbol.iterator]` is a name, too.
  const isSymbol = node?.type === 'MemberExpression' && isComputed && bare(node.object)?.name === 'Symbol'
  if (isSymbol) return `Symbol.${nameOf(node.property) ?? ''}`
  return undefined
}

export function listOf (value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : []
}
