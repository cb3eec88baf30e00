import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const HAS_PROC = existsSync('/proc/self/stat')
const PS_MS = 2000

export function isAlive (pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * When a process began, as its system tells it: the same pid with another birth is another process. Null where the process
 * is gone, and on Windows, which tells it only through a shell that takes a second to start.
 */
export function birthOf (pid: number): string | null {
  if (HAS_PROC) return ticksOf(pid)
  return process.platform === 'win32' ? null : startedAt(pid)
}

function ticksOf (pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null // field 22; the name before it may hold anything
  } catch {
    return null // gone
  }
}

// macOS and the BSDs. The same words each time, whatever the user's language and time zone are.
function startedAt (pid: number): string | null {
  try {
    const told = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', timeout: PS_MS, stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } })
    return told.trim() || null
  } catch {
    return null // gone, or there is no ps
  }
}

/** What ends a process that no longer listens to anything, for a person to type. */
export function killCommand (pid: number): string {
  return process.platform === 'win32' ? `taskkill /F /PID ${pid}` : `kill -9 ${pid}`
}
