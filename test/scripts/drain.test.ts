import { readFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { SCRIPTED, commandLine } from '../support/cli.js'
import { agentFiles, tempFolder, write } from '../support/folders.js'
import { gated, readUntil } from '../support/gate.js'
import { chunksOf, eventsOf } from '../support/service.js'

const ask = (model: string, steps: unknown[] = [], stream = true) => ({ model, stream, messages: [{ role: 'user', content: JSON.stringify(steps) }] })

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  void t.test(`on ${signal}, runs that finish in time finish, new ones get 503, and the exit code is 0`, async t => {
    const cli = commandLine(t)
    const gate = gated(t)
    const { command, post, url } = await cli.start(['--agents-dir', gate.dir, '--drain', '50'])
    const streamed = await readUntil(await post(ask('gated')), 'waiting')
    const whole = post(ask('gated', [], false))
    await (await readUntil(await post(ask('gated')), 'waiting').then(() => fetch(`${url}/health`))).text()
    command.kill(signal)
    await command.until(() => command.logged(/^svc stops/))
    t.match(command.logged(/^svc stops/), { signal, msg: /50 s/ })

    const refused = await post(ask('gated'))
    t.equal(refused.status, 503)
    t.match(await refused.json(), { error: { type: 'internal_error', code: 'shutting_down' } })
    t.equal(command.result, undefined, 'it waits for the runs')

    gate.open()
    t.ok((await streamed()).endsWith('data: [DONE]\n\n'))
    t.match(await (await whole).json(), { choices: [{ message: { content: 'waiting done' } }] })
    t.match(await command.ended, { code: 0, signal: null })
  })
}

void t.test('what is left at the end of the drain ends with an error frame, and the exit code is 0', async t => {
  const cli = commandLine(t)
  const { command, post } = await cli.start([...SCRIPTED, '--drain', '1'])
  const [obeying, deaf] = await Promise.all([readUntil(await post(ask('scripted', ['first', { hang: true }])), 'first'), readUntil(await post(ask('scripted', ['first', { deaf: true }])), 'first')])
  command.kill('SIGTERM')
  for (const rest of [obeying, deaf]) {
    const body = await rest()
    t.match(chunksOf(body).at(-1), { error: { type: 'internal_error', code: 'agent_error', message: /^Agent processing failed: .*shutting down/ } })
    t.notMatch(eventsOf(body).at(-1), /DONE/)
  }
  t.match(await command.ended, { code: 0, signal: null })
})

void t.test('idle keep-alive connections do not delay the end', async t => {
  const cli = commandLine(t)
  const { command, url } = await cli.start(['--drain', '50'])
  const agent = new http.Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  for (let i = 0; i < 3; i++) {
    await new Promise<void>((resolve, reject) => {
      http.get(`${url}/health`, { agent }, response => response.resume().once('end', resolve)).once('error', reject)
    })
  }
  const since = performance.now()
  command.kill('SIGTERM')
  t.match(await command.ended, { code: 0, signal: null })
  const took = performance.now() - since
  t.ok(took < 4000, `it took ${Math.round(took)} ms`) // Node keeps an idle connection for 5 s
})

void t.test('a second signal ends at once', async t => {
  const cli = commandLine(t)
  const { command, post } = await cli.start([...SCRIPTED, '--drain', '100'])
  const rest = await readUntil(await post(ask('scripted', ['first', { hang: true }])), 'first')
  command.kill('SIGTERM')
  await command.until(() => command.logged(/^svc stops/))
  t.equal(command.result, undefined)
  command.kill('SIGINT')
  t.match(await command.ended, { code: 1, signal: null })
  await t.rejects(rest(), 'the stream is cut off')
  t.same(cli.records(), [], 'its record is gone')
})

void t.test('a second Ctrl-C ends at once, below npm, too', async t => {
  for (const env of [{}, { npm_lifecycle_event: 'start' }]) {
    const cli = commandLine(t)
    const { command, post } = await cli.start([...SCRIPTED, '--drain', '100'], { env })
    const rest = await readUntil(await post(ask('scripted', ['first', { hang: true }])), 'first')
    command.kill('SIGINT')
    await command.until(() => command.logged(/^svc stops; 1 run has 100 s/))
    await sleep(400) // as long as a person takes
    t.equal(command.result, undefined)
    command.kill('SIGINT')
    t.match(await command.ended, { code: 1, signal: null })
    await t.rejects(rest(), 'the stream is cut off')
  }
})

void t.test('what an agent never ends at the end does not keep the service: exit 0', async t => {
  const cli = commandLine(t)
  const dir = write(tempFolder(t), agentFiles('good'))
  write(dir, { 'good/index.mjs': readFileSync(join(dir, 'good/index.mjs'), 'utf8').replace('{', '{ fastify.addHook(\'onClose\', () => new Promise(() => {})); setInterval(() => {}, 1000);') })
  const { command } = await cli.start(['--agents-dir', dir, '--drain', '0'])
  command.kill('SIGTERM')
  t.match(await command.ended, { code: 0, signal: null })
  t.ok(command.logged(/did not let go/))
})

void t.test('below npm, a signal that comes twice at once counts once', async t => {
  const cli = commandLine(t)
  const gate = gated(t)
  const { command, post } = await cli.start(['--agents-dir', gate.dir, '--drain', '50'], { env: { npm_lifecycle_event: 'start' } })
  const rest = await readUntil(await post(ask('gated')), 'waiting')
  command.kill('SIGINT')
  command.kill('SIGTERM')
  await command.until(() => command.logged(/^svc stops/))
  gate.open()
  t.ok((await rest()).endsWith('data: [DONE]\n\n'))
  t.match(await command.ended, { code: 0 })
})

void t.test('a run that waits for a slot is ended too', async t => {
  const cli = commandLine(t)
  const { command, post } = await cli.start([...SCRIPTED, '--drain', '1'])
  const rest = await readUntil(await post(ask('narrow', ['first', { hang: true }])), 'first')
  const waiting = await post(ask('narrow', ['never']))
  command.kill('SIGTERM')
  t.match(chunksOf(await waiting.text()).at(-1), { error: { code: 'agent_error', message: /shutting down/ } })
  await rest()
  t.match(await command.ended, { code: 0 })
})
