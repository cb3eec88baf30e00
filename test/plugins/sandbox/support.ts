import { spawn } from 'node:child_process'
import type { Test } from 'tap'
import type { Logger, Sandbox } from '../../../agents/types.js'
import { denoEnvironment, findDeno } from '../../../plugins/sandbox/deno.js'
import { LocalSandbox, type SandboxSettings } from '../../../plugins/sandbox/sandbox.js'

export const QUIET: Logger = { debug () {}, info () {}, warn () {}, error () {} }

/** A sandbox that is gone with the test. */
export function openSandbox (t: Test, settings: Partial<SandboxSettings> = {}): Sandbox {
  const sandbox = new LocalSandbox({ log: QUIET, ...settings })
  t.teardown(() => sandbox.close())
  return sandbox
}

/** Nothing here takes that long, unless it hangs. */
export const patience = () => ({ signal: AbortSignal.timeout(60_000) })

/** The same Deno with every permission and none of our walls: what an attempt does where nothing stops it. */
export async function outside (args: string[], { input = '', ms = 20_000, env = {} }: { input?: string, ms?: number, env?: Record<string, string> } = {}): Promise<{ stdout: string, stderr: string, code: number | null, isTimeUp: boolean }> {
  const deno = findDeno()
  const child = spawn(deno, args, { env: { ...denoEnvironment(deno), ...env }, stdio: 'pipe' })
  let stdout = ''
  let stderr = ''
  let isTimeUp = false
  child.stdout.on('data', (part: Buffer) => { if (stdout.length < 1_000_000) stdout += part.toString() })
  child.stderr.on('data', (part: Buffer) => { if (stderr.length < 1_000_000) stderr += part.toString() })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const timer = setTimeout(() => { isTimeUp = true; child.kill('SIGKILL') }, ms)
  const code = await new Promise<number | null>(resolve => child.once('close', resolve))
  clearTimeout(timer)
  return { stdout, stderr, code, isTimeUp }
}
