import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type CommandLine, type Ended, Command, commandLine } from '../support/cli.js'
import { checkout } from '../support/checkout.js'
import { tempFolder, write } from '../support/folders.js'

const HELLO = { messages: [{ role: 'user', content: 'hello  there' }] }

/** Runs the line that the command printed, with the Node that runs this. */
async function testOf (cli: CommandLine, printed: string, cwd: string): Promise<Ended> {
  const [, file = ''] = /node --test (.*)$/m.exec(printed) ?? []
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
    t.match(out, /npm start -- --agents-dir/)

    const file = join(dir, 'my-agent', 'my-agent.test.mjs')
    const test = await new Command(['--test', file], { env: { PATH: process.env.PATH }, cwd: dir }).ended
    t.equal(test.code, 0, test.out)

    const { post } = await cli.start(['--agents-dir', dir])
    t.match(await (await post({ model: 'my-agent', ...HELLO })).json(), { choices: [{ message: { content: 'You said: hello there' } }] })
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
  const { code, err } = await cli.run(['new-agent', 'mine', '--agents-dir', dir])
  t.equal(code, 1)
  t.match(err, /mine is there already.*another name/)
  t.same(readdirSync(join(dir, 'mine')), ['notes.txt'])
})

void t.test('names that no folder or class could have are refused with an example', async t => {
  const cli = commandLine(t)
  const dir = join(tempFolder(t), 'agents')
  for (const name of ['My-Agent', '../outside', 'a/b', 'with space', '1st', '_private', 'dot.ted', '']) {
    const { code, err } = await cli.run(['new-agent', name, '--agents-dir', dir])
    t.equal(code, 1, name)
    t.match(err, /cannot be an agent's name.*my-agent/, name)
    t.notMatch(err, /^ +at /m, 'no stack')
  }
  t.notOk(existsSync(dir), 'nothing was made')
})

void t.test('without a name it says that one is missing', async t => {
  const cli = commandLine(t)
  const { code, err } = await cli.run(['new-agent'])
  t.equal(code, 1)
  t.match(err, /name|argument/)
})

void t.test('a name with several parts, or with digits, gives an agent that is served', async t => {
  const cli = commandLine(t)
  const dir = tempFolder(t)
  for (const name of ['a', 'two-3-parts', 'ends-', 'agent', 'index']) t.equal((await cli.run(['new-agent', name, '--agents-dir', dir])).code, 0, name)
  const { command } = await cli.start(['--agents-dir', dir])
  t.same(command.logged(/^ready/).models, ['svc-code', 'a', 'agent', 'ends-', 'index', 'two-3-parts'])
})

void t.test('an agents folder that cannot be made is named', async t => {
  const cli = commandLine(t)
  const dir = write(tempFolder(t), { file: '' })
  const { code, err } = await cli.run(['new-agent', 'mine', '--agents-dir', join(dir, 'file')])
  t.equal(code, 1)
  t.ok(err.includes(join(dir, 'file')))
  t.match(err, /file|folder|cannot be made/)
  t.notMatch(err, /^ +at /m, 'no stack')
})
