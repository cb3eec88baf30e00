import { readFileSync, readdirSync } from 'node:fs'

/** A process, told apart from a later one of the same number by when it began. */
export interface Seen { pid: number, began: string, name: string }

function look (pid: number): Seen | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? undefined : { pid, began: fields[19] ?? '', name: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 2000) }
  } catch {
    return undefined
  }
}

/** Its children, theirs, and so on. */
export function below (pid: number): Seen[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap(task => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number))
  return children.flatMap(child => {
    const seen = look(child)
    return seen ? [seen, ...below(child)] : []
  })
}

export const isAlive = ({ pid, began }: Seen) => look(pid)?.began === began
