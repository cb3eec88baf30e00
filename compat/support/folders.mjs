import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const WINDOWS = process.platform === 'win32'

export const COMPAT = fileURLToPath(new URL('..', import.meta.url))
export const PROGRAMS = join(COMPAT, 'programs')

/** The newer Node that the compat folder brings along. */
export const NEWER = join(COMPAT, 'node_modules', `node-${WINDOWS ? 'win' : process.platform}-${process.arch}`, 'bin', WINDOWS ? 'node.exe' : 'node')

/** A file of a package in compat/programs. */
export const packed = (...path) => join(PROGRAMS, 'node_modules', ...path)

/** A program in the virtual environment of that name. */
export const inVenv = (name, program) => join(PROGRAMS, '.venv', name, WINDOWS ? 'Scripts' : 'bin', WINDOWS ? `${program}.exe` : program)

/** The Node that runs the programs: the newest there is, as some ask for one. */
export const NODE = existsSync(NEWER) ? NEWER : process.execPath
