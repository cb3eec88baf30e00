import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { Test } from 'tap'
import { ROOT } from './cli.js'

/** Why there is none: what gives one is `script` of util-linux. */
export const NO_TERMINAL = process.platform === 'linux' && spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0 ? false : 'needs script of util-linux'

export interface Terminal {
  readonly shown: string
  type: (keys: string) => void
  until: (condition: () => unknown) => Promise<void>
  ended: Promise<number | null>
}

/** The command line in a terminal of its own. */
export function inTerminal (t: Test, args: string[], env: Record<string, string>): Terminal {
  const command = [process.execPath, 'scripts/run.mjs', ...args].map(word => `'${word}'`).join(' ')
  const child = spawn('script', ['-qefc', `exec ${command}`, '/dev/null'], { cwd: ROOT, env: { ...process.env, NODE_OPTIONS: '', ...env, COLUMNS: '100' }, stdio: ['pipe', 'pipe', 'inherit'] })
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => { shown += part })
  child.stdin.on('error', () => undefined) // it ended before it had read all
  const ended = once(child, 'close').then(([code]) => code as number | null)
  t.teardown(async () => {
    child.stdin.end()
    child.kill('SIGTERM') // it ends what runs in it
    await ended
  })
  return {
    get shown () { return shown },
    type: keys => { child.stdin.write(keys) },
    async until (condition) {
      const end = Date.now() + 60_000
      while (!condition()) {
        if (Date.now() > end || child.exitCode !== null) throw new Error(`did not come true: ${condition.toString()}\n${shown}`)
        await new Promise(resolve => setTimeout(resolve, 20))
      }
    },
    ended
  }
}
