// What a program does that reaches for its tests, or for what they stand on: each rule with an example, which is its test. Honest
// code does some of it, too: a finding lowers how far a result is relied on, and says why.
import { type Place, type Scope, moduleNamed } from './scope.js'
import { type Around, type Node, bare, listOf, nameOf } from './tree.js'

export interface Rule {
  example: string
  /** In plain words, as the end of a sentence; undefined where there is nothing to tell. */
  find: (node: Node, scope: Scope, around: Around | undefined) => string | undefined
}

const TEST_LIBRARIES = /^(?:vitest|@vitest|@jest|jest|bun:test|mocha|chai|test|expect|sinon)(?:\/|$)/
const TEST_WORDS = new Set(['expect', 'it', 'test', 'describe', 'suite', 'vi', 'jest', 'beforeEach', 'afterEach', 'beforeAll', 'afterAll'])
const TEST_FILE = /(?:^|[./_])(?:test|spec)\.[cm]?[jt]sx?$/
/** Modules that show or change how the engine runs everything; of some only these words. */
const ENGINE: Record<string, RegExp> = { inspector: /./, module: /^(?:register|registerHooks|_load|_resolveFilename|_extensions|_cache)$/, v8: /^(?:promiseHooks|setFlagsFromString|startupSnapshot)$/, async_hooks: /^createHook$/ }
// Programs set these, and nothing that tests stand on is changed by it.
const SETTINGS = /^(?:process\.(?:env|exitCode|title|argv)|Deno\.exitCode|Error\.stackTraceLimit|(?:document|location|history|module|exports|navigator)(?:\.|$))|\.defaultMaxListeners$/
// Whatever has one is asked by assertions and by the language.
const ANSWERS = new Set(['asymmetricMatch', '$$typeof', 'toAsymmetricMatcher', 'nodeType', 'isEqualNode', 'Symbol.hasInstance'])
const RISKY = new Set([...ANSWERS, 'then', '*', 'constructor', '__proto__', 'negate', 'Symbol.toStringTag', 'Symbol.iterator', 'Symbol.species', 'Symbol.toPrimitive'])
const WITH_JSON = new Set(['BigInt', 'Map', 'Set', 'RegExp', 'Error', 'Symbol'])
const CHANGERS = /^(?:Object\.(?:define(?:Property|Properties)|assign|setPrototypeOf|freeze|seal|preventExtensions)|Reflect\.(?:set|defineProperty|deleteProperty|setPrototypeOf))$/
const EXITS = /^(?:process|Deno)\.(?:exit|abort|kill|reallyExit)$|^close$/
const HOST_ONLY = new Set(['Deno', 'Bun', 'require', '__dirname', '__filename', 'dispatchEvent', 'addEventListener', 'close', 'prompt', ...TEST_WORDS])

const shown = (place: Place) => place.join('.').replace(/^module /, '').replace(/\.\*/g, '[...]')

/** What is wrong with setting that name there. */
function changing (place: Place | undefined, name: string | undefined): string | undefined {
  if (!place) return undefined
  const key = name ?? '*'
  const whole = [...place, key]
  const [root = '', ...rest] = whole
  if (SETTINGS.test(whole.join('.')) || place[1] === 'instance') return undefined
  if (root.startsWith('module ')) return rest.length > 0 ? `it changes ${shown(whole)}, which its tests may stand on` : undefined
  if (key === '*' && place.length === 0) return 'it sets a global by a computed name'
  if (!HOST_ONLY.has(root) && !(root in globalThis)) return place.includes('__proto__') || place.includes('()') ? `it changes ${shown(whole)}, which is not its own` : undefined
  const isProgramsOwn = !isThere(place, key) && !RISKY.has(key) && !/^\d+$/.test(key) && root !== 'Object' && !HOST_ONLY.has(root)
  if (isProgramsOwn && (key !== 'toJSON' || WITH_JSON.has(root))) return undefined
  return `it changes ${shown(whole)}, which its tests may stand on`
}

// By the service's own: Node and Deno have the same of these.
function isThere (place: Place, key: string): boolean {
  let at: unknown = globalThis
  for (const name of place) {
    if (name === '__proto__' || at === undefined || at === null) return true
    at = Reflect.get(Object(at) as object, name)
  }
  return (typeof at === 'object' || typeof at === 'function') && at !== null ? key in at : true
}

function member (node: Node | undefined): [object: unknown, name: string | undefined] | undefined {
  return node?.type === 'MemberExpression' ? [node.object, nameOf(node.property, node.computed === true)] : undefined
}

function setting (target: unknown, scope: Scope): string | undefined {
  const node = bare(target)
  if (node?.type === 'Identifier') {
    const place = scope.placeOf(node)
    return place?.length === 1 ? changing([], place[0]) : undefined
  }
  const [object, name] = member(node) ?? []
  if (name !== undefined && ANSWERS.has(name)) return `it says itself what equals it (${name})`
  if (name === 'then') return 'it gives something a `then` of its own'
  if (name === '__proto__' && scope.placeOf(object)) return `it changes what ${shown(scope.placeOf(object) ?? [])} inherits from`
  return object === undefined ? undefined : changing(scope.placeOf(object), name)
}

const isConstant = (value: unknown): boolean => {
  const node = bare(value)
  return node?.type === 'Literal' || (node?.type === 'UnaryExpression' && isConstant(node.argument)) || node?.type === 'UpdateExpression'
}

/** What a function does nothing but give, where that is all of it. */
function onlyGiven (value: unknown): unknown {
  const node = bare(value)
  const body = bare(node?.body)
  if (body?.type !== 'BlockStatement') return node?.type === 'ArrowFunctionExpression' ? body : undefined
  const [only, ...more] = listOf(body.body)
  return only?.type === 'ReturnStatement' && more.length === 0 ? only.argument : undefined
}

function isInFunction (around: Around | undefined): boolean {
  for (let at = around; at; at = at.around) if (/Function|Method/.test(at.node.type) || /^(?:If|Conditional|Logical)/.test(at.node.type)) return true
  return false
}

export const RULES: Rule[] = [
  {
    example: 'import { expect } from \'vitest\'',
    find (node) {
      const source = /^(?:Import|Export)(?:Named|All)?(?:Declaration|Expression)$/.test(node.type) && node.importKind !== 'type' ? moduleNamed(node.source)?.[0]?.slice(7) : undefined
      return source !== undefined && TEST_LIBRARIES.test(source) ? `it imports what its tests are written with (${source})` : undefined
    }
  },
  {
    example: 'require(\'chai\').Assertion',
    find: (node, scope) => {
      const [root = '', word = ''] = node.type === 'CallExpression' || node.type === 'MemberExpression' ? scope.placeOf(node) ?? [] : []
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
      const place = scope.placeOf(node.type === 'CallExpression' ? node.callee : node)
      return place?.length === 1 && TEST_WORDS.has(place[0] ?? '') ? `it uses a word of its tests (${place[0] ?? ''})` : undefined
    }
  },
  { example: 'Array.prototype.push = () => 0', find: (node, scope) => node.type === 'AssignmentExpression' ? setting(node.left, scope) : undefined },
  { example: 'delete Array.prototype.at', find: (node, scope) => node.type === 'UnaryExpression' && node.operator === 'delete' ? setting(node.argument, scope) : undefined },
  {
    example: 'Object.defineProperty(globalThis, \'it\', { value: () => {} })',
    find (node, scope) {
      const called = node.type === 'CallExpression' ? scope.placeOf(node.callee)?.join('.') ?? '' : ''
      if (!CHANGERS.test(called)) return undefined
      const [target, key] = listOf(node.arguments)
      const name = nameOf(key, true)
      if (name !== undefined && ANSWERS.has(name)) return `it says itself what equals it (${name})`
      const place = scope.placeOf(target)
      const names = key?.type === 'ObjectExpression' && !/Property$/.test(called) ? listOf(key.properties).map(({ key, computed }) => nameOf(key, computed === true)) : [name]
      if (/setPrototypeOf|freeze|seal|prevent/.test(called)) return changing(place, '__proto__')
      return names.map(name => changing(place, name)).find(found => found !== undefined)
    }
  },
  {
    example: 'const a = { asymmetricMatch: () => true }',
    find (node) {
      const name = /^(?:Property|MethodDefinition|PropertyDefinition)$/.test(node.type) ? nameOf(node.key, node.computed === true) : undefined
      return name !== undefined && ANSWERS.has(name) ? `it says itself what equals it (${name})` : undefined
    }
  },
  {
    example: 'class A { equals (other) { return true } }',
    find (node) {
      const name = /^(?:Property|MethodDefinition|PropertyDefinition)$/.test(node.type) ? nameOf(node.key, node.computed === true) : undefined
      const isAsked = name === 'valueOf' || name === 'Symbol.toPrimitive' || name === 'equals' || name === 'isEqual'
      return isAsked && isConstant(onlyGiven(node.value)) ? `its ${name} looks at nothing` : undefined
    }
  },
  {
    example: 'process.exit(0)',
    find (node, scope, around) {
      const called = node.type === 'CallExpression' && !isInFunction(around) ? scope.placeOf(node.callee)?.join('.') ?? '' : ''
      return EXITS.test(called) ? `it ends the process when it is loaded (${called})` : undefined
    }
  },
  {
    example: 'Deno[Deno.internal]',
    find (node, scope) {
      const place = node.type === 'MemberExpression' ? scope.placeOf(node) ?? [] : []
      return /^(?:Deno\.(?:internal|\*)|process\.(?:binding|_linkedBinding)|Reflect\.ownKeys\.\*)$/.test(place.join('.')) ? `it reaches into the runtime (${shown(place)})` : undefined
    }
  },
  {
    example: 'Object.getOwnPropertySymbols(globalThis)',
    find (node, scope) {
      const called = node.type === 'CallExpression' ? scope.placeOf(node.callee)?.join('.') ?? '' : ''
      if (!/^(?:Object\.getOwnProperty(?:Symbols|Descriptors)|Reflect\.ownKeys)$/.test(called)) return undefined
      return scope.placeOf(listOf(node.arguments)[0])?.length === 0 ? 'it looks through all globals' : undefined
    }
  },
  {
    example: 'new Function(\'return 1\')',
    find (node, scope) {
      const called = node.type === 'CallExpression' || node.type === 'NewExpression' ? scope.placeOf(node.callee)?.join('.') : undefined
      return called === 'eval' || called === 'Function' ? 'it runs a text as code, which was not looked at' : undefined
    }
  },
  { example: 'const path = \'./a.test.ts\'', find: node => node.type === 'Literal' && typeof node.value === 'string' && TEST_FILE.test(node.value) ? `it names its tests (${node.value.slice(0, 100)})` : undefined },
  {
    example: 'process.on(\'uncaughtException\', () => {})',
    find (node) {
      const [first] = node.type === 'CallExpression' ? listOf(node.arguments) : []
      return first?.type === 'Literal' && /^(?:uncaughtException|unhandledRejection|unhandledrejection)$/.test(String(first.value)) ? `it listens to what fails unseen (${String(first.value)})` : undefined
    }
  }
]
