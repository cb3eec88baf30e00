import { spawn } from 'node:child_process'
import type { Test } from 'tap'
import type { Logger, Sandbox } from '../../../agents/types.js'
import { denoEnvironment, findDeno } from '../../../plugins/sandbox/deno.js'
import { LocalSandbox, type SandboxSettings } from '../../../plugins/sandbox/sandbox.js'

export { cpuMs, until } from '../../support/time.js'

export const QUIET: Logger = { debug () {}, info () {}, warn () {}, error () {} }

/** `npm run test:long` tries every case of the long lists; otherwise one of each kind is enough. */
export const IS_LONG = process.env.SVC_TEST_LONG === '1'

/** Every item of a list, or only every nth one. */
export const sampled = <T>(items: T[], nth: number): T[] => IS_LONG ? items : items.filter((_, index) => index % nth === 0)

/** A sandbox that is closed with the test. */
export function openSandbox (t: Test, settings: Partial<SandboxSettings> = {}): Sandbox {
  const sandbox = new LocalSandbox({ log: QUIET, ...settings })
  t.teardown(() => sandbox.close())
  return sandbox
}

/** Nothing here takes that long unless it hangs. */
export const patience = () => ({ signal: AbortSignal.timeout(120_000) })

/** Runs it and returns the longest time in which the event loop was blocked, as CPU time of this process. */
export async function longestBlock (work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let last = process.cpuUsage()
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(last)
    longest = Math.max(longest, (user + system) / 1000)
    last = process.cpuUsage()
  }, 2)
  await work()
  clearInterval(timer)
  return longest
}

export interface OutsideOptions { ms?: number, env?: Record<string, string> }
export interface OutsideRun { stdout: string, stderr: string, code: number | null, isTimeUp: boolean }

/** Runs the same Deno with all permissions and without our walls: this is what an attempt does where nothing stops it. */
export async function outside (args: string[], { ms = 20_000, env = {} }: OutsideOptions = {}): Promise<OutsideRun> {
  const deno = findDeno()
  const child = spawn(deno, args, { env: { ...denoEnvironment(deno), ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  let isTimeUp = false
  child.stdout.on('data', (part: Buffer) => { if (stdout.length < 1_000_000) stdout += part.toString() })
  child.stderr.on('data', (part: Buffer) => { if (stderr.length < 1_000_000) stderr += part.toString() })
  const timer = setTimeout(() => { isTimeUp = true; child.kill('SIGKILL') }, ms)
  const code = await new Promise<number | null>(resolve => child.once('close', resolve))
  clearTimeout(timer)
  return { stdout, stderr, code, isTimeUp }
}
