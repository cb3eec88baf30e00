import t from 'tap'
import type { AgentServices, Backend, BackendInfo, Language, Sandbox, Value } from '../../../agents/types.js'
import { SvcCode } from '../../../agents/svc-code/agent.js'
import { literalAt } from '../../../agents/svc-code/examples/literals.js'
import { PROFILES } from '../../../agents/svc-code/languages/index.js'
import type { Profile, Statement } from '../../../agents/svc-code/languages/profile.js'

// A third language of lines `let NAME PARAM = EXPRESSION`. It is this one object: nothing in the agent knows of it.

const LINE = /^let (\w+) (\w+) = (\S.*)$/

const statements = (source: string): Statement[] => source.split('\n').map(text => {
  const name = LINE.exec(text)?.[1]
  return name === undefined ? { text, kind: text.trim() === '' ? 'comment' : 'run', names: [] } : { text, kind: 'definition', names: [name] }
})
const wordsOf = (source: string) => source.match(/[a-z]\w*/g) ?? []

const TOY: Profile = {
  id: 'toy' as Language,
  name: 'Toy',
  tags: ['toy'],
  endings: ['.toy'],
  tagOf: () => 'toy',
  endingFor: () => '.toy',
  runs: path => path.endsWith('.toy'),
  looksLike: source => source.split('\n').some(line => LINE.test(line)),
  begins: line => LINE.test(line),
  goesOn: line => LINE.test(line),
  statements,
  isStub: () => false,
  isUnfinished: source => source.trimEnd().endsWith('='),
  mainOf: all => all.flatMap(({ names }) => names).at(-1),
  parametersOf: (source, name) => {
    const line = source.split('\n').map(text => LINE.exec(text)).find(match => match?.[1] === name)
    return line?.[2] === undefined ? undefined : [line[2]]
  },
  calledBy: wordsOf,
  importsOf: () => [],
  natureOf: () => 'definitions',
  reachesOut: () => false,
  isPlain: () => false,
  isHintedIn: () => false,
  localModule: () => undefined,
  readsInput: () => false,
  readsArguments: () => false,
  withImports: source => source,
  loadable: source => source,
  bare: source => source,
  mend: source => source,
  splice: (_, change) => change,
  leftOut: () => [],
  word: () => undefined,
  number: source => source,
  text: source => source,
  keyOf: word => word,
  hasTuples: false,
  assertionsIn: () => [],
  sessionsIn: () => [],
  truth: expression => expression,
  equal: (left, right) => `${left} - ${right}`,
  nothing: { files: { 'nothing.toy': '' }, expression: '0' },
  isTestFile: path => path?.endsWith('.test.toy') ?? false,
  testPath: path => path.replace('.toy', '.test.toy'),
  suite: () => null,
  importing: test => test,
  comment: text => `; ${text}`,
  fileFor: name => `${name ?? 'main'}.toy`,
  testFolder: path => path,
  fromFolder: test => test,
  exportsOf: () => true,
  linked: source => source,
  hidesSrc: false,
  moduleOf: path => path,
  slips: new Set(),
  isNowhere: () => false,
  words: { style: 'One line a function.', asserts: () => 'none', suite: () => 'none', planned: 'double.toy - doubles - double' }
}

/** Sums and products of whole numbers, names and calls, from the left to the right. */
function valueOf (expression: string, program: string, scope: Readonly<Record<string, number>> = {}): number {
  const [first = '', ...rest] = expression.trim().split(/ (?=[-+*] )/)
  return rest.reduce((sum, step) => {
    const right = atom(step.slice(2), program, scope)
    return step.startsWith('+') ? sum + right : step.startsWith('-') ? sum - right : sum * right
  }, atom(first, program, scope))
}

function atom (text: string, program: string, scope: Readonly<Record<string, number>>): number {
  const call = /^(\w+)\(([^()]+)\)$/.exec(text.trim())
  if (!call) return scope[text.trim()] ?? Number(text)
  const line = program.split('\n').map(each => LINE.exec(each)).find(match => match?.[1] === call[1])
  if (!line) throw new Error(`there is no ${call[1] ?? ''}`)
  return valueOf(line[3] ?? '', program, { [line[2] ?? '']: valueOf(call[2] ?? '', program, scope) })
}

const sandbox: Sandbox = {
  format: async ({ files }) => files,
  check: async () => ({ diagnostics: [], missing: [], unchecked: [] }),
  test: async () => { throw new Error('the toy language has no tests') },
  run: async () => { throw new Error('nothing of the toy language is started') },
  evaluate: async ({ files, calls }) => calls.map(({ expression }) => {
    const value: Value = { type: 'int', value: String(valueOf(expression, Object.values(files).join('\n'))) }
    return { type: 'returned', value, output: '' }
  }),
  warm: () => {},
  prove: async () => ({ state: 'ready', problem: null }),
  info: () => ({ state: 'ready', problem: null })
}

const INFO: BackendInfo = { kind: 'scripted', url: null, model: 'm', context: 8192, slots: 1, reason: null, problem: null, remedy: null }

function scripted (replies: string[]): Backend & { steps: string[] } {
  const steps: string[] = []
  return {
    steps,
    async * chat ({ step }) {
      steps.push(step)
      yield { type: 'fragment', text: replies[Math.min(steps.length, replies.length) - 1] ?? '' }
      yield { type: 'usage', prompt_tokens: 1, completion_tokens: 1 }
      yield { type: 'finish', reason: 'stop' }
    },
    countTokens: async messages => messages.reduce((sum, { content }) => sum + content.length, 0),
    info: async () => INFO,
    async * ready () { return INFO }, // eslint-disable-line require-yield -- it is ready
    close: async () => {}
  }
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const fence = (code: string) => `\`\`\`toy\n${code}\n\`\`\``

void t.test('a third language is one more profile: a wrong draft is found by the examples, and the right one is verified', async t => {
  t.same(literalAt('8', 0)?.end, 1)
  const backend = scripted([`Here it is.\n\n${fence('let double n = n + n + 1')}`, fence('let double n = n * 2')])
  const services: AgentServices = { backend, sandbox, log: silent }
  const agent = new SvcCode({}, services, [...PROFILES, TOY])
  const content = 'Write a function `double` in the toy language. double(4) == 8, double(0) == 0 and double(7) == 14.'
  let text = ''
  for await (const event of agent.reply({ messages: [{ role: 'user', content }], temperature: 0.7, top_p: 1 }, new AbortController().signal, { id: 'run-1', log: silent })) {
    if (typeof event === 'string') text += event
  }
  t.match(text, /```toy\n[^`]*let double n = n \* 2/)
  t.notMatch(text, 'n + n + 1')
  t.match(text, 'double.toy')
  t.match(text, /verified/i)
  t.ok(backend.steps.length >= 2, backend.steps.join())
})
