import type { Call, Files, Program } from '../../agents/types.js'
import { InvalidJob } from './errors.js'

const MAX_FILES = 500
const MAX_TEXT = 8 * 1024 * 1024
const MAX_PATH = 200
const MAX_CALLS = 2000
const MAX_EXPRESSION = 256 * 1024
const MAX_EXPRESSIONS = 1024 * 1024
const MIB = 1024 * 1024
const MAX_ARGS = 1000

/** The files of a job, once it is certain that they can be written below a folder and loaded by their names. */
export function checkFiles (files: Files): Files {
  const entries = Object.entries(files)
  if (entries.length === 0) throw new InvalidJob('files must not be empty')
  if (entries.length > MAX_FILES) throw new InvalidJob(`there may be ${MAX_FILES} files at most`)
  let length = 0
  const folded = new Set<string>()
  const folders = new Set<string>()
  for (const [path, text] of entries) {
    checkPath(path)
    if (typeof text !== 'string') throw new InvalidJob(`files['${path}'] must be a text`)
    length += text.length
    // On a disk that ignores case, both would be one file.
    const name = path.toLowerCase()
    if (folded.has(name)) throw new InvalidJob(`two files are called '${path}'`)
    folded.add(name)
    for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1)) folders.add(name.slice(0, at))
  }
  for (const folder of folders) if (folded.has(folder)) throw new InvalidJob(`'${folder}' is a file and a folder at once`)
  if (length > MAX_TEXT) throw new InvalidJob(`the files may hold ${MAX_TEXT} characters together`)
  return Object.freeze(Object.fromEntries(entries.map(([path, text]) => [path, text.toWellFormed()])))
}

function checkPath (path: string): void {
  const why = faultIn(path)
  if (why !== undefined) throw new InvalidJob(`the path '${path.slice(0, MAX_PATH).toWellFormed()}' ${why}`)
}

/** Why a path may not be used in a job; undefined where it may. */
export function faultIn (path: string): string | undefined {
  if (path === '' || path.length > MAX_PATH) return `must have 1 to ${MAX_PATH} characters`
  // eslint-disable-next-line no-control-regex -- control characters are meant here
  if (/[\0-\x1f\x7f<>:"|?*\\]/.test(path) || !path.isWellFormed()) return 'has a character that paths here may not have'
  for (const part of path.split('/')) {
    if (part === '') return 'must be relative, without empty parts'
    if (part === '.' || part === '..') return 'must not lead out of its folder'
    if (/[. ]$/.test(part)) return 'has a part that ends with a dot or a space'
    if (['__proto__', 'constructor', 'prototype'].includes(part)) return 'is reserved'
    if (/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(part)) return 'is reserved'
  }
  return undefined
}

/** The files of tests that a job names, without repetitions. */
export function checkTests (files: Files, tests: string[]): string[] {
  if (!Array.isArray(tests)) throw new InvalidJob('tests must be a list of paths')
  for (const test of tests) if (typeof test !== 'string' || !Object.hasOwn(files, test)) throw noFile('tests', test)
  return [...new Set(tests)]
}

export function checkCalls (files: Files, calls: Call[]): Call[] {
  if (!Array.isArray(calls) || calls.length > MAX_CALLS) throw new InvalidJob(`calls must be a list of ${MAX_CALLS} at most`)
  let length = 0
  for (const { file, expression, setup } of calls) {
    if (typeof expression !== 'string' || expression.trim() === '') throw new InvalidJob('a call needs an expression')
    if (setup !== undefined && typeof setup !== 'string') throw new InvalidJob('setup must be a text')
    if (expression.length + (setup?.length ?? 0) > MAX_EXPRESSION) throw new InvalidJob(`a call may have ${MAX_EXPRESSION} characters`)
    length += expression.length + (setup?.length ?? 0)
    if (length > MAX_EXPRESSIONS) throw new InvalidJob(`the calls may have ${MAX_EXPRESSIONS} characters together`)
    if (file !== undefined && !Object.hasOwn(files, file)) throw noFile('a call', file)
  }
  return calls
}

function noFile (where: string, name: unknown): InvalidJob {
  return new InvalidJob(`${where} names '${String(name).slice(0, MAX_PATH)}', and there is no such file`)
}

export interface CheckedProgram {
  files: Files
  entry: string
  args: string[]
  stdin: string | undefined
}

export function checkProgram ({ files, entry, args = [], stdin }: Program): CheckedProgram {
  const checked = checkFiles(files)
  if (typeof entry !== 'string' || !Object.hasOwn(checked, entry)) throw noFile('entry', entry)
  const bytes = Object.values(checked).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (bytes > MIB) throw new InvalidJob('the files of a program may have 1 MiB together')
  const isList = Array.isArray(args) && args.length <= MAX_ARGS && args.every(arg => typeof arg === 'string')
  if (!isList) throw new InvalidJob(`args must be a list of ${MAX_ARGS} texts at most`)
  if (args.some(arg => arg.includes('\0'))) throw new InvalidJob('an argument of a program may not hold a NUL character')
  if (args.reduce((sum, arg) => sum + Buffer.byteLength(arg), 0) > MIB) throw new InvalidJob('args may have 1 MiB together')
  if (stdin !== undefined && typeof stdin !== 'string') throw new InvalidJob('stdin must be a text')
  if (stdin !== undefined && Buffer.byteLength(stdin) > MIB) throw new InvalidJob('stdin may have 1 MiB')
  return { files: checked, entry, args: args.map(arg => arg.toWellFormed()), stdin: stdin?.toWellFormed() }
}
