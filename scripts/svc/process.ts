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
 * The start time of a process: the same pid with another start time is another process. Null if the process is gone, and on Windows,
 * where finding out would take a shell that needs a second to start.
 */
export function birthOf (pid: number): string | null {
  if (HAS_PROC) return ticksOf(pid)
  return process.platform === 'win32' ? null : startedAt(pid)
}

function ticksOf (pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null // field 22; the name before it may contain spaces
  } catch {
    return null // gone
  }
}

// For macOS and the BSDs. LC_ALL and TZ make the output independent of the user's language and time zone.
function startedAt (pid: number): string | null {
  try {
    const output = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8', timeout: PS_MS, stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
    })
    return output.trim() || null
  } catch {
    return null // gone, or there is no ps
  }
}

/** The command that ends a process that does not react any more, for a person to type. */
export function killCommand (pid: number): string {
  return process.platform === 'win32' ? `taskkill /F /PID ${pid}` : `kill -9 ${pid}`
}
