import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync, lstatSync, readlinkSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { denoEnvironment } from './deno.js'

// Ends a worker whose service is gone. The limits of jobs are lower.
const CPU_SECONDS = 130

export interface Bounds {
  /** Folders and files that the process must see. */
  readable: string[]
  dataMiB: number
}

/** The second wall around a worker. The first one is Deno's own permissions. */
export interface Wall {
  name: 'bubblewrap' | 'none'
  /** The command line that runs `command` behind the wall. */
  around (command: string[], bounds: Bounds): string[]
}

/** bubblewrap, where it is installed and works: it gives a worker its own namespaces for files, network, processes and users. */
export async function findWall (deno: string): Promise<Wall> {
  const bwrap = process.platform === 'linux' ? onPath('bwrap') : undefined
  if (bwrap !== undefined) {
    const around: Wall['around'] = (command, bounds) => limited([bwrap, ...namespaces(deno, bounds.readable), ...command], bounds)
    const wall: Wall = { name: 'bubblewrap', around }
    if (await works(wall, deno)) return wall
  }
  // With setpriv the kernel ends a worker together with its service. Without it the guardian does so a moment later.
  const setpriv = process.platform === 'linux' ? onPath('setpriv') : undefined
  const tied: Wall = { name: 'none', around: (command, bounds) => limited([setpriv ?? '', '--pdeathsig', 'KILL', ...command], bounds) }
  if (setpriv !== undefined && await works(tied, deno)) return tied
  return { name: 'none', around: (command, bounds) => limited(command, bounds) }
}

async function works (wall: Wall, deno: string): Promise<boolean> {
  const [file = '', ...args] = wall.around([deno, '--version'], { readable: [], dataMiB: 1024 })
  try {
    const { stdout } = await promisify(execFile)(file, args, { env: denoEnvironment(deno), timeout: 5000 })
    return stdout.startsWith('deno')
  } catch {
    return false // the system has no user namespaces, or the tool is too old
  }
}

// Deno needs the C library. Nothing else of the system is visible.
const LIBRARIES = ['/lib', '/lib64', '/usr/lib', '/usr/lib64']

function namespaces (deno: string, readable: string[]): string[] {
  const binds = [...new Set([deno, ...readable])].flatMap(path => ['--ro-bind', path, path])
  const environment = Object.entries(denoEnvironment(deno)).flatMap(([name, value]) => ['--setenv', name, value])
  const libraries = LIBRARIES.filter(existsSync).flatMap(path => {
    return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
  })
  return ['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--clearenv', ...environment,
    ...libraries, '--proc', '/proc', '--dev', '/dev', ...binds, '--chdir', readable[0] ?? dirname(deno), '--']
}

/** No core dumps, no files, bounded CPU time and memory. A limit that the system does not support is skipped. */
function limited (command: string[], { dataMiB }: Bounds): string[] {
  if (process.platform === 'win32') return command
  const limits = ['-c 0', '-f 0', `-t ${CPU_SECONDS}`, `-d ${dataMiB * 1024}`].map(limit => `ulimit ${limit} 2>/dev/null;`).join(' ')
  return ['/bin/sh', '-c', `${limits} exec "$@"`, 'sh', ...command]
}

function onPath (name: string): string | undefined {
  return (process.env.PATH ?? '').split(delimiter).filter(isAbsolute).map(folder => join(folder, name)).find(file => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
