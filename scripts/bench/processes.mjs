import { readFileSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const TICKS = 100 // per second, on every Linux that Node runs on
const SETTLED_MS = 10
const PATIENCE = 20_000
const NAMES = [[/worker\.mjs/, 'Python worker'], [/sandbox\/typescript\/main\.js/, 'TypeScript worker'], [/pyright\.cjs/, 'pyright'], [/\/tsc\b/, 'tsc'], [/guardian/, 'guardian'], [/node/, 'service']]

export const canSee = process.platform === 'linux'

/** A process and all its descendants, each with its name and the processor time (in ms) of itself and its dead children. */
export function treeOf (pid) {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name, which may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const cpu = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 1000 / TICKS
    const children = readdirSync(`/proc/${pid}/task`).flatMap(task => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean))
    const name = NAMES.find(([words]) => words.test(command))?.[1] ?? command.slice(0, 40)
    return [{ pid, name, cpu }, ...children.flatMap(child => treeOf(Number(child)))]
  } catch {
    return [] // it has ended
  }
}

/** For each process of the tree, in MB of 10^6 bytes: its resident memory (RSS), and the same with shared pages divided (PSS). */
export function memoryOf (pid) {
  return treeOf(pid).map(({ pid, name }) => {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    const of = field => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(rollup)?.[1]) * 1024 / 1e6
    return { name, rss: of('Rss'), pss: of('Pss') }
  })
}

export function cpuOf (pid) {
  return treeOf(pid).reduce((sum, { cpu }) => sum + cpu, 0)
}

/** Waits until the process and its descendants are idle, so that the next measurement is not disturbed by earlier work. */
export async function settled (pid) {
  if (!canSee) return await sleep(1000)
  const end = performance.now() + PATIENCE
  for (let before = cpuOf(pid), quiet = 0; quiet < 3 && performance.now() < end;) {
    await sleep(40)
    const now = cpuOf(pid)
    quiet = Math.abs(now - before) < SETTLED_MS ? quiet + 1 : 0
    before = now
  }
}
