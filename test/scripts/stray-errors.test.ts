import t from 'tap'
import { SCRIPTED, commandLine } from '../support/cli.js'

// Before Node 24 runs are traced with --debug only: it slows down every promise of the process.
const ask = (steps: unknown[]) => ({ model: 'scripted', messages: [{ role: 'user', content: JSON.stringify(steps) }] })

const STRAYS: Array<[string, object, RegExp]> = [
  ['an agent that throws in a timer', { later: 'thrown late' }, /thrown late/],
  ['an agent that forgets a promise', { reject: 'forgotten' }, /forgotten/],
  ['an agent that forgets a promise which fails with nothing at all', { reject: null }, /./]
]

for (const [who, step, words] of STRAYS) {
  void t.test(`${who} does not end the process, and is logged with its run`, async t => {
    const cli = commandLine(t)
    const { command, post } = await cli.start([...SCRIPTED, '--debug'])
    const other = post(ask([{ wait: 1000 }, 'untouched']))
    const { id } = await post(ask(['text', step, { wait: 200 }])).then(response => response.json()) as { id: string }
    await command.until(() => command.logged(/something failed outside/))
    t.match(command.logged(/something failed outside/), { level: 50, run: id, err: { message: words } })
    t.match(await (await other).json(), { choices: [{ message: { content: 'untouched' } }] })
    t.match(await (await post(ask(['still here']))).json(), { choices: [{ message: { content: 'still here' } }] })
    t.equal(command.result, undefined)
  })
}

void t.test('an agent that throws in a timer after its run has ended is logged with that run, too', async t => {
  const cli = commandLine(t)
  const { command, post } = await cli.start([...SCRIPTED, '--debug'])
  const { id } = await post(ask(['text', { later: 'after the end' }])).then(response => response.json()) as { id: string }
  await command.until(() => command.logged(/something failed outside/))
  t.match(command.logged(/something failed outside/), { run: id, err: { message: 'after the end' } })
})

void t.test('what runs of several clients leave behind is told apart', async t => {
  const cli = commandLine(t)
  const { command, post } = await cli.start([...SCRIPTED, '--debug'])
  const ids = await Promise.all(['one', 'two', 'three'].map(async name => {
    const { id } = await post(ask([{ wait: 50 }, { later: name }, { wait: 100 }])).then(response => response.json()) as { id: string }
    return [name, id]
  }))
  await command.until(() => command.log.filter(({ msg }) => /something failed outside/.test(msg)).length === 3)
  for (const [name, id] of ids) t.equal(command.log.find(({ err }) => err?.message === name)?.run, id)
})

void t.test('without a trace the log names the runs in flight, one of which it is', async t => {
  const cli = commandLine(t)
  const { command, post } = await cli.start(SCRIPTED)
  const { id } = await post(ask(['text', { later: 'thrown late' }, { wait: 200 }])).then(response => response.json()) as { id: string }
  await command.until(() => command.logged(/something failed outside/))
  const { run, runs } = command.logged(/something failed outside/) as { run?: string, runs?: string[] }
  t.strictSame(run === undefined ? runs : [run], [id])
  t.match(await (await post(ask(['still here']))).json(), { choices: [{ message: { content: 'still here' } }] })
})
