import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { CheckReport, Outcome, RunReport, TestReport } from '../../agents/types.js'
import { Turns } from './turns.js'

const require = createRequire(import.meta.url)

// A path goes on to whatever cannot be a part of one in a sentence. No system has longer ones.
const REST = String.raw`(?![\w-])(?:[\\/][^\s\\/:*?"'<>|()\`,;]{0,255}){0,64}`
const JOB = /^(?:cell|files|types)-[\da-f]+$/

/**
 * Paths of this machine end here: strangers read what leaves the sandbox. A path of a job is told as it would be in `/job`, one of
 * this installation as a file of `/svc`. Any other path is the program's own text.
 */
export class Border {
  readonly #temporary: string[]
  readonly #ofCode: Pattern
  readonly #ofTools: Pattern

  /** `temporary`: where jobs live, once that is known. `packages`: the folder that they were lent. */
  constructor (temporary?: string, packages?: string) {
    const root = rootOf(dirname(fileURLToPath(import.meta.url)))
    this.#temporary = temporary === undefined ? [] : spellingsOf([temporary])
    const modules = modulesOf(require.resolve('deno/package.json'))
    const installed = [modules, join(root, 'node_modules'), join(root, 'plugins', 'sandbox'), ...(packages === undefined ? [] : [packages])]
    const own = [...this.#temporary, ...spellingsOf(installed)]
    // `/app` and `/root` tell nothing, and programs speak of them.
    const around = [root, homedir()].filter(folder => folder.split(sep).length > 2)
    this.#ofCode = patternOf(own)
    this.#ofTools = patternOf([...own, ...spellingsOf(around)])
  }

  /** What tools say of a job. They have no reason to tell of their own insides. */
  async ofTools (report: CheckReport): Promise<CheckReport> {
    await eachText(report, text => this.#replaced(withoutStack(text), this.#ofTools))
    return report
  }

  /** What came of code. It may print what it likes, so only what can be no text of its own is replaced. */
  async ofCode<T extends TestReport | Outcome[] | RunReport> (report: T): Promise<T> {
    await eachText(report, text => this.#replaced(text, this.#ofCode))
    return report
  }

  /** What the sandbox itself throws. The stack, which only a log shows, keeps the path. */
  mend (error: Error): void {
    const shown = this.#replaced(error.message, this.#ofTools)
    if (shown !== error.message) error.message = shown
  }

  #replaced (text: string, { folders, shortest, pattern }: Pattern): string {
    // Hardly any text holds one, and to look for plain text is quicker.
    if (text.length < shortest || !folders.some(folder => text.includes(folder))) return text
    return text.replace(pattern, (_path, scheme = '', folder: string, rest: string) => `${scheme}${this.#standIn(folder, rest)}`)
  }

  #standIn (folder: string, rest: string): string {
    const [job = '', ...parts] = rest.split(/[\\/]/).slice(1)
    if (!this.#temporary.includes(folder) || !JOB.test(job)) return ['/svc', ...[job, ...parts].filter(Boolean).slice(-1)].join('/')
    // The type checker of Python has a folder for each job in one of its own.
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

/** As the system, URLs and Windows' other slash write them, and where links lead. */
function spellingsOf (folders: string[]): string[] {
  const real = folders.flatMap(folder => [folder, realOf(folder)])
  return [...new Set(real.flatMap(folder => [folder, folder.replaceAll('\\', '/'), pathToFileURL(folder).pathname]))]
}

function realOf (folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder // it is not there
  }
}

/** The outermost folder of packages around a file. */
function modulesOf (file: string): string {
  const name = `${sep}node_modules`
  return file.slice(0, file.indexOf(`${name}${sep}`) + name.length)
}

// The sources lie in the root, the build below it.
function rootOf (folder: string): string {
  const parent = dirname(folder)
  return parent === folder || existsSync(join(folder, 'package.json')) ? folder : rootOf(parent)
}

function withoutStack (text: string): string {
  return text.includes('\n') ? text.split('\n').filter(line => !line.trimStart().startsWith('at ')).join('\n') : text
}

/** Changes every text in a report, however deep, without holding up the service. */
async function eachText (report: object, change: (text: string) => string): Promise<void> {
  const turns = new Turns()
  const left: object[] = [report]
  for (let at = left.pop(); at; at = left.pop()) {
    if (turns.isOver) await turns.next()
    const fields = at as Record<string, unknown>
    for (const name of Object.keys(fields)) {
      const value = fields[name]
      if (typeof value === 'string') fields[name] = change(value)
      else if (typeof value === 'object' && value !== null) left.push(value)
    }
  }
}
