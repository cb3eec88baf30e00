import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type AppOptions, buildApp } from '../../app.js'
import { Command, ROOT } from '../support/cli.js'
import { startService } from '../support/service.js'
import { agentFiles, plugin, saying, tempFolder, write } from '../support/folders.js'

const LIMITS = 'modelInfo () { return { max_input_tokens: 100, max_output_tokens: 50 } }'
const ENTRY = { class_name: 'mine.agent.Mine', init_params: {}, description: 'Mine' }

/** The ids that are served from a folder of agents, svc-code left out. */
async function idsOf (t: Test, dir: string, ...more: string[]): Promise<string[]> {
  const app = await buildApp({ agentsDirs: [dir, ...more] })
  t.teardown(() => app.close())
  return app.agents.list().map(({ id }) => id).filter(id => id !== 'svc-code')
}

async function refusal (agentsDirs: string[], options: AppOptions = {}): Promise<string> {
  const app = await buildApp({ agentsDirs, ...options }).catch((error: unknown) => error as Error)
  if (app instanceof Error) return app.message
  await app.close()
  return 'it was not refused'
}

/** The agent `mine`, with the index or the module of its class replaced. */
function mine (t: Test, files: { index?: string, agent?: string }): string {
  return write(tempFolder(t), { 'mine/index.mjs': files.index ?? plugin('my-id', ENTRY), 'mine/agent.mjs': files.agent ?? saying('mine', 'Mine') })
}

const contentOf = async (service: Awaited<ReturnType<typeof startService>>, model: string) =>
  (await service.client.chat.completions.create({ model, messages: [{ role: 'user', content: 'x' }] })).choices[0]?.message.content

void t.test('every folder with an index is an agent, in the order of names', async t => {
  const dir = write(tempFolder(t), { ...agentFiles('b'), ...agentFiles('a'), ...agentFiles('c') })
  t.same(await idsOf(t, dir), ['a', 'b', 'c'])
})

void t.test('several agent folders are read in the order of the flags, each once', async t => {
  const one = write(tempFolder(t), agentFiles('z'))
  const two = write(tempFolder(t), agentFiles('a'))
  t.same(await idsOf(t, one, two, one), ['z', 'a'])
})

void t.test('loose files, folders without an index, hidden folders and node_modules are not loaded as agents', async t => {
  const dir = write(tempFolder(t), {
    ...agentFiles('real'),
    'loose.mjs': 'throw new Error("a loose file was loaded")',
    'index.mjs': 'throw new Error("a loose file was loaded")',
    'README.md': '# Agents',
    'empty/notes.txt': '',
    'no-index/agent.mjs': 'throw new Error("a folder without an index was loaded")',
    'index-elsewhere/src/index.mjs': 'throw new Error("an index further below was loaded")',
    '.hidden/index.mjs': 'throw new Error("a hidden folder was loaded")',
    '_draft/index.mjs': 'throw new Error("a draft was loaded")',
    'node_modules/package/index.mjs': 'throw new Error("a package was loaded")'
  })
  mkdirSync(join(dir, 'index-is-a-folder', 'index.mjs'), { recursive: true })
  t.same(await idsOf(t, dir), ['real'])
})

void t.test('the log names a folder that is ignored because it has no index', async t => {
  const dir = write(tempFolder(t), { 'no-index/agent.mjs': '' })
  const lines: string[] = []
  const app = await buildApp({ agentsDirs: [dir], logger: { level: 'warn', stream: { write: (line: string) => { lines.push(line) } } } })
  t.teardown(() => app.close())
  t.match(lines.map(line => JSON.parse(line).msg), [/no-index has no index file, so it is not loaded/])
})

void t.test('a folder that is a link is an agent, one whose link leads nowhere is not', async t => {
  const elsewhere = write(tempFolder(t), { 'index.mjs': plugin('linked', { ...ENTRY, class_name: 'linked.agent.Mine' }), 'agent.mjs': saying('linked', 'Mine') })
  const dir = tempFolder(t)
  symlinkSync(elsewhere, join(dir, 'linked'), 'junction')
  symlinkSync(join(dir, 'gone'), join(dir, 'dangling'), 'junction')
  t.same(await idsOf(t, dir), ['linked'])
})

void t.test('a folder of agents without any serves what else there is', async t => {
  t.same(await idsOf(t, tempFolder(t)), [])
})

void t.test('a registered agent is listed with the fields of the specification', async t => {
  const { url } = await startService(t, { agentsDirs: [mine(t, {})] })
  const { object, data } = await fetch(`${url}/v1/models`).then(response => response.json()) as { object: string, data: Array<Record<string, unknown>> }
  t.equal(object, 'list')
  const model = data.find(({ id }) => id === 'my-id') ?? {}
  t.same({ ...model, created: 0 }, { id: 'my-id', object: 'model', created: 0, owned_by: 'svc', description: 'Mine', max_input_tokens: 100, max_output_tokens: 50 })
  t.ok(Number.isInteger(model.created) && Math.abs(Number(model.created) - Date.now() / 1000) < 120)
})

void t.test('the agent that is always there has the limits and the description of the specification', async t => {
  const { client } = await startService(t, { agentsDirs: [] })
  const { data } = await client.models.list()
  t.match(data, [{ id: 'svc-code', owned_by: 'svc', description: 'autonomous Python/TypeScript coding agent with planning, generation and testing', max_input_tokens: 32768, max_output_tokens: 8192 }])
  t.equal(data.length, 1)
})

void t.test('created is the same in every answer', async t => {
  const { client } = await startService(t, { agentsDirs: [mine(t, {})], aliases: { other: 'my-id' } })
  const { created } = await client.models.retrieve('my-id')
  await new Promise(resolve => setTimeout(resolve, 1100)) // until another second has begun
  t.equal((await client.models.retrieve('my-id')).created, created)
  t.equal((await client.models.retrieve('other')).created, created)
  t.same((await client.models.list()).data.find(({ id }) => id === 'my-id')?.created, created)
})

void t.test('class_name is a dotted path from the folder that holds the agents', async t => {
  const entry = (className: string) => ({ ...ENTRY, class_name: className })
  const service = await startService(t, {
    agentsDirs: [write(tempFolder(t), {
      'one/index.mjs': `${saying('of the index', 'InIndex')}${plugin('of-index', entry('one.InIndex'))}`,
      'two/index.mjs': plugin('of-module', entry('two.agent.Mine')),
      'two/agent.mjs': saying('of a module', 'Mine'),
      'three/index.mjs': plugin('of-depth', entry('three.lib.deep.Mine')),
      'three/lib/deep.mjs': saying('of a module below', 'Mine'),
      'four/index.mjs': plugin('of-folder', entry('four.lib.Mine')),
      'four/lib/index.mjs': saying('of a folder below', 'Mine'),
      'five/index.mjs': plugin('of-neighbour', entry('two.agent.Mine')),
      'six/index.mjs': plugin('of-default', entry('six.agent.default')),
      'six/agent.mjs': saying('of a default export', 'Mine').replace('export class', 'export default class'),
      'se-v_en$/index.mjs': plugin('of-odd-name', entry('se-v_en$.agent.$Mine_')),
      'se-v_en$/agent.mjs': saying('of an odd name', '$Mine_')
    })]
  })
  for (const [id, text] of Object.entries({
    'of-index': 'of the index', 'of-module': 'of a module', 'of-depth': 'of a module below', 'of-folder': 'of a folder below',
    'of-neighbour': 'of a module', 'of-default': 'of a default export', 'of-odd-name': 'of an odd name'
  })) t.equal(await contentOf(service, id), text)
})

void t.test('an agent is made once, with its init_params, the backend and a log', async t => {
  const service = await startService(t, {
    agentsDirs: [mine(t, {
      index: plugin('my-id', { ...ENTRY, init_params: { silent: true, nested: { list: [1, 2] } } }),
      agent: `let made = 0
export class Mine {
  constructor (params, services) { made++; this.params = params; this.services = services }
  ${LIMITS}
  async * reply () { yield JSON.stringify({ made, params: this.params, kind: (await this.services.backend.info()).kind, log: typeof this.services.log.warn }) }
}`
    })]
  })
  await contentOf(service, 'my-id')
  t.same(JSON.parse(await contentOf(service, 'my-id') ?? ''), { made: 1, params: { silent: true, nested: { list: [1, 2] } }, kind: 'none', log: 'function' })
})

void t.test('one plugin may register several agents, whose ids need not be its folder\'s name', async t => {
  const index = `export default async function (fastify) {
  for (const word of ['one', 'two', 'three']) fastify.agents.register(word, { class_name: 'mine.agent.Mine', init_params: { word }, description: word })
}`
  const agent = `export class Mine { constructor ({ word }) { this.word = word }\n${LIMITS}\nasync * reply () { yield this.word } }`
  const service = await startService(t, { agentsDirs: [mine(t, { index, agent })] })
  for (const word of ['one', 'two', 'three']) t.equal(await contentOf(service, word), word)
  t.notOk((await service.client.models.list()).data.some(({ id }) => id === 'mine'))
})

void t.test('a plugin may register from a plugin within it, or after a wait', async t => {
  const index = `export default async function (fastify) {
  await new Promise(resolve => setTimeout(resolve, 20))
  await fastify.register(async inner => { inner.agents.register('within', ${JSON.stringify(ENTRY)}) })
  fastify.agents.register('after', ${JSON.stringify(ENTRY)})
}`
  t.same((await idsOf(t, mine(t, { index }))).sort(), ['after', 'within'])
})

void t.test('a plugin with a callback works, too', async t => {
  t.same(await idsOf(t, mine(t, { index: `export default function (fastify, options, done) { setTimeout(() => { fastify.agents.register('my-id', ${JSON.stringify(ENTRY)}); done() }, 10) }` })), ['my-id'])
})

void t.test('an id may hold a slash, and more', async t => {
  const ids = ['team/coder', 'with space', 'ünï', 'a:b', 'dot.ted', '__proto__', 'constructor']
  const index = `export default async function (fastify) { for (const id of ${JSON.stringify(ids)}) fastify.agents.register(id, ${JSON.stringify(ENTRY)}) }`
  const service = await startService(t, { agentsDirs: [mine(t, { index })] })
  for (const id of ids) {
    t.match(await (await fetch(`${service.url}/v1/models/${encodeURIComponent(id)}`)).json(), { id, object: 'model' }, id)
    t.equal(await contentOf(service, id), 'mine', id)
  }
  t.match((await service.client.models.retrieve('team/coder')).id, 'team/coder')
})

void t.test('names that every object has are no agents', async t => {
  const { url, post } = await startService(t, { agentsDirs: [] })
  for (const id of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    t.equal((await fetch(`${url}/v1/models/${id}`)).status, 404, id)
    t.equal((await post({ model: id, messages: [{ role: 'user', content: 'x' }] })).status, 404, id)
  }
})

void t.test('what a plugin adds besides its agent stays in its own scope', async t => {
  const index = `export default async function (fastify) {
  fastify.agents.register('my-id', ${JSON.stringify(ENTRY)})
  fastify.addHook('onRequest', async (request, reply) => { reply.code(418).send('hooked') })
}`
  const { url } = await startService(t, { agentsDirs: [mine(t, { index })] })
  t.equal((await fetch(`${url}/health`)).status, 200)
})

void t.test('a plugin sees the registered agents, and aliases are not among them', async t => {
  const dir = write(tempFolder(t), {
    ...agentFiles('first'),
    'second/index.mjs': `export default async function (fastify) {
  fastify.agents.register('second', { class_name: 'first.agent.Sayer', init_params: {}, description: fastify.agents.list().map(({ id }) => id).join() })
}`
  })
  const { client } = await startService(t, { agentsDirs: [dir], aliases: { alias: 'first' } })
  const { data } = await client.models.list()
  t.match(data.find(({ id }) => id === 'second'), { description: 'svc-code,first' })
  t.notOk(data.some(({ id }) => id === 'alias'))
})

void t.test('an alias serves its agent, and answers by the name that was asked for', async t => {
  const service = await startService(t, { agentsDirs: [mine(t, {})], aliases: { 'gpt-4o': 'my-id', 'openai/gpt-4o': 'my-id' } })
  for (const alias of ['gpt-4o', 'openai/gpt-4o']) {
    const { model, choices } = await service.client.chat.completions.create({ model: alias, messages: [{ role: 'user', content: 'x' }] })
    t.match({ model, choices }, { model: alias, choices: [{ message: { content: 'mine' } }] })
    t.match(await service.client.models.retrieve(alias), { id: alias, max_input_tokens: 100 })
  }
  const response = await service.post({ model: 'nobody', messages: [{ role: 'user', content: 'x' }] })
  t.match(await response.json(), { error: { code: 'model_not_found', message: /nobody.*svc-code.*my-id/ } })
})

void t.test('an alias of no agent, of another alias, or with an agent\'s name is refused', async t => {
  const dir = mine(t, {})
  t.match(await refusal([dir], { aliases: { a: 'nobody' } }), /--alias a=nobody: .*nobody.*svc-code, my-id/)
  t.match(await refusal([dir], { aliases: { a: 'my-id', b: 'a' } }), /--alias b=a/)
  t.match(await refusal([dir], { aliases: { 'my-id': 'svc-code' } }), /--alias my-id=svc-code: .*agent itself/)
})

void t.test('a folder of agents that is missing, or is a file, is refused by its name', async t => {
  const dir = tempFolder(t)
  writeFileSync(join(dir, 'file'), '')
  t.match(await refusal([join(dir, 'missing')]), /--agents-dir .*missing.*no such folder.*[Cc]reate/)
  t.match(await refusal([join(dir, 'file')]), /--agents-dir .*file.*is a file/)
})

/** An index that registers what this expression gives. */
const registering = (entry: string, id = '\'my-id\'') => `export default async function (fastify) { fastify.agents.register(${id}, ${entry}) }`
const entryWith = (more: string) => registering(`{ class_name: 'mine.agent.Mine', init_params: {}, description: 'Mine', ${more} }`)
const classOf = (members: string) => `export class Mine { ${members} }`
const REPLY = 'async * reply () {}'

const REFUSED: Array<[string, { index?: string, agent?: string }, RegExp]> = [
  ['no entry', { index: registering('undefined') }, /must be an object with class_name/],
  ['an entry that is null', { index: registering('null') }, /must be an object with class_name/],
  ['an entry that is no object', { index: registering('"mine.agent.Mine"') }, /must be an object with class_name/],
  ['no class_name', { index: entryWith('class_name: undefined') }, /class_name must be a dotted path such as/],
  ['a class_name that is a class', { index: entryWith('class_name: class Mine {}') }, /class_name must be a dotted path such as/],
  ['an empty class_name', { index: entryWith('class_name: ""') }, /class_name .*dotted path/],
  ['a class_name without a dot', { index: entryWith('class_name: "Mine"') }, /class_name 'Mine' .*dotted path/],
  ['a class_name with two dots', { index: entryWith('class_name: "mine..agent.Mine"') }, /class_name .*dotted path/],
  ['a class_name that climbs', { index: entryWith('class_name: "...mine.agent.Mine"') }, /class_name .*dotted path/],
  ['a class_name that is a path', { index: entryWith('class_name: "../mine/agent.Mine"') }, /class_name .*dotted path/],
  ['a class_name with slashes', { index: entryWith('class_name: "mine/agent.Mine"') }, /class_name .*dotted path/],
  ['a class_name with a trailing dot', { index: entryWith('class_name: "mine.agent."') }, /class_name .*dotted path/],
  ['a class_name in a package', { index: entryWith('class_name: "node:fs.Stats"') }, /class_name .*dotted path/],
  ['a module that is missing', { index: entryWith('class_name: "mine.missing.Mine"') }, /mine\.missing\.Mine.*no such file/],
  ['a folder that is missing', { index: entryWith('class_name: "other.agent.Mine"') }, /other\.agent\.Mine.*no such file/],
  ['an export that is missing', { index: entryWith('class_name: "mine.agent.Other"') }, /has no export Other; it exports Mine/],
  ['an export that every object has', { index: entryWith('class_name: "mine.agent.toString"') }, /toString/],
  ['an export that is no class', { agent: 'export const Mine = { reply () {} }' }, /has no export Mine|is no class/],
  ['an export that is a plain function', { agent: 'export const Mine = () => {}' }, /Mine|constructor|class/],
  ['a module that throws', { agent: 'throw new Error("module reason")' }, /module reason/],
  ['a module with a syntax error', { agent: 'export class {{' }, /./],
  ['no description', { index: entryWith('description: undefined') }, /description must be a text/],
  ['an empty description', { index: entryWith('description: " "') }, /description must be a text/],
  ['a description that is no text', { index: entryWith('description: 5') }, /description must be a text/],
  ['no init_params', { index: entryWith('init_params: undefined') }, /init_params must be an object; \{\} where/],
  ['init_params that are null', { index: entryWith('init_params: null') }, /init_params must be an object/],
  ['init_params that are a list', { index: entryWith('init_params: []') }, /init_params must be an object/],
  ['init_params that are a text', { index: entryWith('init_params: "silent"') }, /init_params must be an object/],
  ['a concurrency of 0', { index: entryWith('concurrency: 0') }, /concurrency must be a whole number above 0/],
  ['a concurrency that is no whole number', { index: entryWith('concurrency: 1.5') }, /concurrency must be a whole number/],
  ['a concurrency that is a text', { index: entryWith('concurrency: "4"') }, /concurrency must be a whole number/],
  ['a constructor that throws', { agent: classOf('constructor () { throw new Error("constructor reason") }') }, /constructor reason/],
  ['a constructor that throws a text', { agent: classOf('constructor () { throw "plain reason" }') }, /plain reason/],
  ['a constructor that throws undefined', { agent: classOf('constructor () { throw undefined }') }, /undefined/],
  ['no reply()', { agent: classOf(LIMITS) }, /no method reply\(\)/],
  ['no modelInfo()', { agent: classOf(REPLY) }, /no method modelInfo\(\)/],
  ['a modelInfo() that throws', { agent: classOf(`${REPLY} modelInfo () { throw new Error("info reason") }`) }, /info reason/],
  ['a modelInfo() without a result', { agent: classOf(`${REPLY} modelInfo () {}`) }, /modelInfo\(\) must return max_input_tokens/],
  ['a modelInfo() that gives a promise', { agent: classOf(`${REPLY} async modelInfo () { return { max_input_tokens: 1, max_output_tokens: 1 } }`) }, /modelInfo\(\) must return max_input_tokens/],
  ['no max_input_tokens', { agent: classOf(`${REPLY} modelInfo () { return { max_output_tokens: 1 } }`) }, /modelInfo\(\) must return max_input_tokens/],
  ['no max_output_tokens', { agent: classOf(`${REPLY} modelInfo () { return { max_input_tokens: 1 } }`) }, /modelInfo\(\) must return max_output_tokens/],
  ['a limit of 0', { agent: classOf(`${REPLY} modelInfo () { return { max_input_tokens: 1, max_output_tokens: 0 } }`) }, /max_output_tokens as a whole number above 0/],
  ['a limit that is no whole number', { agent: classOf(`${REPLY} modelInfo () { return { max_input_tokens: 1.5, max_output_tokens: 1 } }`) }, /max_input_tokens as a whole number/],
  ['a limit that is a text', { agent: classOf(`${REPLY} modelInfo () { return { max_input_tokens: '1', max_output_tokens: 1 } }`) }, /max_input_tokens as a whole number/],
  ['a limit that is infinite', { agent: classOf(`${REPLY} modelInfo () { return { max_input_tokens: Infinity, max_output_tokens: 1 } }`) }, /max_input_tokens as a whole number/],
  ['an id registered twice by one plugin', { index: `export default async function (fastify) { for (let i = 0; i < 2; i++) fastify.agents.register('my-id', ${JSON.stringify(ENTRY)}) }` }, /'my-id' is registered twice/],
  ['a plugin that throws after it registered', { index: `export default async function (fastify) { fastify.agents.register('my-id', ${JSON.stringify(ENTRY)}); throw new Error('plugin reason') }` }, /plugin reason/]
]

// Here no id is known yet.
const REFUSED_WHOLE: Array<[string, string, RegExp]> = [
  ['no default export', 'export const plugin = async () => {}', /exports no Fastify plugin: export default async function/],
  ['a default export that is no function', 'export default { register: true }', /exports no Fastify plugin/],
  ['an index that throws', 'throw new Error("index reason")', /index reason/],
  ['an index with a syntax error', 'export default {{', /./],
  ['an index that misses a module', 'import "./missing.mjs"', /missing\.mjs/],
  ['a plugin that throws', 'export default async function () { throw new Error("plugin reason") }', /plugin reason/],
  ['a plugin that throws undefined', 'export default async function () { throw undefined }', /: undefined was thrown$/],
  ['a plugin that throws null', 'export default async function () { throw null }', /: null was thrown$/],
  ['a plugin that throws null after a wait', 'export default async function () { await 1; throw null }', /: null was thrown$/],
  ['a plugin that rejects with null', 'export default () => Promise.reject(null)', /: null was thrown$/],
  ['a plugin with a callback that throws null', 'export default function (fastify, options, done) { throw null }', /: null was thrown$/],
  ['a plugin with a callback that throws', 'export default function (fastify, options, done) { throw new Error("plugin reason") }', /: plugin reason$/],
  ['a plugin with a callback that is told of an error', 'export default function (fastify, options, done) { done(new Error("plugin reason")) }', /: plugin reason$/],
  ['a plugin that throws a text', 'export default async function () { throw "plain reason" }', /: plain reason$/],
  ['a plugin that throws what cannot be printed', 'export default async function () { throw { get message () { throw 1 } } }', /: something was thrown that cannot be printed$/],
  ['an index that throws null', 'throw null', /: null was thrown$/],
  ['a plugin that registers nothing', 'export default async function () {}', /registers no agent: call fastify\.agents\.register/],
  ['an id that is empty', registering(JSON.stringify(ENTRY), '""'), /the id of an agent must be a string/],
  ['an id that is no text', registering(JSON.stringify(ENTRY), '5'), /the id of an agent must be a string/],
  ['no id', registering('undefined', JSON.stringify(ENTRY)), /the id of an agent must be a string/]
]

for (const [what, files, cause] of REFUSED) {
  void t.test(`${what}: refused with folder, id and cause`, async t => {
    const dir = mine(t, files)
    const message = await refusal([dir])
    t.ok(message.includes(join(dir, 'mine')), message)
    t.match(message, /\(id 'my-id'\)/)
    t.match(message.replace(dir, ''), cause)
  })
}

for (const [what, index, cause] of REFUSED_WHOLE) {
  void t.test(`${what}: refused with folder and cause`, async t => {
    const dir = mine(t, { index })
    const message = await refusal([dir])
    t.ok(message.includes(join(dir, 'mine')), message)
    t.match(message.replace(dir, ''), cause)
  })
}

void t.test('a syntax error in any file of an agent is reported with file and line', async t => {
  const bad = 'export const a = 1\n\nfunction broken () { const = 1 }\n'
  const cases: Array<[Record<string, string>, string]> = [
    [{ 'mine/index.mjs': bad }, 'mine/index.mjs:3'],
    [{ 'mine/index.mjs': plugin('my-id', ENTRY), 'mine/agent.mjs': bad }, 'mine/agent.mjs:3'],
    [{ 'mine/index.mjs': 'import "./parts/deep.mjs"\nexport default async function () {}', 'mine/a.mjs': '', 'mine/node_modules/x/index.mjs': '{{', 'mine/parts/deep.mjs': bad }, 'mine/parts/deep.mjs:3'],
    [{ 'mine/index.js': bad, 'mine/package.json': '{"type":"module"}' }, 'mine/index.js:3'],
    [{ 'mine/index.cjs': 'const a = 1\n\nlet = 1 1\n' }, 'mine/index.cjs:3'],
    [{ 'mine/index.mjs': '\nimport { none } from "./agent.mjs"\nexport default none', 'mine/agent.mjs': '' }, 'mine/index.mjs:2']
  ]
  await Promise.all(cases.map(async ([files, place]) => {
    const dir = write(tempFolder(t), files)
    const message = await refusal([dir])
    t.ok(message.startsWith(`The agent in ${join(dir, 'mine')} `), message)
    t.ok(message.includes(`${join(dir, place)}: `), message)
  }))
})

void t.test('a syntax error outside the files of the folder is reported unchanged', async t => {
  const outside = write(tempFolder(t), { 'elsewhere.mjs': 'export {{' })
  const dir = mine(t, { index: `import ${JSON.stringify(join(outside, 'elsewhere.mjs'))}` })
  t.match(await refusal([dir]), /cannot be used: \S/)
  const other = mine(t, { index: 'JSON.parse("{")', agent: 'export {{' })
  t.match(await refusal([other]), /cannot be used: [^:]*JSON/, 'the agent that was loaded is not to blame for another file')
})

void t.test('an id that another folder has: refused with both folders', async t => {
  const dir = write(tempFolder(t), {
    'one/index.mjs': plugin('same', { ...ENTRY, class_name: 'one.agent.Mine' }), 'one/agent.mjs': saying('one', 'Mine'),
    'two/index.mjs': plugin('same', { ...ENTRY, class_name: 'two.agent.Mine' }), 'two/agent.mjs': saying('two', 'Mine')
  })
  const message = await refusal([dir])
  t.ok(message.includes(join(dir, 'one')) && message.includes(join(dir, 'two')), message)
  t.match(message, /\(id 'same'\).*taken/)
})

void t.test('the id svc-code is taken already', async t => {
  const dir = mine(t, { index: plugin('svc-code', ENTRY) })
  const message = await refusal([dir])
  t.ok(message.includes(join(dir, 'mine')), message)
  t.match(message, /\(id 'svc-code'\).*taken.*svc-code/)
})

void t.test('an agent that registers when the service has started is refused with folder and id', async t => {
  const late = (how: string) => `export default async function (fastify) {
  fastify.agents.register('my-id', ${JSON.stringify(ENTRY)})
  fastify.addHook('onReady', ${how})
}`
  const register = `fastify.agents.register('late', ${JSON.stringify(ENTRY)})`
  for (const how of [`async () => { ${register} }`, `done => { ${register}; done() }`]) {
    const dir = mine(t, { index: late(how) })
    const app = await buildApp({ agentsDirs: [dir] })
    const error = await app.ready().then(() => undefined, (error: unknown) => error as Error)
    await app.close()
    t.ok(error?.message.includes(join(dir, 'mine')), String(error))
    t.match(error?.message, /\(id 'late'\).*too late/)
  }
})

const NEVER = 'new Promise(() => {})'

// Long enough for the agents that do load on a busy machine.
const SOON = { agentTimeout: 3000 }

void t.test('what waits for ever while an agent loads is refused at its deadline, with folder and step', async t => {
  const cases = [
    [{ index: `await ${NEVER}\n${plugin('my-id', ENTRY)}` }, 'loading index.mjs'],
    [{ index: `export default async function (fastify) { fastify.agents.register('my-id', ${JSON.stringify(ENTRY)}); await ${NEVER} }` }, 'its plugin'],
    [{ index: `export default async function (fastify) { fastify.register(async () => { await ${NEVER} }) }` }, 'its plugin'],
    [{ index: 'export default function (fastify, options, done) {}' }, 'its plugin'],
    [{ agent: `await ${NEVER}\n${saying('mine', 'Mine')}` }, 'loading agent.mjs']
  ] as const
  await Promise.all(cases.map(async ([files, step]) => {
    const dir = mine(t, files)
    const message = await refusal([dir], SOON)
    t.ok(message.includes(join(dir, 'mine')), message)
    t.ok(message.includes(`${step} has not ended after 3 s`), message)
  }))
})

void t.test('a wait that keeps no process alive does not end it in silence', async t => {
  const dir = mine(t, { index: `await ${NEVER}` })
  const script = 'const { buildApp } = await import(process.argv[1]); await buildApp({ agentsDirs: [process.argv[2]], agentTimeout: 3000 }).catch(({ message }) => { console.log(message) })'
  const { code, out } = await new Command(['--input-type=module', '-e', script, join(ROOT, 'dist', 'app.js'), dir], { env: { PATH: process.env.PATH }, cwd: dir }).ended
  t.equal(code, 0)
  t.match(out, /loading index\.mjs has not ended after 3 s/)
})

void t.test('an onReady hook of an agent that waits for ever, or fails, is refused with the folder', async t => {
  const cases = [
    [`() => ${NEVER}`, /onReady hook has not ended after 3 s/], ['done => {}', /onReady hook has not ended after 3 s/],
    ['async () => { throw new Error("hook reason") }', /: hook reason$/], ['done => { done(new Error("hook reason")) }', /: hook reason$/], ['async () => { throw null }', /: null was thrown$/]
  ] as const
  await Promise.all(cases.map(async ([how, cause]) => {
    const dir = mine(t, { index: `export default async function (fastify) { fastify.agents.register('my-id', ${JSON.stringify(ENTRY)}); fastify.addHook('onReady', ${how}) }` })
    const app = await buildApp({ agentsDirs: [dir], ...SOON })
    const error = await app.ready().then(() => undefined, (error: unknown) => error as Error)
    await app.close()
    t.ok(error?.message.includes(join(dir, 'mine')), `${how}: ${String(error)}`)
    t.match(error?.message, cause, how)
  }))
})

void t.test('the hooks of an agent are run, each with its own scope', async t => {
  const index = `export default async function (fastify) {
  fastify.agents.register('my-id', ${JSON.stringify(ENTRY)})
  fastify.decorate('mark', 'mine')
  const ran = []
  fastify.addHook('onReady', async function () { ran.push(this.mark) })
  fastify.addHook('onReady', function (done) { ran.push(this.mark); setTimeout(done, 10) })
  fastify.addHook('onListen', async function () { if (ran.join() !== 'mine,mine') throw new Error(ran.join()); globalThis.ranHooks = true })
}`
  await startService(t, { agentsDirs: [mine(t, { index })] })
  t.equal(Reflect.get(globalThis, 'ranHooks'), true)
})

void t.test('several slow agents start, each within its own deadline', async t => {
  const slow = (name: string) => ({ [`${name}/index.mjs`]: `await new Promise(resolve => setTimeout(resolve, 600))\n${plugin(name, { ...ENTRY, class_name: `${name}.agent.Mine` })}`, [`${name}/agent.mjs`]: saying(name, 'Mine') })
  const dir = write(tempFolder(t), { ...slow('a'), ...slow('b'), ...slow('c'), ...slow('d'), ...slow('e'), ...slow('f') })
  const app = await buildApp({ agentsDirs: [dir], agentTimeout: 3400 })
  t.teardown(() => app.close())
  t.equal(app.agents.list().length, 7)
  t.equal(app.initialConfig.pluginTimeout, 0, 'nothing counts the time of all together')
})

void t.test('one broken agent keeps the whole service from starting', async t => {
  const dir = write(tempFolder(t), { ...agentFiles('good'), 'broken/index.mjs': 'throw new Error("broken reason")' })
  t.match(await refusal([dir]), /broken reason/)
  rmSync(join(dir, 'broken'), { recursive: true })
  t.same(await idsOf(t, realpathSync(dir)), ['good'])
})

void t.test('a throw in one agent never harms another\'s run', async t => {
  const bad = (reply: string) => `export class Mine { ${LIMITS} ${reply} }`
  const index = plugin('bad', ENTRY)
  for (const reply of [
    'async * reply () { yield "begun"; throw new Error("reason") }', 'reply () { throw new Error("reason") }', 'reply () { return undefined }', 'reply () { return Promise.resolve([]) }',
    'async * reply () { yield 5 }', 'async * reply () { yield undefined }', 'async * reply () { yield { type: "unknown" } }', 'reply () { return { [Symbol.asyncIterator]: () => ({ next: () => { throw undefined } }) } }',
    'isBackground () { throw new Error("reason") } async * reply () {}'
  ]) {
    const service = await startService(t, { agentsDirs: [mine(t, { index, agent: bad(reply) }), write(tempFolder(t), {
      'good/index.mjs': plugin('good', { ...ENTRY, class_name: 'good.agent.Good' }),
      'good/agent.mjs': `export class Good { ${LIMITS} async * reply () { yield 'a'; await new Promise(resolve => setTimeout(resolve, 150)); yield 'b' } }`
    })] })
    const running = contentOf(service, 'good')
    const failed = await service.post({ model: 'bad', messages: [{ role: 'user', content: 'x' }] })
    t.equal(failed.status, 500, reply)
    t.match(await failed.json(), { error: { type: 'internal_error', code: 'agent_error', message: /^Agent processing failed: ./ } }, reply)
    t.equal(await running, 'ab', reply)
    await service.app.close()
  }
})

void t.test('an agent that changes its limits later does not change the model list', async t => {
  const { client } = await startService(t, { agentsDirs: [mine(t, { agent: classOf(`${REPLY} modelInfo () { this.calls = (this.calls ?? 0) + 1; return { max_input_tokens: 100 * this.calls, max_output_tokens: 50 } }`) })] })
  const first = await client.models.retrieve('my-id')
  await client.models.list()
  t.same(await client.models.retrieve('my-id'), first)
})
