// Rules that find code which may interfere with its tests. Each has an example, which is its test. Honest code does some of this, too: a
// finding only keeps a pass from being vouched for, and says why.
import { type GlobalPath, type Scope, moduleNamed } from './scope.js'
import { type Around, type Node, bare, listOf, nameOf } from './tree.js'

export interface Rule {
  example: string
  /** What the code does, as the end of a sentence; undefined where the rule finds nothing. */
  find: (node: Node, scope: Scope, around: Around | undefined) => string | undefined
}

const TEST_LIBRARIES = /^(?:vitest|@vitest|@jest|jest|bun:test|mocha|chai|test|expect|sinon)(?:\/|$)/
const TEST_WORDS = new Set(['expect', 'it', 'test', 'describe', 'suite', 'vi', 'jest', 'beforeEach', 'afterEach', 'beforeAll', 'afterAll'])
const TEST_FILE = /(?:^|[./_])(?:test|spec)\.[cm]?[jt]sx?$/
/** Exports of Node's modules that observe or change how everything runs. */
const ENGINE: Record<string, RegExp> = {
  inspector: /./,
  module: /^(?:register|registerHooks|_load|_resolveFilename|_extensions|_cache)$/,
  v8: /^(?:promiseHooks|setFlagsFromString|startupSnapshot)$/,
  async_hooks: /^createHook$/
}
// Programs set these, and tests do not rely on them.
const SETTINGS = new RegExp([
  /^process\.(?:env|exitCode|title|argv)|^Deno\.exitCode|^Error\.stackTraceLimit|\.defaultMaxListeners$/,
  /^(?:document|location|history|module|exports|navigator)(?:\.|$)/
].map(({ source }) => source).join('|'))
// Assertions and the language ask an object with one of these what equals it.
const ANSWERS = new Set(['asymmetricMatch', '$$typeof', 'toAsymmetricMatcher', 'nodeType', 'isEqualNode', 'Symbol.hasInstance'])
const RISKY = new Set([
  ...ANSWERS, 'then', '*', 'constructor', '__proto__', 'negate',
  'Symbol.toStringTag', 'Symbol.iterator', 'Symbol.species', 'Symbol.toPrimitive'
])
const WITH_JSON = new Set(['BigInt', 'Map', 'Set', 'RegExp', 'Error', 'Symbol'])
const CHANGERS = new RegExp([
  /^Object\.(?:define(?:Property|Properties)|assign|setPrototypeOf|freeze|seal|preventExtensions)$/,
  /^Reflect\.(?:set|defineProperty|deleteProperty|setPrototypeOf)$/
].map(({ source }) => source).join('|'))
const EXITS = /^(?:process|Deno)\.(?:exit|abort|kill|reallyExit)$|^close$/
const INSIDE = /^(?:Deno\.(?:internal|\*)|process\.(?:binding|_linkedBinding)|Reflect\.ownKeys\.\*)$/
// Globals of Deno and of the runner, which the service's own process does not have.
const RUNNER_ONLY = new Set([
  'Deno', 'Bun', 'require', '__dirname', '__filename', 'dispatchEvent', 'addEventListener', 'close', 'prompt', ...TEST_WORDS
])

const shown = (path: GlobalPath) => path.join('.').replace(/^module /, '').replace(/\.\*/g, '[...]')

/** The dotted name of what is called: `Object.assign`. */
const calledIn = (node: Node, scope: Scope) => node.type === 'CallExpression' ? scope.pathOf(node.callee)?.join('.') ?? '' : ''

/** The name of a property or method that the node defines. */
function keyIn (node: Node): string | undefined {
  const isMember = /^(?:Property|MethodDefinition|PropertyDefinition)$/.test(node.type)
  return isMember ? nameOf(node.key, node.computed === true) : undefined
}

/** The doubt about code that sets a name of something global. */
function changing (path: GlobalPath | undefined, name: string | undefined): string | undefined {
  if (!path) return undefined
  const key = name ?? '*'
  const whole = [...path, key]
  const [root = '', ...rest] = whole
  const doubt = `it changes ${shown(whole)}, which its tests may stand on`
  if (SETTINGS.test(whole.join('.')) || path[1] === 'instance') return undefined
  if (root.startsWith('module ')) return rest.length > 0 ? doubt : undefined
  if (key === '*' && path.length === 0) return 'it sets a global by a computed name'
  if (!RUNNER_ONLY.has(root) && !(root in globalThis)) {
    return path.includes('__proto__') || path.includes('()') ? `it changes ${shown(whole)}, which is not its own` : undefined
  }
  const isNew = !exists(path, key) && !RISKY.has(key) && !/^\d+$/.test(key) && root !== 'Object' && !RUNNER_ONLY.has(root)
  return isNew && (key !== 'toJSON' || WITH_JSON.has(root)) ? undefined : doubt
}

// Whether the service's own globals have it. Those of Node and Deno are the same in this.
function exists (path: GlobalPath, key: string): boolean {
  let at: unknown = globalThis
  for (const name of path) {
    if (name === '__proto__' || at === undefined || at === null) return true
    at = Reflect.get(Object(at) as object, name)
  }
  return (typeof at === 'object' || typeof at === 'function') && at !== null ? key in at : true
}

/** The doubt about an assignment to `target`, or its removal. */
function setting (target: unknown, scope: Scope): string | undefined {
  const node = bare(target)
  if (node?.type === 'Identifier') {
    const path = scope.pathOf(node)
    return path?.length === 1 ? changing([], path[0]) : undefined
  }
  if (node?.type !== 'MemberExpression') return undefined
  const { object } = node
  const name = nameOf(node.property, node.computed === true)
  if (name !== undefined && ANSWERS.has(name)) return `it says itself what equals it (${name})`
  if (name === 'then') return 'it gives something a `then` of its own'
  if (name === '__proto__' && scope.pathOf(object)) return `it changes what ${shown(scope.pathOf(object) ?? [])} inherits from`
  return changing(scope.pathOf(object), name)
}

const isConstant = (value: unknown): boolean => {
  const node = bare(value)
  return node?.type === 'Literal' || (node?.type === 'UnaryExpression' && isConstant(node.argument)) || node?.type === 'UpdateExpression'
}

/** The value that a function returns, if it does nothing else. */
function onlyReturned (value: unknown): unknown {
  const node = bare(value)
  const body = bare(node?.body)
  if (body?.type !== 'BlockStatement') return node?.type === 'ArrowFunctionExpression' ? body : undefined
  const [only, ...more] = listOf(body.body)
  return only?.type === 'ReturnStatement' && more.length === 0 ? only.argument : undefined
}

/** Whether code runs only when a function is called, or on a condition. */
function isConditional (around: Around | undefined): boolean {
  for (let at = around; at; at = at.around) if (/Function|Method|^(?:If|Conditional|Logical)/.test(at.node.type)) return true
  return false
}

export const RULES: Rule[] = [
  {
    example: 'import { expect } from \'vitest\'',
    find (node) {
      const isImport = /^(?:Import|Export)(?:Named|All)?(?:Declaration|Expression)$/.test(node.type) && node.importKind !== 'type'
      const name = isImport ? moduleNamed(node.source)?.[0]?.slice(7) : undefined
      return name !== undefined && TEST_LIBRARIES.test(name) ? `it imports what its tests are written with (${name})` : undefined
    }
  },
  {
    example: 'require(\'chai\').Assertion',
    find: (node, scope) => {
      const [root = '', word = ''] = node.type === 'CallExpression' || node.type === 'MemberExpression' ? scope.pathOf(node) ?? [] : []
      const name = root.slice(7)
      if (!root.startsWith('module ')) return undefined
      if (node.type === 'CallExpression' && TEST_LIBRARIES.test(name)) return `it loads what its tests are written with (${name})`
      return ENGINE[name]?.test(word) === true ? `it changes how the engine runs its tests (${name}.${word})` : undefined
    }
  },
  {
    example: 'import { registerHooks } from \'node:module\'',
    find (node) {
      const name = node.type === 'ImportDeclaration' ? moduleNamed(node.source)?.[0]?.slice(7) ?? '' : ''
      const word = listOf(node.specifiers).map(({ imported }) => nameOf(imported) ?? '').find(word => ENGINE[name]?.test(word))
      return word === undefined ? undefined : `it changes how the engine runs its tests (${name}.${word})`
    }
  },
  {
    example: 'expect(1).toBe(1)',
    find (node, scope) {
      if (node.type !== 'CallExpression' && node.type !== 'MemberExpression') return undefined
      const path = scope.pathOf(node.type === 'CallExpression' ? node.callee : node)
      return path?.length === 1 && TEST_WORDS.has(path[0] ?? '') ? `it uses a word of its tests (${path[0] ?? ''})` : undefined
    }
  },
  {
    example: 'Array.prototype.push = () => 0',
    find: (node, scope) => node.type === 'AssignmentExpression' ? setting(node.left, scope) : undefined
  },
  {
    example: 'delete Array.prototype.at',
    find: (node, scope) => node.type === 'UnaryExpression' && node.operator === 'delete' ? setting(node.argument, scope) : undefined
  },
  {
    example: 'Object.defineProperty(globalThis, \'it\', { value: () => {} })',
    find (node, scope) {
      const called = calledIn(node, scope)
      if (!CHANGERS.test(called)) return undefined
      const [target, key] = listOf(node.arguments)
      const name = nameOf(key, true)
      if (name !== undefined && ANSWERS.has(name)) return `it says itself what equals it (${name})`
      const path = scope.pathOf(target)
      if (/setPrototypeOf|freeze|seal|prevent/.test(called)) return changing(path, '__proto__')
      const isList = key?.type === 'ObjectExpression' && !/Property$/.test(called)
      const names = isList ? listOf(key.properties).map(({ key, computed }) => nameOf(key, computed === true)) : [name]
      return names.map(name => changing(path, name)).find(found => found !== undefined)
    }
  },
  {
    example: 'const a = { asymmetricMatch: () => true }',
    find (node) {
      const name = keyIn(node)
      return name !== undefined && ANSWERS.has(name) ? `it says itself what equals it (${name})` : undefined
    }
  },
  {
    example: 'class A { equals (other) { return true } }',
    find (node) {
      const name = keyIn(node)
      const isComparison = name === 'valueOf' || name === 'Symbol.toPrimitive' || name === 'equals' || name === 'isEqual'
      return isComparison && isConstant(onlyReturned(node.value)) ? `its ${name} looks at nothing` : undefined
    }
  },
  {
    example: 'process.exit(0)',
    find (node, scope, around) {
      const called = calledIn(node, scope)
      return EXITS.test(called) && !isConditional(around) ? `it ends the process when it is loaded (${called})` : undefined
    }
  },
  {
    example: 'Deno[Deno.internal]',
    find (node, scope) {
      const path = node.type === 'MemberExpression' ? scope.pathOf(node) ?? [] : []
      return INSIDE.test(path.join('.')) ? `it reaches into the runtime (${shown(path)})` : undefined
    }
  },
  {
    example: 'const path = \'./a.test.ts\'',
    find (node) {
      const text = node.type === 'Literal' && typeof node.value === 'string' ? node.value : ''
      return TEST_FILE.test(text) ? `it names its tests (${text.slice(0, 100)})` : undefined
    }
  }
]
