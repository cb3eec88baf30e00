import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import t from 'tap'
import { type CommandLine, type Ended, Command, commandLine } from '../support/cli.js'
import { checkout } from '../support/checkout.js'
import { agentFiles, plugin, saying, tempFolder, write } from '../support/folders.js'

const HELLO = { messages: [{ role: 'user', content: 'hello  there' }] }

/** Runs the line that the command printed, with the Node that runs this. */
async function testOf (cli: CommandLine, printed: string, cwd: string): Promise<Ended> {
  const [, word = ''] = /node --test (.*)$/m.exec(printed) ?? []
  const file = word.replace(/^'(.*)'$/, '$1')
  return await new Command(['--test', file], { env: { PATH: process.env.PATH, XDG_RUNTIME_DIR: cli.runtime }, cwd }).ended
}

for (const [language, flags, files] of [
  ['TypeScript', [], ['agent.ts', 'index.ts', 'my-agent.test.mjs']],
  ['JavaScript', ['--js'], ['agent.mjs', 'index.mjs', 'my-agent.test.mjs']]
] as const) {
  void t.test(`new-agent writes a ${language} agent that passes its test and is served`, async t => {
    const cli = commandLine(t)
    const root = checkout(t)
    const { code, out, err } = await cli.run(['new-agent', 'my-agent', ...flags], { root })
    t.equal(code, 0, err)
    t.match(out, /The agent my-agent is in agents.my-agent\./)
    t.same(readdirSync(join(root, 'agents', 'my-agent')).sort(), files)

    const test = await testOf(cli, out, root)
    t.equal(test.code, 0, test.out)
    t.match(test.out, /pass 1/)

    const { command, post } = await cli.start([], { root })
    t.same(command.logged(/^ready/).models, ['my-agent', 'svc-code'])
    t.match(await (await post({ model: 'my-agent', ...HELLO })).json(), { choices: [{ message: { content: 'You said: hello there' } }] })
  })

  void t.test(`--agents-dir writes the ${language} agent elsewhere, where it works as well`, async t => {
    const cli = commandLine(t)
    const dir = join(tempFolder(t), 'some where', 'agents')
    const { code, out, err } = await cli.run(['new-agent', 'my-agent', ...flags, '--agents-dir', dir])
    t.equal(code, 0, err)
    t.same(readdirSync(join(dir, 'my-agent')).sort(), files)
    t.ok(out.includes(`npm start -- --agents-dir '${dir}'\n`), 'a path with a space is one word')

    const test = await testOf(cli, out, dir)
    t.equal(test.code, 0, test.out)
    t.match(test.out, /pass 1/)

    const { post } = await cli.start(['--agents-dir', dir])
    t.match(await (await post({ model: 'my-agent', ...HELLO })).json(), { choices: [{ message: { content: 'You said: hello there' } }] })
  })
}

for (const [language, flags] of [['TypeScript', []], ['JavaScript', ['--js']]] as const) {
  void t.test(`new-agent --tools writes a ${language} agent that passes its test and whose calls the official SDK makes`, async t => {
    const cli = commandLine(t)
    const root = checkout(t)
    const { code, out, err } = await cli.run(['new-agent', 'my-agent', '--tools', ...flags], { root })
    t.equal(code, 0, err)
    const test = await testOf(cli, out, root)
    t.equal(test.code, 0, test.out)
    t.match(test.out, /pass 1/)

    const { url } = await cli.start([], { root })
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'unused', maxRetries: 0 })
    const asked: unknown[] = []
    const tool = {
      type: 'function' as const,
      function: {
        name: 'look_up', description: 'Looks a word up', parameters: { type: 'object', properties: { word: { type: 'string' } } },
        parse: (text: string) => JSON.parse(text) as { word: string },
        function: (given: { word: string }) => { asked.push(given); return 'a bird' }
      }
    }
    const messages = [{ role: 'user' as const, content: 'heron' }]
    const body = { model: 'my-agent', messages, tools: [tool] }
    t.equal(await client.chat.completions.runTools(body).finalContent(), 'The tool says: a bird')
    t.equal(await client.chat.completions.runTools({ ...body, stream: true }).finalContent(), 'The tool says: a bird')
    t.strictSame(asked, [{ word: 'heron' }, { word: 'heron' }])
    const other = { type: 'function' as const, function: { name: 'other' } }
    const forced = await client.chat.completions.create({ model: 'my-agent', messages, tools: [other, tool], tool_choice: { type: 'function', function: { name: 'look_up' } } })
    t.match(forced.choices[0]?.message.tool_calls, [{ function: { name: 'look_up' } }])
    const without = await client.chat.completions.create({ model: 'my-agent', messages })
    t.equal(without.choices[0]?.message.content, 'Offer me a tool.')
    const refused = await client.chat.completions.create({ model: 'my-agent', messages, tools: [tool], tool_choice: 'none' })
    t.equal(refused.choices[0]?.message.content, 'Offer me a tool.')
  })
}

void t.test('what is written holds no path of this machine where it lies in the project', async t => {
  const cli = commandLine(t)
  const root = checkout(t)
  await cli.run(['new-agent', 'my-agent'], { root })
  for (const file of readdirSync(join(root, 'agents', 'my-agent'))) t.notOk(readFileSync(join(root, 'agents', 'my-agent', file), 'utf8').includes(root), file)
})

void t.test('a folder that is there already is refused and left as it is', async t => {
  const cli = commandLine(t)
  const dir = write(tempFolder(t), { 'mine/notes.txt': 'do not touch' })
  const { code, err } = await cli.here(['new-agent', 'mine', '--agents-dir', dir])
  t.equal(code, 1)
  t.match(err, /mine is there already.*another name/)
  t.same(readdirSync(join(dir, 'mine')), ['notes.txt'])
})

void t.test('an id that is taken is refused, whatever its folder is called', async t => {
  const cli = commandLine(t)
  const dir = write(tempFolder(t), {
    'other-name/index.mjs': plugin('mine', { class_name: 'other-name.agent.Sayer', init_params: {}, description: 'Mine' }),
    'other-name/agent.mjs': saying('mine')
  })
  for (const id of ['svc-code', 'mine']) {
    const { code, err } = await cli.here(['new-agent', id, '--agents-dir', dir])
    t.equal(code, 1, id)
    t.match(err, new RegExp(`id ${id} is taken.*another name.*svc-code, mine`))
    t.notOk(existsSync(join(dir, id)), 'nothing was made')
  }
  t.equal((await cli.here(['new-agent', 'other-id', '--agents-dir', dir])).code, 0)
})

void t.test('an agent that is broken, or leaves something running, does not keep a new one from being written', async t => {
  const cli = commandLine(t)
  for (const broken of ['export default {{', 'setInterval(() => {}, 1000); export default async () => {}']) {
    const dir = write(tempFolder(t), { 'broken/index.mjs': broken })
    t.equal((await cli.run(['new-agent', 'svc-code', '--agents-dir', dir])).code, 1)
    t.equal((await cli.run(['new-agent', 'mine', '--agents-dir', dir])).code, 0)
  }
})

void t.test('paths are meant, and told, from where the command was typed', async t => {
  const cli = commandLine(t)
  const root = checkout(t)
  const here = tempFolder(t)
  const env = { npm_lifecycle_event: 'new-agent', INIT_CWD: here } // npm itself runs its scripts in the project's folder
  const { code, out } = await cli.run(['new-agent', 'mine', '--agents-dir', 'my agents'], { root, env })
  t.equal(code, 0)
  t.same(readdirSync(join(here, 'my agents')), ['mine'])
  t.match(out, /node --test 'my agents\/mine\/mine\.test\.mjs'/)
  t.match(out, /--agents-dir 'my agents'/)
  const { command } = await cli.start(['--agents-dir', 'my agents'], { root, env })
  t.same(command.logged(/^ready/).models, ['svc-code', 'mine'])
})

void t.test('of several folders in the environment the first is written into', async t => {
  const cli = commandLine(t)
  const [one, two] = [tempFolder(t), write(tempFolder(t), agentFiles('there'))]
  const env = { SVC_AGENTS_DIR: `${one},${two}` }
  t.equal((await cli.run(['new-agent', 'mine'], { env })).code, 0)
  t.same(readdirSync(one), ['mine'])
  t.equal((await cli.run(['new-agent', 'there'], { env })).code, 1)
})

void t.test('names that no folder or class could have are refused with an example', async t => {
  const cli = commandLine(t)
  const dir = join(tempFolder(t), 'agents')
  for (const name of ['My-Agent', '../outside', 'a/b', 'with space', '1st', '_private', 'dot.ted', '']) {
    const { code, err } = await cli.here(['new-agent', name, '--agents-dir', dir])
    t.equal(code, 1, name)
    t.match(err, /cannot be an agent's name.*my-agent/, name)
    t.notMatch(err, /^ +at /m, 'no stack')
  }
  t.notOk(existsSync(dir), 'nothing was made')
})

void t.test('without a name it says that one is missing', async t => {
  const cli = commandLine(t)
  const { code, err } = await cli.here(['new-agent'])
  t.equal(code, 1)
  t.match(err, /name|argument/)
})

void t.test('a name with several parts, or with digits, gives an agent that is served', async t => {
  const cli = commandLine(t)
  const dir = tempFolder(t)
  for (const name of ['a', 'two-3-parts', 'ends-', 'agent', 'index']) t.equal((await cli.here(['new-agent', name, '--agents-dir', dir])).code, 0, name)
  const { command } = await cli.start(['--agents-dir', dir])
  t.same(command.logged(/^ready/).models, ['svc-code', 'a', 'agent', 'ends-', 'index', 'two-3-parts'])
})

void t.test('an agents folder that cannot be made is named', async t => {
  const cli = commandLine(t)
  const dir = write(tempFolder(t), { file: '' })
  const { code, err } = await cli.here(['new-agent', 'mine', '--agents-dir', join(dir, 'file')])
  t.equal(code, 1)
  t.ok(err.includes(join(dir, 'file')))
  t.match(err, /file|folder|cannot be made/)
  t.notMatch(err, /^ +at /m, 'no stack')
})
