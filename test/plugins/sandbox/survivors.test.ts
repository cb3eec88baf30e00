import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { tempFolder } from '../../support/folders.js'

const HOLDER = fileURLToPath(new URL('./holder.ts', import.meta.url))

/** A process, told apart from a later one of the same number by when it began. */
interface Seen { pid: number, began: string, name: string }

function look (pid: number): Seen | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? undefined : { pid, began: fields[19] ?? '', name: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 2000) }
  } catch {
    return undefined
  }
}

function below (pid: number): Seen[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap(task => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number))
  return children.flatMap(child => {
    const seen = look(child)
    return seen ? [seen, ...below(child)] : []
  })
}

const isAlive = ({ pid, began }: Seen) => look(pid)?.began === began

async function hold (t: Test, folder: string): Promise<{ holder: ChildProcess, pid: number, started: Seen[] }> {
  const holder = spawn(process.execPath, [...process.execArgv, HOLDER], { env: { ...process.env, TMPDIR: folder }, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => holder.kill('SIGKILL'))
  await new Promise<void>((resolve, reject) => {
    holder.stdout?.on('data', (part: Buffer) => { if (part.toString().includes('RUNNING')) resolve() })
    holder.once('exit', () => reject(new Error('the holder ended')))
  })
  const pid = holder.pid ?? 0
  const started = below(pid)
  t.teardown(() => { for (const seen of started) if (isAlive(seen)) process.kill(seen.pid, 'SIGKILL') })
  return { holder, pid, started }
}

async function gone (started: Seen[], ms = 5000): Promise<Seen[]> {
  for (const end = Date.now() + ms; Date.now() < end && started.some(isAlive);) await new Promise(resolve => setTimeout(resolve, 20))
  return started.filter(isAlive)
}

const skip = process.platform !== 'linux' && 'it looks at /proc'

void t.test('nothing survives a service that is killed by -9: not a busy loop, not a thread, not a checker, not a folder', { skip }, async t => {
  const folder = tempFolder(t)
  const { holder, started } = await hold(t, folder)
  t.ok(started.filter(({ name }) => name.includes('/deno')).length >= 3, `there was something to survive: ${started.length}`)
  t.ok(started.some(({ name }) => name.includes('--api')))
  t.ok(readdirSync(folder).some(name => name.startsWith('svc-sandbox-')))
  holder.kill('SIGKILL')
  t.same(await gone(started), [])
  for (const end = Date.now() + 3000; Date.now() < end && readdirSync(folder).some(name => name.startsWith('svc-sandbox-'));) await new Promise(resolve => setTimeout(resolve, 20))
  t.same(readdirSync(folder).filter(name => name.startsWith('svc-sandbox-')), [])
})

void t.test('nor where the guardian was killed first: another takes its place', { skip }, async t => {
  const folder = tempFolder(t)
  const { holder, pid, started } = await hold(t, folder)
  const guardian = started.find(({ name }) => name.includes('svc-sandbox-guardian'))
  if (!guardian) return t.fail('there is a guardian')
  process.kill(guardian.pid, 'SIGKILL')
  for (const end = Date.now() + 3000; Date.now() < end && !below(pid).some(({ name, pid }) => name.includes('svc-sandbox-guardian') && pid !== guardian.pid);) await new Promise(resolve => setTimeout(resolve, 20))
  await new Promise(resolve => setTimeout(resolve, 500)) // and is told of all
  const all = below(pid)
  t.ok(all.some(({ name }) => name.includes('svc-sandbox-guardian')))
  holder.kill('SIGKILL')
  t.same(await gone(all), [])
})
