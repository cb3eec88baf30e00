import t from 'tap'
import { PROFILES } from '../../../agents/svc-code/languages/index.js'
import { type Call, say, startBackend } from '../../support/backend.js'
import { startService } from '../../support/service.js'

// Texts that once blocked the service for minutes or forever. A test that takes longer than the deadline fails.
const DEADLINE = 60_000

const BANNER = '/'.repeat(66)
const BLANK = '\n'.repeat(60_000)
const fence = (code: string, tag = 'typescript') => `\`\`\`${tag}\n${code}\n\`\`\``

const PROMPTS: Record<string, string> = {
  'a banner of slashes above a function': `Why does this fail?\n${fence(`${BANNER}\n// a helper\n${BANNER}\nfoo()\n`)}`,
  'a signature, spaces and one letter more': `def f(x):${' '.repeat(100_000)}x`,
  'brackets that close nothing': `Write def f${')'.repeat(60_000)}`,
  'an input of stars': `Write f.\ninput: ${'*'.repeat(60_000)}`,
  'no-break spaces': `React ${'\u00a0'.repeat(60_000)}Node`,
  'arguments on no line': `function f(a${BLANK} {`,
  'empty lines': `Write tests for\n${fence(`import x${BLANK}y`, 'python')}`
}

const REPLIES: Record<string, string> = {
  'a banner of slashes': fence(`${BANNER}\n// Sums.\n${BANNER}\nfoo()`),
  'arguments on no line': fence(`function f(a${BLANK} {`),
  'empty lines below the code': fence(`export const f = 1${BLANK}`),
  'a name of dollars': fence(`const a${'$'.repeat(60_000)}\nexport function g() {}`),
  'tags around nothing': '<code>\n'.repeat(10_000),
  'thoughts that end again and again': `${'</think>'.repeat(10_000)}\n${fence('export const f = 1')}`,
  'a program longer than 256 KiB': fence(Array.from({ length: 9000 }, (_, index) => `export const a${index} = ${index} // and so on\n`).join(''))
}

let reply = ''
const shared = startBackend(t, (call: Call) => say(reply)(call)).then(async backend =>
  await startService(t, { backendUrl: backend.url, agentOptions: { max_model_calls: 1 } }))

async function ask (content: string, system?: string): Promise<string> {
  const { client, url } = await shared
  const messages = [...(system === undefined ? [] : [{ role: 'system' as const, content: system }]), { role: 'user' as const, content }]
  const answered = client.chat.completions.create({ model: 'svc-code', messages }, { timeout: DEADLINE })
  let isAnswered = false
  const done = () => { isAnswered = true }
  answered.then(done, done)
  while (!isAnswered) {
    if (!(await fetch(`${url}/health`)).ok) throw new Error('the service is not healthy meanwhile')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  return (await answered).choices[0]?.message.content ?? ''
}

void t.test('no prompt stops the service', { timeout: 10 * DEADLINE }, async t => {
  reply = 'Here you are.'
  for (const [name, prompt] of Object.entries(PROMPTS)) t.not(await ask(prompt), '', name)
  t.equal(await ask('Hello', '<'.repeat(60_000)), 'Here you are.', 'angle brackets in the system message')
})

void t.test('no reply of the model stops the service', { timeout: 10 * DEADLINE }, async t => {
  for (const [name, text] of Object.entries(REPLIES)) {
    reply = text
    t.not(await ask('Write a TypeScript function `sum(numbers)`.'), '', name)
  }
})

void t.test('a program of more than 256 KiB is not examined: it is sent unchanged, without a verification', { timeout: DEADLINE }, async t => {
  reply = REPLIES['a program longer than 256 KiB'] ?? ''
  const text = await ask('Write a TypeScript function `sum(numbers)`.')
  t.ok(reply.startsWith(text), 'as much of it as max_output_tokens lets through')
  t.notMatch(text, /### /)
})

void t.test('a prompt of more than 128 KiB goes to the model as it is', { timeout: DEADLINE }, async t => {
  reply = 'Here you are.'
  t.equal(await ask(`Write a function f.${' '.repeat(130 * 1024)}Then stop.`), 'Here you are.')
})

void t.test('unusual quotes, comments and brackets are distinguished from code', async t => {
  const [python, typescript] = PROFILES
  const kinds = (source: string, id: 'python' | 'typescript') => (id === 'python' ? python : typescript)?.statements(source)
    .filter(({ kind }) => kind !== 'comment').map(({ kind, names }) => `${kind} ${names.join()}`)
  t.strictSame(kinds("const url = 'https://a.b'\nexport function f() {}", 'typescript'), ['binding url', 'definition f'], 'two slashes in a text are no comment')
  t.strictSame(kinds('@a\n@b({ c: 1 })\n\nclass D {}\nlet e = 1 + // one\n  2', 'typescript'), ['definition D', 'binding e'], 'decorators belong to what is below, operators to both lines')
  t.strictSame(kinds(`${BANNER}\n/* a */ // b\nconst f = 1`, 'typescript'), ['binding f'])
  t.strictSame(kinds('a = """\nb = 1\n"""\n@c\ndef d(\n): pass\n\n# e\nx = [\n1]', 'python'), ['binding a', 'definition d', 'binding x'])
  t.strictSame(kinds("a = '\\''\nb = \"it's\"\nc = 'don", 'python'), ['binding a', 'binding b', 'binding c'])
})
