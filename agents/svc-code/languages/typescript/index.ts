import type { Profile } from '../profile.js'
import { splice } from '../splice.js'
import { hasAny } from '../requested-language.js'
import { TYPESCRIPT_WORDS } from '../words.js'
import { assertionsIn } from './assertions.js'
import { linked } from './linked.js'
import { mend, withImports } from './mend.js'
import { bare, leftOut, loadable, natureOf, reachesOut, readsArguments, readsInput } from './nature.js'
import { begins, goesOn, isStub, isUnfinished, looksLike } from './reading.js'
import { importsOf } from './imports.js'
import { mainOf, parametersOf } from './signatures.js'
import { calledBy, statementsOf } from './statements.js'
import { importing, isTestFile, moduleOf, suite, testPath } from './tests.js'

const WORDS: Record<string, string> = { True: 'true', False: 'false', None: 'null' }
const PLAIN = ['true', 'false', 'null', 'undefined', 'NaN', 'Infinity']
const TAGS: Record<string, string> = {
  '.ts': 'typescript', '.mts': 'typescript', '.cts': 'typescript', '.tsx': 'tsx', '.js': 'javascript', '.mjs': 'javascript',
  '.cjs': 'javascript', '.jsx': 'jsx', '.vue': 'vue', '.svelte': 'svelte'
}
const RUNS = /\.[mc]?[jt]sx?$/
const NOWHERE = new Set(['2304', '2339', '2349', '2551', '2552'])
const ENDINGS: Record<string, string> = { javascript: '.js', node: '.js', ecmascript: '.js', deno: '.ts' }

export const TYPESCRIPT: Profile = {
  id: 'typescript',
  name: 'TypeScript',
  tags: ['typescript', 'ts', 'tsx', 'mts', 'cts', 'javascript', 'js', 'jsx', 'mjs', 'cjs', 'node', 'deno', 'vue', 'svelte'],
  endings: ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.vue', '.svelte'],
  tagOf: path => TAGS[path.slice(path.lastIndexOf('.'))] ?? 'typescript',
  endingFor: tag => ENDINGS[tag] ?? '.ts',
  runs: path => RUNS.test(path),

  looksLike, begins, goesOn, statements: statementsOf, isStub, isUnfinished, mainOf, parametersOf, calledBy, importsOf,
  natureOf, readsInput, readsArguments, reachesOut,
  isPlain: (source, tag) => importsOf(source).length === 0
    && ['typescript', 'ts', ''].includes(tag)
    && natureOf(source, '') === 'definitions',
  // The second pattern finds hooks (`useState`) and packages with a scope (`@scope/name`).
  isHintedIn: text => hasAny(text, TYPESCRIPT_WORDS) || /\buse[A-Z]\w|(?:^|\s)@[\w-]{1,50}\/\w/.test(text.slice(0, 8000)),
  localModule: source => {
    const own = importsOf(source).find(name => name.startsWith('.'))
    if (own === undefined) return undefined
    const plain = own.replace(/^(?:\.{1,2}\/)+/, '')
    if (!RUNS.test(plain)) return `${plain}.ts`
    return plain.endsWith('.js') ? `${plain.slice(0, -3)}.ts` : plain
  },

  loadable, bare, mend, withImports, splice: (earlier, change) => splice(earlier, change, statementsOf), leftOut,

  word: word => WORDS[word] ?? (PLAIN.includes(word) ? word : undefined),
  number: source => source,
  text: source => source.replace(/^[rbu](?=['"])/, ''),
  keyOf: word => word,
  hasTuples: false,
  assertionsIn,
  sessionsIn: () => [],
  truth: expression => `!!(${expression})`,
  equal: (left, right) => `JSON.stringify(${left}) === JSON.stringify(${right})`,
  nothing: { files: { 'nothing.ts': 'export {}\n' }, expression: 'undefined' },
  isTestFile, testPath, suite, importing,

  fileFor: (name, source) => {
    const stem = name === undefined || name === 'main' ? (natureOf(source, '') === 'server' ? 'server' : 'main') : name
    return importsOf(source).includes(stem) ? `my-${stem}.ts` : `${stem}.ts`
  },
  moduleOf,
  testFolder: path => `test/${path.slice(path.lastIndexOf('/') + 1)}`,
  fromFolder: (test, path) => test.replace(`'${moduleOf(path)}'`, `'../${path}'`),
  exportsOf: path => !(RUNS.test(path) && path.slice(path.lastIndexOf('/') + 1).startsWith('index.')),
  linked,
  hidesSrc: false,
  comment: text => `// ${text}`,
  slips: new Set(['ReferenceError', 'SyntaxError']),
  isNowhere: code => NOWHERE.has(code.replace('TS', '')),
  words: {
    style: 'Write strict TypeScript, export what the task asks for, and avoid `any`. Use no packages, unless the task names them.',
    asserts: entry => `one plain assert a line, such as \`assert.deepStrictEqual(${entry}(...), ...);\`, with literal arguments and the `
      + 'exact expected value',
    suite: path => `\`node:test\` and \`node:assert/strict\`, importing from \`${moduleOf(path)}\``,
    planned: 'src/prices.ts - prices of goods - export function price(name: string): number; export class PriceList'
  }
}
