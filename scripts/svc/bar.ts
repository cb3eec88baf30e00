import { type Pace, inFull } from '../../plugins/backend/models/pace.js'

const WIDTH = 24

/** Shows a progress bar on the terminal. The next output (another bar, or a log line) overwrites it. */
export function showBar (name: string, pace: Pace): void {
  const share = pace.total === undefined ? 0 : Math.min(1, pace.done / pace.total)
  const filled = Math.round(share * WIDTH)
  const line = `${name} [${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${inFull(pace)}`
  process.stderr.write(`\r\x1b[2K${line.slice(0, (process.stderr.columns ?? 80) - 1)}${share === 1 ? '\n' : '\r'}`)
}

let last = -Infinity

/** Prints progress as plain lines every few seconds, for output that is no terminal. */
export function printLine (name: string, pace: Pace): void {
  const now = performance.now()
  if (now - last < 5000 && pace.done !== pace.total) return
  last = now
  console.error(`${name}: ${inFull(pace)}`)
}
