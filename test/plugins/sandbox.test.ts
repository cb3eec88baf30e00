import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import t from 'tap'
import { buildApp } from '../../app.js'
import { longestBlock, patience } from './sandbox/support.js'

/** What each process that this one started was started with. */
async function children (): Promise<string> {
  if (process.platform !== 'linux') return ''
  return (await promisify(execFile)('ps', ['--ppid', String(process.pid), '-o', 'args=']).catch(() => ({ stdout: '' }))).stdout
}

void t.test('a service that runs no code starts nothing for it, and says so', async t => {
  const app = await buildApp()
  t.teardown(() => app.close())
  t.same(app.sandbox.info(), { state: 'not started', problem: null })
  const ready = await app.inject('/health/ready')
  t.same(ready.json<{ sandbox: object }>().sandbox, { state: 'not started', problem: null })
  if (process.platform === 'linux') {
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
    for (const child of children) t.notMatch(readFileSync(`/proc/${child}/cmdline`, 'utf8'), /deno|sandbox|--api/)
  }
})

void t.test('its state is what the self-test found, and the end of the service ends it', async t => {
  const app = await buildApp()
  const { sandbox } = app
  t.equal((await sandbox.prove()).state, 'ready')
  t.same((await app.inject('/health/ready')).json<{ sandbox: object }>().sandbox, { state: 'ready', problem: null })
  const running = sandbox.test({ language: 'typescript', files: { 'a.test.ts': 'for (;;) {}' }, tests: ['a.test.ts'] }, { signal: AbortSignal.timeout(60_000) })
  const ended = t.rejects(running, { name: 'SandboxUnavailable' })
  await new Promise(resolve => setTimeout(resolve, 200))
  await app.close()
  await ended
  await t.rejects(sandbox.check({ language: 'typescript', files: { 'a.ts': '' } }, { signal: AbortSignal.timeout(5000) }), { name: 'SandboxUnavailable' })
  t.notMatch(await children(), /deno run|svc-sandbox|--api/)
})

void t.test('if the service ends while jobs start or wait for their turn, nothing starts later', async t => {
  for (const [ms, isTested] of [[0, false], [300, false], [30, true]] as const) {
    const app = await buildApp()
    const { sandbox } = app
    if (isTested) await sandbox.prove()
    const waiting: Promise<unknown>[] = []
    for (const [language, name] of [['python', 'a.py'], ['typescript', 'a.ts']] as const) {
      for (let i = 0; i < 3; i++) {
        waiting.push(sandbox.check({ language, files: { [name]: '' } }, { signal: AbortSignal.timeout(60_000) }).catch((error: unknown) => error))
        sandbox.warm(language)
      }
    }
    await new Promise(resolve => setTimeout(resolve, ms))
    await app.close()
    for (const outcome of await Promise.all(waiting)) if (outcome instanceof Error) t.equal(outcome.name, 'SandboxUnavailable')
    await new Promise(resolve => setTimeout(resolve, 300))
    t.notMatch(await children(), /deno|svc-sandbox|--api|pyright/, `${isTested ? 'tested, ' : ''}ended after ${ms} ms`)
  }
})

void t.test('the event loop is never blocked for long, whatever code does or prints', async t => {
  const app = await buildApp()
  t.teardown(() => app.close())
  await app.sandbox.prove()
  const options = { ...patience(), limits: { outputBytes: 16 * 1024 * 1024 } }
  const files = {
    'a.ts': 'export const many = Array.from({ length: 24000 }, (_, i) => i)\nexport const long = "\\u0001x".repeat(60000)\n',
    'a.test.ts': `import { it } from "vitest"
for (let i = 0; i < 3000; i++) it("test " + i, () => { console.log("x".repeat(500)) })
`
  }
  const calls = ['many', 'long'].map(expression => ({ file: 'a.ts', expression }))
  const blocked = await longestBlock(async () => {
    await app.sandbox.evaluate({ language: 'typescript', files, calls }, options)
    await app.sandbox.test({ language: 'typescript', files, tests: ['a.test.ts'] }, options)
    await app.sandbox.check({ language: 'typescript', files }, options)
  })
  t.comment(`the longest block: ${Math.round(blocked)} ms of CPU time`)
  t.ok(blocked < 250, `${Math.round(blocked)} ms`)
})
