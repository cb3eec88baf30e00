import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { CheckReport, Outcome, RunReport, TestReport } from '../../agents/types.js'
import { TimeSlice } from './time-slice.js'

const require = createRequire(import.meta.url)

// The rest of a path, up to a character that ends it in a sentence. No system has longer names or more parts.
const REST = String.raw`(?![\w-])(?:[\\/][^\s\\/:*?"'<>|()\`,;]{0,255}){0,64}`
const JOB = /^(?:worker|files|types)-[\da-f]+$/

/**
 * Replaces the paths of this machine, since strangers read the reports of the sandbox. A path of a job becomes one in `/job`, a
 * path of this installation a file of `/svc`. Any other path is the program's own text.
 */
export class PathMask {
  readonly #temporary: string[]
  readonly #ofCode: Pattern
  readonly #ofTools: Pattern

  /** `temporary`: where jobs are, once that is known. `packages`: the folder of packages that jobs may import. */
  constructor (temporary?: string, packages?: string) {
    const root = rootOf(dirname(fileURLToPath(import.meta.url)))
    this.#temporary = temporary === undefined ? [] : spellingsOf([temporary])
    const modules = modulesOf(require.resolve('deno/package.json'))
    const installed = [modules, join(root, 'node_modules'), join(root, 'plugins', 'sandbox'), ...(packages === undefined ? [] : [packages])]
    const own = [...this.#temporary, ...spellingsOf(installed)]
    // A path with one part, as `/app` or `/root`, reveals nothing, and programs use it as text of their own.
    const around = [root, homedir()].filter(folder => folder.split(sep).length > 2)
    this.#ofCode = patternOf(own)
    this.#ofTools = patternOf([...own, ...spellingsOf(around)])
  }

  /** Masks what tools said about a job. Stacks of the tools themselves are removed. */
  async maskTools (report: CheckReport): Promise<CheckReport> {
    await eachText(report, text => this.#replaced(withoutStack(text), this.#ofTools))
    return report
  }

  /** Masks what code printed or returned: only paths that it can have from nowhere but this machine. */
  async maskCode<T extends TestReport | Outcome[] | RunReport> (report: T): Promise<T> {
    await eachText(report, text => this.#replaced(text, this.#ofCode))
    return report
  }

  /** Masks the message of an error of the sandbox. The stack, which only a log shows, keeps the path. */
  maskError (error: Error): void {
    const masked = this.#replaced(error.message, this.#ofTools)
    if (masked !== error.message) error.message = masked
  }

  #replaced (text: string, { folders, shortest, pattern }: Pattern): string {
    // Hardly any text holds one of the folders, and a search for plain text is quicker than the pattern.
    if (text.length < shortest || !folders.some(folder => text.includes(folder))) return text
    return text.replace(pattern, (_path, scheme = '', folder: string, rest: string) => `${scheme}${this.#masked(folder, rest)}`)
  }

  #masked (folder: string, rest: string): string {
    const [job = '', ...parts] = rest.split(/[\\/]/).slice(1)
    if (!this.#temporary.includes(folder) || !JOB.test(job)) return ['/svc', ...[job, ...parts].filter(Boolean).slice(-1)].join('/')
    // The type checker of Python has a folder for each job inside its own.
    return ['/job', ...job.startsWith('types') ? parts.slice(1) : parts].join('/')
  }
}

interface Pattern { folders: string[], shortest: number, pattern: RegExp }

function patternOf (folders: string[]): Pattern {
  const sorted = folders.toSorted((a, b) => b.length - a.length)
  const escaped = sorted.map(folder => folder.replace(/[.+*?^${}()|[\]\\]/g, String.raw`\$&`))
  const pattern = new RegExp(`(file://)?(${escaped.join('|')})(${REST})`, 'g')
  return { folders, shortest: Math.min(...folders.map(({ length }) => length)), pattern }
}

/** The folders as the system, URLs and programs with forward slashes write them, and the folders that links lead to. */
function spellingsOf (folders: string[]): string[] {
  const real = folders.flatMap(folder => [folder, existsSync(folder) ? realpathSync(folder) : folder])
  return [...new Set(real.flatMap(folder => [folder, folder.replaceAll('\\', '/'), pathToFileURL(folder).pathname]))]
}

/** The outermost node_modules folder around a file. */
function modulesOf (file: string): string {
  const name = `${sep}node_modules`
  return file.slice(0, file.indexOf(`${name}${sep}`) + name.length)
}

// The sources are in the root, the build in a folder below it.
function rootOf (folder: string): string {
  const parent = dirname(folder)
  return parent === folder || existsSync(join(folder, 'package.json')) ? folder : rootOf(parent)
}

function withoutStack (text: string): string {
  return text.includes('\n') ? text.split('\n').filter(line => !line.trimStart().startsWith('at ')).join('\n') : text
}

/** Changes every text in a report, however deep it is. */
async function eachText (report: object, change: (text: string) => string): Promise<void> {
  const slice = new TimeSlice()
  const left: object[] = [report]
  for (let at = left.pop(); at; at = left.pop()) {
    if (slice.isOver) await slice.next()
    const fields = at as Record<string, unknown>
    for (const name of Object.keys(fields)) {
      const value = fields[name]
      if (typeof value === 'string') fields[name] = change(value)
      else if (typeof value === 'object' && value !== null) left.push(value)
    }
  }
}
