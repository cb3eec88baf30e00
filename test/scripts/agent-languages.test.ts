import t from 'tap'
import { commandLine } from '../support/cli.js'
import { checkout } from '../support/checkout.js'
import { plugin, saying, tempFolder, write } from '../support/folders.js'

// By the built service: tests that run in its process have a TypeScript loader of their own.
const entry = (className: string) => ({ class_name: className, init_params: { word: 'given' }, description: 'Says a word' })
const register = (id: string, className: string) => `fastify.agents.register('${id}', ${JSON.stringify(entry(className))})`
const body = `modelInfo () { return { max_input_tokens: 1000, max_output_tokens: 500 } }
  async * reply () { yield this.word }`

const AGENTS: Record<string, Record<string, string>> = {
  mjs: { 'index.mjs': plugin('mjs', entry('mjs.agent.A')), 'agent.mjs': saying('given', 'A') },
  cjs: {
    'index.cjs': `module.exports = async function (fastify) { ${register('cjs', 'cjs.agent.A')} }`,
    'agent.cjs': `exports.A = class { constructor ({ word }) { this.word = word }\n${body} }`
  },
  // Nothing but the nearest package.json says what a .js file is.
  'js-module': { 'package.json': '{"type":"module"}', 'index.js': plugin('js-module', entry('js-module.agent.A')), 'agent.js': saying('given', 'A') },
  'js-commonjs': {
    'package.json': '{"type":"commonjs"}',
    'index.js': `const { A } = require('./agent.js')\nmodule.exports = async function (fastify) { ${register('js-commonjs', 'js-commonjs.agent.A')} }\nmodule.exports.A = A`,
    'agent.js': `exports.A = class { constructor ({ word }) { this.word = word }\n${body} }`
  },
  // As TypeScript's compiler and bundlers write CommonJS.
  compiled: {
    'index.cjs': `Object.defineProperty(exports, '__esModule', { value: true })\nexports.default = async function (fastify) { ${register('compiled', 'compiled.A')} }\nexports.A = class { constructor ({ word }) { this.word = word }\n${body} }`
  },
  ts: {
    'index.ts': `import type { FastifyInstance } from 'fastify'\nexport default async function (fastify: FastifyInstance): Promise<void> { ${register('ts', 'ts.agent.A')} }`,
    'agent.ts': `import { said } from './said.js'\nimport { alsoSaid } from './also-said.ts'\nimport { third } from './third'
enum Mood { Good = 'good' }
export class A {
  constructor (private readonly params: { word: string }) {}
  modelInfo (): { max_input_tokens: number, max_output_tokens: number } { return { max_input_tokens: 1000, max_output_tokens: 500 } }
  async * reply (): AsyncGenerator<string> { yield said(alsoSaid(third(this.params.word satisfies string as string))) + (Mood.Good === 'good' ? '' : '!') }
}`,
    'said.ts': 'export const said = (word: string): string => word\n',
    'also-said.ts': 'export const alsoSaid = (word: string): string => word\n',
    'third.ts': 'const wrong: number = \'a type error breaks nothing\'\nexport const third = (word: string): string => wrong ? word : word\n'
  },
  mts: {
    'index.mts': `export default async function (fastify: any): Promise<void> { ${register('mts', 'mts.A')} }
const word: string = await Promise.resolve('given')
if (!import.meta.url.startsWith('file:')) throw new Error('no URL')
export class A { word = word; ${body} }`
  },
  cts: { 'index.cts': `export default async function (fastify: any): Promise<void> { ${register('cts', 'cts.A')} }\nexport class A { word: string = 'given'; ${body} }` },
  mixed: { 'index.mjs': plugin('mixed', entry('mixed.lib.agent.A')), 'lib/agent/index.ts': `export class A { word: string = 'given'; ${body} }` }
}

void t.test('agents in TypeScript, ES modules and CommonJS are loaded as they lie there, type errors or not', async t => {
  const cli = commandLine(t)
  const dir = tempFolder(t)
  for (const [name, files] of Object.entries(AGENTS)) write(dir, Object.fromEntries(Object.entries(files).map(([file, text]) => [`${name}/${file}`, text])))
  const { command, post } = await cli.start(['--agents-dir', dir])
  t.same([...command.logged(/^ready/).models].sort(), ['svc-code', ...Object.keys(AGENTS)].sort())
  for (const model of Object.keys(AGENTS)) {
    const reply = await post({ model, messages: [{ role: 'user', content: 'x' }] })
    t.match(await reply.json(), { choices: [{ message: { content: 'given' } }] }, model)
  }
})

void t.test('TypeScript that is CommonJS may export its plugin by `export =`', async t => {
  const cli = commandLine(t)
  const dir = write(tempFolder(t), {
    'cts/index.cts': `export = Object.assign(async function (fastify: any): Promise<void> { ${register('cts', 'cts.A')} }, { A: class { word: string = 'given'; ${body} } })`
  })
  const { post } = await cli.start(['--agents-dir', dir])
  t.match(await (await post({ model: 'cts', messages: [{ role: 'user', content: 'x' }] })).json(), { choices: [{ message: { content: 'given' } }] })
})

void t.test('a TypeScript agent that cannot be parsed: exit 1 with folder, file and line', async t => {
  const cli = commandLine(t)
  const dir = write(tempFolder(t), { 'bad/index.ts': 'export default async function (fastify) {\n  const = 1\n}\n' })
  const { code, err } = await cli.run(['start', '--port', '0', '--agents-dir', dir])
  t.equal(code, 1)
  t.ok(err.includes(`${dir}/bad`))
  t.match(err, /index\.ts:2|index\.ts.*\(2[:,]|2:\d+/)
})

void t.test('a TypeScript agent that misses a module: exit 1 with folder and module', async t => {
  const cli = commandLine(t)
  const dir = write(tempFolder(t), { 'bad/index.ts': 'import { x } from \'not-installed-anywhere\'\nexport default async function () { x() }\n' })
  const { code, err } = await cli.run(['start', '--port', '0', '--agents-dir', dir])
  t.equal(code, 1)
  t.ok(err.includes(`${dir}/bad`))
  t.match(err, /not-installed-anywhere/)
})

void t.test('an agent in the project may import the contract\'s values from svc', async t => {
  const cli = commandLine(t)
  const root = checkout(t)
  const agent = `export class A { modelInfo () { return { max_input_tokens: 1000, max_output_tokens: 500 } }
  // eslint-disable-next-line require-yield
  async * reply () { throw new InputTooLong('far too long') } }\n`
  write(root, {
    'agents/refuses/index.ts': `import { type AgentEntry, InputTooLong } from 'svc'\nconst entry: AgentEntry = ${JSON.stringify(entry('refuses.A'))}\nexport default async (fastify: any) => { fastify.agents.register('refuses', entry) }\n${agent}`,
    'agents/refuses-js/index.mjs': `import { InputTooLong } from 'svc'\nexport default async fastify => { ${register('refuses-js', 'refuses-js.A')} }\n${agent}`
  })
  const { post } = await cli.start([], { root })
  for (const model of ['refuses', 'refuses-js']) {
    const reply = await post({ model, messages: [{ role: 'user', content: 'x' }] })
    t.equal(reply.status, 400, model)
    t.match(await reply.json(), { error: { code: 'context_length_exceeded', message: /far too long/ } })
  }
})

void t.test('a class that is registered from the index, and loaded by its dotted path, is loaded once', async t => {
  const cli = commandLine(t)
  const dir = write(tempFolder(t), {
    'counts/index.ts': `import { count } from './count.js'\ncount()\nexport default async (fastify: any) => { ${register('counts', 'counts.agent.A')} }`,
    'counts/agent.ts': `import { count } from './count.js'\nexport class A { word = String(count()); ${body} }`,
    'counts/count.ts': 'let calls = 0\nexport const count = (): number => ++calls\n'
  })
  const { post } = await cli.start(['--agents-dir', dir])
  t.match(await (await post({ model: 'counts', messages: [{ role: 'user', content: 'x' }] })).json(), { choices: [{ message: { content: '2' } }] })
})
