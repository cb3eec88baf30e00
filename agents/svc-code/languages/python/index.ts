import { assertionsIn } from './assertions.js'
import { sessionsIn } from './doctests.js'
import { mend, withImports } from './mend.js'
import { bare, leftOut, loadable, natureOf, reachesOut, readsArguments, readsInput } from './nature.js'
import { begins, goesOn, isStub, isUnfinished, looksLike } from './reading.js'
import { calledBy, importsOf, mainOf, parametersOf, statementsOf } from './statements.js'
import { importing, isTestFile, moduleOf, suite, testPath } from './tests.js'
import { splice } from '../splice.js'
import type { Profile } from '../profile.js'
import { PYTHON_MODULES } from '../standard-names.js'
import { hasAny } from '../requested-language.js'
import { PYTHON_WORDS } from '../words.js'

const WORDS: Record<string, string> = {
  true: 'True', false: 'False', null: 'None', undefined: 'None', NaN: "float('nan')", Infinity: "float('inf')"
}

export const PYTHON: Profile = {
  id: 'python',
  name: 'Python',
  tags: ['python', 'py', 'python3', 'python2', 'py3', 'ipython', 'pycon', 'py:run'],
  endings: ['.py', '.pyi'],
  tagOf: () => 'python',
  endingFor: () => '.py',
  runs: path => path.endsWith('.py'),

  looksLike, begins, goesOn, statements: statementsOf, isStub, isUnfinished, mainOf, parametersOf, calledBy, importsOf,
  natureOf, readsInput, readsArguments, reachesOut,
  isPlain: source => importsOf(source).length === 0,
  isHintedIn: text => hasAny(text, PYTHON_WORDS),
  localModule: (source, names) => {
    const own = importsOf(source).filter(name => !PYTHON_MODULES.has(name.split('.', 1)[0] ?? '') && name !== 'pytest')
    const [first] = [...own.filter(name => names.includes(name)), ...own]
    return first === undefined ? undefined : `${first.replace(/^\.+/, '').replaceAll('.', '/')}.py`
  },

  loadable, bare, mend, withImports, splice: (earlier, change) => splice(earlier, change, statementsOf), leftOut,

  word: word => WORDS[word] ?? (['True', 'False', 'None'].includes(word) ? word : undefined),
  number: source => source.replace(/n$/, ''),
  text: source => source,
  keyOf: word => `'${word}'`,
  hasTuples: true,
  assertionsIn, sessionsIn,
  truth: expression => `bool(${expression})`,
  equal: (left, right) => `bool((${left}) == (${right}))`,
  nothing: { files: { 'nothing.py': '\n' }, expression: 'None' },
  isTestFile, testPath, suite, importing,

  fileFor: (name, source) => {
    const plain = name === undefined || name === 'main'
      ? undefined
      : name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase().replace(/^_+/, '')
    const stem = plain ?? (natureOf(source) === 'server' ? 'app' : 'main')
    return importsOf(source).some(module => module.split('.', 1)[0] === stem) || PYTHON_MODULES.has(stem) ? `my_${stem}.py` : `${stem}.py`
  },
  moduleOf,
  testFolder: path => `tests/${path.slice(path.lastIndexOf('/') + 1)}`,
  fromFolder: test => test,
  exportsOf: path => !path.endsWith('__init__.py') && !path.endsWith('__main__.py'),
  linked: source => source,
  hidesSrc: true,
  comment: text => `# ${text}`,
  slips: new Set(['NameError', 'ImportError', 'ModuleNotFoundError', 'UnboundLocalError', 'SyntaxError', 'IndentationError']),
  isNowhere: code => ['F821', 'reportUndefinedVariable', 'reportAttributeAccessIssue'].includes(code),
  words: {
    style: 'Use type hints. Use the standard library only, unless the task names other packages.',
    asserts: entry => `one plain assert a line, such as \`assert ${entry}(...) == ...\`, with literal arguments and the exact expected `
      + 'value',
    suite: path => `pytest functions named \`test_...\` in plain asserts, importing from \`${moduleOf(path)}\``,
    planned: 'shop/prices.py - prices of goods - price(name: str) -> Decimal; class PriceList'
  }
}
