import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { SandboxUnavailable } from './errors.js'

const require = createRequire(import.meta.url)

/** Deno's binary. npm's shim would start another Node first, which takes 68 ms instead of 4. */
export function findDeno (): string {
  const { platform, arch } = process
  const name = `@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`
  try {
    const paths = [dirname(require.resolve('deno/package.json'))]
    return join(dirname(require.resolve(`${name}/package.json`, { paths })), platform === 'win32' ? 'deno.exe' : 'deno')
  } catch {
    if (isMusl()) throw new SandboxUnavailable('there is no Deno for musl, the C library of this system: run the service on one with glibc')
    throw new SandboxUnavailable(`the package ${name} is not installed: run "npm ci" with optional packages`)
  }
}

function isMusl (): boolean {
  if (process.platform !== 'linux') return false
  try {
    return readdirSync('/lib').some(name => name.startsWith('ld-musl-'))
  } catch {
    return false // there is no such folder, so this is not musl
  }
}

/**
 * The whole environment of a Deno process. DENO_DIR is below a file, so it cannot exist: nothing is kept for the next job, and
 * localStorage and caches have no place to write to. Without the emit mode, each module would try to write there for 75 ms.
 */
export function denoEnvironment (deno: string): Record<string, string> {
  return {
    DENO_DIR: join(deno, 'none'),
    DENO_EMIT_CACHE_MODE: 'disable',
    DENO_NO_PACKAGE_JSON: '1',
    DENO_NO_PROMPT: '1',
    DENO_NO_UPDATE_CHECK: '1',
    MALLOC_ARENA_MAX: '1', // glibc's default, one arena for each thread, takes 5 to 8 MB more
    NO_COLOR: '1',
    ...(process.platform === 'win32' && { SystemRoot: process.env.SystemRoot ?? '' })
  }
}

/** Deno may read `readable` and do nothing else. Static imports of the root module are not restricted by this, so the root must be ours. */
export function denoFlags (readable: string[], v8: string[], config?: string): string[] {
  return [
    'run', '--quiet', '--no-prompt', config === undefined ? '--no-config' : `--config=${config}`,
    '--no-lock', '--no-remote', '--cached-only', '--no-check', '--no-code-cache',
    '--deny-net', '--deny-run', '--deny-ffi', '--deny-write', '--deny-sys', '--deny-import',
    ...(readable.length > 0 ? [`--allow-read=${readable.join(',')}`] : ['--deny-read']),
    `--v8-flags=${v8.join(',')}`
  ]
}
