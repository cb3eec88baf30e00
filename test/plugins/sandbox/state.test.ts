import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Language } from '../../../agents/types.js'
import { buildApp } from '../../../app.js'
import { findDeno } from '../../../plugins/sandbox/deno.js'
import { findPaths, snapshotKey } from '../../../plugins/sandbox/python/paths.js'
import { type SelfTestResult, summary } from '../../../plugins/sandbox/state.js'
import { tempFolder } from '../../support/folders.js'
import { patience } from './support.js'

t.setTimeout(180_000)

const told = (proven: [Language, SelfTestResult][]) => summary(new Map(proven))
const ready: SelfTestResult = { state: 'ready' }
const leaking: SelfTestResult = { state: 'refused', escapes: ['a file by open', 'a datagram'] }
const lacking = (reason: string): SelfTestResult => ({ state: 'unavailable', reason })

void t.test('one escape refuses all code, and a language that does not work is named', async t => {
  t.same(told([]), { state: 'not started', problem: null })
  t.same(told([['typescript', ready], ['python', ready]]), { state: 'ready', problem: null })
  t.same(told([['typescript', ready], ['python', lacking('no room')]]), { state: 'ready', problem: 'Python is not run: no room' })
  t.same(told([['python', lacking('no room')]]), { state: 'unavailable', problem: 'Python is not run: no room' })
  t.same(told([['typescript', lacking('no Deno')], ['python', lacking('no Deno')]]), { state: 'unavailable', problem: 'TypeScript and Python are not run: no Deno' })
  t.same(told([['typescript', lacking('no Deno')], ['python', lacking('no room')]]), { state: 'unavailable', problem: 'TypeScript is not run: no Deno; Python is not run: no room' })
  t.match(told([['typescript', ready], ['python', leaking]]), { state: 'refused', problem: /code is not run.* for Python reached a file by open, a datagram/ })
})

void t.test('if Python cannot be prepared, TypeScript still runs, the state gives the reason, and Python runs once the cause is gone', async t => {
  const cache = tempFolder(t)
  const before = process.env.XDG_CACHE_HOME
  process.env.XDG_CACHE_HOME = cache
  t.teardown(() => {
    if (before === undefined) Reflect.deleteProperty(process.env, 'XDG_CACHE_HOME')
    else process.env.XDG_CACHE_HOME = before
  })
  const inTheWay = join(cache, 'svc', `python-${await snapshotKey(findPaths(), findDeno())}-${'0'.repeat(64)}.snapshot`)
  mkdirSync(inTheWay, { recursive: true, mode: 0o700 })
  const app = await buildApp()
  t.teardown(() => app.close())
  const evaluate = async (language: 'python' | 'typescript') => await app.sandbox.evaluate({ language, files: { [language === 'python' ? 'a.py' : 'a.ts']: '' }, calls: [{ expression: '1 + 1' }] }, patience())
  const half = { state: 'ready', problem: /^Python is not run: .*EISDIR/ }
  t.match(await app.sandbox.prove(), half)
  t.match((await app.inject('/health/ready')).json<{ sandbox: object }>().sandbox, half)
  t.match(await evaluate('typescript'), [{ type: 'returned', value: { value: '2' } }])
  await t.rejects(evaluate('python'), { name: 'SandboxUnavailable', message: /EISDIR/ })
  rmSync(inTheWay, { recursive: true })
  t.match(await evaluate('python'), [{ type: 'returned', value: { value: '2' } }])
  t.same(app.sandbox.info(), { state: 'ready', problem: null })
})
