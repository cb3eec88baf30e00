import { readFile } from 'node:fs/promises'
import type { Limits } from '../../agents/types.js'

export type Excess = 'time' | 'cpu' | 'memory'

const EVERY_MS = 25
const PAGE_KIB = 4
const TICKS = 100 // per second, on every Linux that Node runs on

/**
 * Watches what a process and its descendants use, and tells once when they pass a limit. Memory and CPU can be seen on
 * Linux only; elsewhere the wall clock, V8's own limits and `ulimit` have to do. `onSeen` hears of the CPU time so far.
 */
export function watchUse (pid: number, { wallMs, cpuMs, memoryMiB }: Limits, onExcess: (excess: Excess) => void, onSeen: (cpuMs: number) => void = () => {}): () => void {
  let isOver = false
  let next: NodeJS.Timeout | undefined
  const tell = (excess: Excess) => {
    if (isOver) return
    end()
    onExcess(excess)
  }
  const wall = setTimeout(() => tell('time'), wallMs)
  const end = () => {
    isOver = true
    clearTimeout(wall)
    clearTimeout(next)
  }
  // What the process used before its job, while it was made ready, is not the job's.
  let before: number | undefined
  const look = async () => {
    const use = await useOf(pid)
    if (isOver || use === undefined) return
    before ??= use.cpuMs
    onSeen(use.cpuMs - before)
    if (use.memoryKiB > memoryMiB * 1024) return tell('memory')
    if (use.cpuMs - before > cpuMs) return tell('cpu')
    next = setTimeout(() => void look(), EVERY_MS)
  }
  if (process.platform === 'linux') void look()
  return end
}

interface Use { memoryKiB: number, cpuMs: number }

/** Of a process and all below it; undefined where it is gone. */
export async function useOf (pid: number): Promise<Use | undefined> {
  try {
    const [statm, stat, children] = await Promise.all(['statm', 'stat', `task/${pid}/children`].map(name => readFile(`/proc/${pid}/${name}`, 'utf8')))
    // The second field is the program's name, which may hold anything.
    const fields = (stat ?? '').slice((stat ?? '').lastIndexOf(')') + 2).split(' ')
    const use: Use = { memoryKiB: Number(statm?.split(' ')[1]) * PAGE_KIB, cpuMs: (Number(fields[11]) + Number(fields[12])) * 1000 / TICKS }
    for (const child of (children ?? '').trim().split(' ').filter(Boolean)) {
      const below = await useOf(Number(child))
      use.memoryKiB += below?.memoryKiB ?? 0
      use.cpuMs += below?.cpuMs ?? 0
    }
    return use
  } catch {
    return undefined
  }
}
