import { readFileSync, readdirSync } from 'node:fs'

/** A process. `began` distinguishes it from a later one with the same pid. */
export interface Seen { pid: number, began: string, name: string }

function processOf (pid: number): Seen | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? undefined : { pid, began: fields[19] ?? '', name: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 2000) }
  } catch {
    return undefined
  }
}

function childrenOf (pid: number): number[] {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`).map(task => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'))
    return tasks.flatMap(children => children.trim().split(' ').filter(Boolean).map(Number))
  } catch {
    return [] // it ended meanwhile
  }
}

/** All its descendants. */
export function below (pid: number): Seen[] {
  return childrenOf(pid).flatMap(child => {
    const seen = processOf(child)
    return seen ? [seen, ...below(child)] : []
  })
}

export const isAlive = ({ pid, began }: Seen) => processOf(pid)?.began === began
