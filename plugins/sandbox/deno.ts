import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { SandboxUnavailable } from './errors.js'

const require = createRequire(import.meta.url)

/** The binary itself: npm's shim would start another Node first (68 ms instead of 4). */
export function findDeno (): string {
  const { platform, arch } = process
  const name = `@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`
  try {
    const paths = [dirname(require.resolve('deno/package.json'))]
    return join(dirname(require.resolve(`${name}/package.json`, { paths })), platform === 'win32' ? 'deno.exe' : 'deno')
  } catch {
    if (isMusl()) throw new SandboxUnavailable('there is no Deno for this system\'s C library (musl): run the service on a glibc system, such as a Debian image, and code is run again')
    throw new SandboxUnavailable(`the package ${name} is not installed: run "npm ci" with optional packages, on a system for which there is a Deno`)
  }
}

function isMusl (): boolean {
  if (process.platform !== 'linux') return false
  try {
    return readdirSync('/lib').some(name => name.startsWith('ld-musl-'))
  } catch {
    return false // no such folder, so nothing of musl's
  }
}

/**
 * The whole environment of a Deno process. Its folder cannot exist, as it lies below a file: nothing is kept for the
 * next job, and localStorage and caches have nowhere to write. Without the emit mode each module would try to for 75 ms.
 */
export function denoEnvironment (deno: string): Record<string, string> {
  return {
    DENO_DIR: join(deno, 'none'),
    DENO_EMIT_CACHE_MODE: 'disable',
    DENO_NO_PACKAGE_JSON: '1',
    DENO_NO_PROMPT: '1',
    DENO_NO_UPDATE_CHECK: '1',
    MALLOC_ARENA_MAX: '1', // of glibc: one for each thread holds 5 to 8 MB more
    NO_COLOR: '1',
    ...(process.platform === 'win32' && { SystemRoot: process.env.SystemRoot ?? '' })
  }
}

/** Nothing is allowed but to read `readable`. Static imports of the root module are not held to it: the root must be ours. */
export function denoFlags (readable: string[], v8: string[], config?: string): string[] {
  return [
    'run', '--quiet', '--no-prompt', config === undefined ? '--no-config' : `--config=${config}`, '--no-lock', '--no-remote', '--cached-only', '--no-check', '--no-code-cache',
    '--deny-net', '--deny-run', '--deny-ffi', '--deny-write', '--deny-sys', '--deny-import',
    ...(readable.length > 0 ? [`--allow-read=${readable.join(',')}`] : ['--deny-read']),
    `--v8-flags=${v8.join(',')}`
  ]
}
