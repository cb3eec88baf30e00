import { readFile } from 'node:fs/promises'
import type { Limits } from '../../agents/types.js'

export type Excess = 'time' | 'cpu' | 'memory'

type OnExcess = (excess: Excess) => void

const EVERY_MS = 25
const PAGE_KIB = 4
const TICKS = 100 // per second, on every Linux that Node runs on

/**
 * Watches a process and its descendants, and calls `onExcess` once when they pass a limit. `onCpu` gets the CPU time so far.
 * Memory and CPU time can be read on Linux only; elsewhere, and without a pid, the limits are the wall clock, V8's own and `ulimit`.
 * Returns a function that stops the watch.
 */
export function watchUsage (pid: number | undefined, limits: Limits, onExcess: OnExcess, onCpu?: (cpuMs: number) => void): () => void {
  const { wallMs, cpuMs, memoryMiB } = limits
  let isOver = false
  let next: NodeJS.Timeout | undefined
  const wall = setTimeout(() => report('time'), wallMs)
  const stop = () => {
    isOver = true
    clearTimeout(wall)
    clearTimeout(next)
  }
  const report = (excess: Excess) => {
    if (isOver) return
    stop()
    onExcess(excess)
  }
  // What the process used while it was made ready does not count against the job.
  let before: number | undefined
  const measure = async (pid: number) => {
    const usage = await usageOf(pid)
    if (isOver || usage === undefined) return
    before ??= usage.cpuMs
    onCpu?.(usage.cpuMs - before)
    if (usage.memoryKiB > memoryMiB * 1024) return report('memory')
    if (usage.cpuMs - before > cpuMs) return report('cpu')
    next = setTimeout(() => void measure(pid), EVERY_MS)
  }
  if (process.platform === 'linux' && pid !== undefined) void measure(pid)
  return stop
}

interface Usage { memoryKiB: number, cpuMs: number }

/** Of a process and its descendants; undefined once it has ended. */
async function usageOf (pid: number): Promise<Usage | undefined> {
  try {
    const names = ['statm', 'stat', `task/${pid}/children`]
    const [statm = '', stat = '', children = ''] = await Promise.all(names.map(name => readFile(`/proc/${pid}/${name}`, 'utf8')))
    // The second field is the program's name, which may hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const usage = { memoryKiB: Number(statm.split(' ')[1]) * PAGE_KIB, cpuMs: (Number(fields[11]) + Number(fields[12])) * 1000 / TICKS }
    for (const child of children.trim().split(' ').filter(Boolean)) {
      const below = await usageOf(Number(child))
      usage.memoryKiB += below?.memoryKiB ?? 0
      usage.cpuMs += below?.cpuMs ?? 0
    }
    return usage
  } catch {
    return undefined
  }
}
