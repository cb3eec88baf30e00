import { createSocket } from 'node:dgram'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import type { Outcome } from '../../../../agents/types.js'
import { tempFolder, write } from '../../../support/folders.js'
import { openSandbox, outside, patience } from '../support.js'
import { type Bait, SECRETS, TRACES, moduleOf } from './attempts.js'

const SECRET = 'the secret of the host'
const VARIABLE = 'SVC_TEST_BAIT'

void t.test('no attempt reaches anything outside of the job, though all of them succeed outside of the sandbox', async t => {
  const dir = tempFolder(t)
  write(dir, {
    'bait.txt': SECRET,
    'bait.json': JSON.stringify({ secret: SECRET }),
    'bait.ts': `export default ${JSON.stringify(SECRET)}\n`,
    'worker.ts': `(self as any).postMessage(${JSON.stringify(SECRET)})\n`
  })
  mkdirSync(join(dir, 'open'))
  let connections = 0
  let datagrams = 0
  const tcp = createServer(socket => { connections++; socket.on('error', () => {}); socket.end('HTTP/1.1 204 No Content\r\n\r\n') }).listen(0, '127.0.0.1')
  const udp = createSocket('udp4', () => { datagrams++ })
  udp.bind(0, '127.0.0.1')
  await Promise.all([once(tcp, 'listening'), once(udp, 'listening')])
  t.teardown(() => { tcp.close(); udp.close() })
  process.env[VARIABLE] = SECRET
  t.teardown(() => { delete process.env[VARIABLE] })
  const target = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], { stdio: 'ignore', env: { ...process.env, [VARIABLE]: SECRET } })
  t.teardown(() => target.kill('SIGKILL'))

  const bait: Bait = { text: join(dir, 'bait.txt'), json: join(dir, 'bait.json'), module: join(dir, 'bait.ts'), folder: join(dir, 'open'), secret: SECRET, tcp: (tcp.address() as AddressInfo).port, udp: udp.address().port, variable: VARIABLE, pid: target.pid ?? 0 }
  const all = Object.entries({ ...SECRETS, ...TRACES })
  const modules = Object.fromEntries(all.map(([, body], index) => [`attempt${index}.ts`, moduleOf(body, bait)]))

  void t.test('the control: outside of the sandbox, all succeed', async t => {
    write(dir, {
      ...Object.fromEntries(Object.entries(modules).map(([name, text]) => [`outside/${name}`, text])),
      'outside/all.ts': `const results: unknown[] = []
for (let i = 0; i < ${all.length}; i++) {
  let result: unknown
  try { result = await Promise.race([(await import("./attempt" + i + ".ts")).attempt(), new Promise(r => setTimeout(r, 3000, "late"))]) } catch (e) { result = "failed: " + e }
  results.push(String(result))
}
console.log("RESULTS " + JSON.stringify(results))
Deno.exit(0)`
    })
    const run = await outside(['run', '-A', '--quiet', '--no-check', '--no-config', '--no-lock', '--unstable-kv', join(dir, 'outside/all.ts')], { ms: 60_000, env: { [VARIABLE]: SECRET, HOME: dir, DENO_DIR: join(dir, 'deno') } })
    const [, list = '[]'] = /RESULTS (.*)/.exec(run.stdout) ?? []
    const results = JSON.parse(list) as string[]
    t.equal(results.length, all.length, run.stderr)
    for (const [index, [name]] of all.entries()) {
      const result = results[index] ?? ''
      if (name in SECRETS) t.ok(result.includes(SECRET), `${name}: ${result.slice(0, 200)}`)
      else t.equal(result, 'ok', name)
    }
    t.ok(connections >= 5)
    t.ok(datagrams >= 2)
  })

  void t.test('inside, none succeeds', async t => {
    const before = { connections, datagrams, files: readdirSync(bait.folder).length }
    const sandbox = openSandbox(t, { processes: 4 })
    // Each has a process of its own, since one that ends its process would hide the others.
    await Promise.all(all.map(async ([name], index) => {
      const file = `attempt${index}.ts`
      const calls = [{ file, expression: 'attempt()' }]
      const options = { ...patience(), limits: { wallMs: 5000 } }
      const [outcome] = await sandbox.evaluate({ language: 'typescript', files: { [file]: modules[file] ?? '' }, calls }, options)
      t.ok(outcome && failed(outcome), `${name}: ${JSON.stringify(outcome).slice(0, 300)}`)
      t.notOk(JSON.stringify(outcome).includes(SECRET), `${name} gives nothing away`)
    }))
    await new Promise(resolve => setTimeout(resolve, 300))
    t.equal(connections, before.connections, 'no connection')
    t.equal(datagrams, before.datagrams, 'no datagram')
    t.equal(readdirSync(bait.folder).length, before.files, 'no file')
    t.equal(target.exitCode ?? target.signalCode, null, 'no signal')
    t.same(sandbox.info(), { state: 'ready', problem: null })
  })
})

/** Whether the attempt was refused, or returned nothing. */
function failed (outcome: Outcome): boolean {
  if (outcome.type !== 'returned') return true
  const { value } = outcome
  return value.type === 'undefined' || value.type === 'none' || (value.type === 'str' && ['', '{}', 'undefined'].includes(value.value))
}
