// What the names of one file stand for, as far as its text tells: its own, or something that it shares with its tests. One
// list for the whole file is exact enough: what is told only lowers how far a result is relied on.
import { type Node, bare, isNode, listOf, nameOf, nodesIn } from './tree.js'

/** Where something shared lies: `['Array', 'prototype']`, `['module node:assert']`; `*` is a name that is computed. */
export type Place = string[]

const GLOBAL_OBJECTS = new Set(['globalThis', 'window', 'self', 'global'])
const LITERALS: Record<string, string> = { ArrayExpression: 'Array', TemplateLiteral: 'String', RegExpLiteral: 'RegExp', ArrowFunctionExpression: 'Function' }
const PROTOTYPES_OF = new Set(['Object.getPrototypeOf', 'Reflect.getPrototypeOf'])
const MAX_STEPS = 20
const MAX_ITEMS = 8
const MAX_ITEM_STEPS = 3

export class Scope {
  readonly #known = new Map<string, (steps: number) => Place | undefined>()

  constructor (root: Node) {
    for (const { node } of nodesIn(root)) this.#declare(node)
  }

  /** The shared thing that an expression names; undefined where it is the file's own, or nobody can say. */
  placeOf (value: unknown, steps = MAX_STEPS): Place | undefined {
    const node = bare(value)
    if (!node || steps <= 0) return undefined
    if (node.type === 'Identifier') {
      const name = String(node.name)
      const known = this.#known.get(name)
      return known ? known(steps - 1) : GLOBAL_OBJECTS.has(name) ? [] : [name]
    }
    if (node.type === 'MemberExpression') return this.#member(node, steps - 1)
    if (node.type === 'CallExpression') return this.#given(node, steps - 1)
    if (node.type === 'AssignmentExpression' || node.type === 'LogicalExpression') return this.placeOf(node.right, steps - 1)
    if (node.type === 'Literal' && typeof node.value === 'string') return ['String', 'instance']
    const kind = LITERALS[node.type]
    return kind === undefined ? undefined : [kind, 'instance']
  }

  #member (node: Node, steps: number): Place | undefined {
    const within = this.placeOf(node.object, steps)
    if (!within) return undefined
    const name = nameOf(node.property, node.computed === true) ?? '*'
    if (within.length === 0 && GLOBAL_OBJECTS.has(name)) return within
    // `[].constructor.prototype` and `[].__proto__` are Array's.
    if (within[1] === 'instance') return name === '__proto__' ? [within[0] ?? '', 'prototype'] : name === 'constructor' ? [within[0] ?? ''] : undefined
    return [...within, name]
  }

  // Most calls give something new. A prototype is what it was.
  #given (node: Node, steps: number): Place | undefined {
    const [first] = listOf(node.arguments)
    const called = this.placeOf(node.callee, steps)?.join('.') ?? ''
    if (PROTOTYPES_OF.has(called)) {
      const place = this.placeOf(first, steps)
      return place && (place[1] === 'instance' ? [place[0] ?? '', 'prototype'] : [...place, '__proto__'])
    }
    if (called === 'require' || called === 'process.getBuiltinModule') return moduleNamed(first)
    // What the words of tests give is theirs.
    if (/^(?:expect|module (?:vitest|chai|@jest\/globals|bun:test))\b/.test(called)) return [called, '()']
    return isIterator(node) ? ['Iterator', 'instance'] : undefined
  }

  #declare (node: Node): void {
    if (node.type === 'ImportDeclaration') {
      const place = moduleNamed(node.source)
      for (const specifier of listOf(node.specifiers)) {
        const imported = specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : undefined
        this.#know(specifier.local, () => place && (imported === undefined || imported === 'default' ? place : [...place, imported]))
      }
    } else if (node.type === 'VariableDeclarator') {
      this.#pattern(node.id, steps => this.placeOf(node.init, steps))
    } else if (node.type === 'ForOfStatement') {
      const [declared] = listOf((node.left as Node).declarations)
      const items = bare(node.right)
      if (declared && items?.type === 'ArrayExpression') this.#pattern(declared.id, steps => this.#anyOf(listOf(items.elements), steps))
    } else if (/^(?:Function|Class)/.test(node.type) || node.type === 'ArrowFunctionExpression' || node.type === 'TSEnumDeclaration') {
      if (isNode(node.id)) this.#know(node.id, () => undefined)
      for (const parameter of listOf(node.params)) this.#pattern(parameter, () => undefined)
    } else if (node.type === 'CatchClause') {
      this.#pattern(node.param, () => undefined)
    }
  }

  // A list may name itself, and what it names another: no more than a few of it, and not far.
  #anyOf (items: Node[], steps: number): Place | undefined {
    for (const item of items.slice(0, MAX_ITEMS)) {
      const place = this.placeOf(item, Math.min(steps, MAX_ITEM_STEPS))
      if (place) return place
    }
    return undefined
  }

  #pattern (pattern: unknown, place: (steps: number) => Place | undefined): void {
    const node = bare(pattern)
    if (!node) return
    if (node.type === 'Identifier') this.#know(node, place)
    if (node.type === 'AssignmentPattern') this.#pattern(node.left, place)
    if (node.type === 'RestElement') this.#pattern(node.argument, () => undefined)
    if (node.type === 'TSParameterProperty') this.#pattern(node.parameter, place)
    if (node.type === 'ArrayPattern') for (const element of listOf(node.elements)) this.#pattern(element, () => undefined)
    if (node.type !== 'ObjectPattern') return
    for (const property of listOf(node.properties)) {
      const name = nameOf(property.key, property.computed === true) ?? '*'
      if (property.type === 'RestElement') this.#pattern(property.argument, () => undefined)
      else this.#pattern(property.value, steps => { const within = place(steps); return within && [...within, name] })
    }
  }

  #know (identifier: unknown, place: (steps: number) => Place | undefined): void {
    const name = nameOf(identifier)
    // Of two by the same name the one that stands for something shared counts.
    if (name !== undefined && (!this.#known.has(name) || this.#known.get(name)?.(1) === undefined)) this.#known.set(name, place)
  }
}

/** Undefined for a file of the job's own. */
export function moduleNamed (source: unknown): Place | undefined {
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
