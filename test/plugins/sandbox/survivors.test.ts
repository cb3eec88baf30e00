import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { tempFolder } from '../../support/folders.js'
import { type Seen, below, isAlive } from './processes.js'
import { until } from './support.js'

const HOLDER = fileURLToPath(new URL('./holder.ts', import.meta.url))

/** Starts a service with two jobs, a worker that waits and a checker. */
async function hold (t: Test, folder: string): Promise<{ holder: ChildProcess, pid: number, started: Seen[] }> {
  const holder = spawn(process.execPath, [...process.execArgv, HOLDER], { env: { ...process.env, TMPDIR: folder }, stdio: ['ignore', 'ignore', 'inherit'] })
  t.teardown(() => holder.kill('SIGKILL'))
  const pid = holder.pid ?? 0
  let started: Seen[] = []
  const count = (word: string) => started.filter(({ name }) => name.includes(word)).length
  await until(() => {
    if (holder.exitCode !== null) throw new Error('the holder ended')
    started = below(pid)
    return count('/deno') >= 3 && count('--api') >= 1 && count('svc-sandbox-guardian') === 1
  })
  t.teardown(() => { for (const seen of started) if (isAlive(seen)) process.kill(seen.pid, 'SIGKILL') })
  return { holder, pid, started }
}

const skip = process.platform !== 'linux' && 'it looks at /proc'

void t.test('nothing survives a service that is killed by -9: not a busy loop, not a thread, not a checker, not a folder', { skip }, async t => {
  const folder = tempFolder(t)
  const { holder, started } = await hold(t, folder)
  t.ok(readdirSync(folder).some(name => name.startsWith('svc-sandbox-')))
  holder.kill('SIGKILL')
  await until(() => !started.some(isAlive))
  await until(() => !readdirSync(folder).some(name => name.startsWith('svc-sandbox-')))
})

void t.test('nothing survives either if the guardian was killed before: another one replaces it', { skip }, async t => {
  const folder = tempFolder(t)
  const { holder, pid, started } = await hold(t, folder)
  const guardian = started.find(({ name }) => name.includes('svc-sandbox-guardian'))
  if (!guardian) return t.fail('there is a guardian')
  process.kill(guardian.pid, 'SIGKILL')
  await until(() => below(pid).some(({ name, pid }) => name.includes('svc-sandbox-guardian') && pid !== guardian.pid))
  await new Promise(resolve => setTimeout(resolve, 500)) // until it has read all groups
  const all = below(pid)
  holder.kill('SIGKILL')
  await until(() => !all.some(isAlive))
})
