// What the names of one file stand for, as far as its text shows: something of the file's own, or something global that it shares with
// its tests. One list of names for the whole file, without nested scopes, is exact enough for doubts.
import { type Node, bare, isNode, listOf, nameOf, nodesIn } from './tree.js'

/** The path to something global: `['Array', 'prototype']`, `['module assert']`. `*` is a computed name, `instance` an object of a class. */
export type GlobalPath = string[]

const GLOBAL_OBJECTS = new Set(['globalThis', 'window', 'self', 'global'])
const LITERALS: Record<string, string> = { ArrayExpression: 'Array', TemplateLiteral: 'String', ArrowFunctionExpression: 'Function' }
const PROTOTYPES_OF = new Set(['Object.getPrototypeOf', 'Reflect.getPrototypeOf'])
const MAX_STEPS = 20
const MAX_ITEMS = 8
const MAX_ITEM_STEPS = 3

export class Scope {
  readonly #known = new Map<string, (steps: number) => GlobalPath | undefined>()

  constructor (root: Node) {
    for (const { node } of nodesIn(root)) this.#declare(node)
  }

  /** The global thing that an expression means; undefined where it is the file's own or unknown. */
  pathOf (value: unknown, steps = MAX_STEPS): GlobalPath | undefined {
    const node = bare(value)
    if (!node || steps <= 0) return undefined
    if (node.type === 'Identifier') {
      const name = String(node.name)
      const known = this.#known.get(name)
      return known ? known(steps - 1) : GLOBAL_OBJECTS.has(name) ? [] : [name]
    }
    if (node.type === 'MemberExpression') return this.#member(node, steps - 1)
    if (node.type === 'CallExpression') return this.#returned(node, steps - 1)
    if (node.type === 'AssignmentExpression' || node.type === 'LogicalExpression') return this.pathOf(node.right, steps - 1)
    if (node.type === 'Literal' && typeof node.value === 'string') return ['String', 'instance']
    const kind = LITERALS[node.type]
    return kind === undefined ? undefined : [kind, 'instance']
  }

  #member (node: Node, steps: number): GlobalPath | undefined {
    const within = this.pathOf(node.object, steps)
    if (!within) return undefined
    const name = nameOf(node.property, node.computed === true) ?? '*'
    if (within.length === 0 && GLOBAL_OBJECTS.has(name)) return within
    if (within[1] !== 'instance') return [...within, name]
    // `[].__proto__` and `[].constructor` are Array's.
    const [kind = ''] = within
    return name === '__proto__' ? [kind, 'prototype'] : name === 'constructor' ? [kind] : undefined
  }

  // Most calls return something new.
  #returned (node: Node, steps: number): GlobalPath | undefined {
    const [first] = listOf(node.arguments)
    const called = this.pathOf(node.callee, steps)?.join('.') ?? ''
    if (PROTOTYPES_OF.has(called)) {
      const path = this.pathOf(first, steps)
      return path && (path[1] === 'instance' ? [path[0] ?? '', 'prototype'] : [...path, '__proto__'])
    }
    if (called === 'require' || called === 'process.getBuiltinModule') return moduleNamed(first)
    // An assertion belongs to the test library.
    if (/^(?:expect|module (?:vitest|chai|@jest\/globals|bun:test))\b/.test(called)) return [called, '()']
    return isIterator(node) ? ['Iterator', 'instance'] : undefined
  }

  #declare (node: Node): void {
    if (node.type === 'ImportDeclaration') {
      const path = moduleNamed(node.source)
      for (const specifier of listOf(node.specifiers)) {
        const imported = specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : undefined
        this.#know(specifier.local, () => path && (imported === undefined || imported === 'default' ? path : [...path, imported]))
      }
    } else if (node.type === 'VariableDeclarator') {
      this.#pattern(node.id, steps => this.pathOf(node.init, steps))
    } else if (node.type === 'ForOfStatement') {
      const [declared] = listOf((node.left as Node).declarations)
      const items = bare(node.right)
      if (declared && items?.type === 'ArrayExpression') this.#pattern(declared.id, steps => this.#firstOf(listOf(items.elements), steps))
    } else if (/^(?:Function|Class)/.test(node.type) || node.type === 'ArrowFunctionExpression' || node.type === 'TSEnumDeclaration') {
      if (isNode(node.id)) this.#know(node.id, () => undefined)
      for (const parameter of listOf(node.params)) this.#pattern(parameter, () => undefined)
    } else if (node.type === 'CatchClause') {
      this.#pattern(node.param, () => undefined)
    }
  }

  // The first global item. Lists may contain each other, so only a few items and steps are tried.
  #firstOf (items: Node[], steps: number): GlobalPath | undefined {
    for (const item of items.slice(0, MAX_ITEMS)) {
      const path = this.pathOf(item, Math.min(steps, MAX_ITEM_STEPS))
      if (path) return path
    }
    return undefined
  }

  #pattern (pattern: unknown, path: (steps: number) => GlobalPath | undefined): void {
    const node = bare(pattern)
    if (!node) return
    if (node.type === 'Identifier') this.#know(node, path)
    if (node.type === 'AssignmentPattern') this.#pattern(node.left, path)
    if (node.type === 'RestElement') this.#pattern(node.argument, () => undefined)
    if (node.type === 'TSParameterProperty') this.#pattern(node.parameter, path)
    if (node.type === 'ArrayPattern') for (const element of listOf(node.elements)) this.#pattern(element, () => undefined)
    if (node.type !== 'ObjectPattern') return
    for (const property of listOf(node.properties)) {
      const name = nameOf(property.key, property.computed === true) ?? '*'
      if (property.type === 'RestElement') this.#pattern(property.argument, () => undefined)
      else this.#pattern(property.value, steps => { const within = path(steps); return within && [...within, name] })
    }
  }

  #know (identifier: unknown, path: (steps: number) => GlobalPath | undefined): void {
    const name = nameOf(identifier)
    // Of two with the same name, the global one counts.
    if (name !== undefined && (!this.#known.has(name) || this.#known.get(name)?.(1) === undefined)) this.#known.set(name, path)
  }
}

/** The path of an imported module; undefined for a file of the job. */
export function moduleNamed (source: unknown): GlobalPath | undefined {
  const node = bare(source)
  const name = node?.type === 'Literal' ? String(node.value) : ''
  if (name === '' || /^[./#]/.test(name)) return undefined
  const plain = name.replace(/^node:/, '')
  return [plain === 'process' ? plain : `module ${plain}`]
}

function isIterator (node: Node): boolean {
  const callee = bare(node.callee)
  return callee?.type === 'MemberExpression' && nameOf(callee.property, callee.computed === true) === 'Symbol.iterator'
}
