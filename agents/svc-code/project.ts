import type { AgentEvent, CheckReport, Files } from '../types.js'
import { type BlindTest, readTests } from './blind-tests.js'
import { BudgetSpent } from './calls.js'
import { tidy } from './checks.js'
import { linked } from './linked.js'
import { line } from './findings.js'
import { isSource, isTest } from './paths.js'
import { type Planned, readPlan } from './plan.js'
import { type Ask, changeMessages, fileMessages, fileRepairMessages, fileTestMessages, planMessages } from './prompts.js'
import { readAsset, readProgram } from './replies.js'
import { type Means, progress } from './solve.js'
import { type Trial, keyOf, run } from './trial.js'

export interface Written {
  planned: Planned
  source: string
  tests: BlindTest[]
  /** Null where nothing of it was run. */
  trial: Trial | null
  errors: CheckReport['diagnostics']
  repaired: boolean
  /** It was there before, and is as it was. */
  kept: boolean
}

export type Part = Written | { planned: Planned, lost: string }

export interface Built {
  parts: Part[]
  /** What the plan names and was not built. */
  left: string[]
  cutShort: string | null
}

export interface Site {
  ask: Ask
  /** What such a project looks like, for the plan. */
  layout: string
  /** Node takes the imports of its files with their extension only. */
  wantsExtensions: boolean
  temperature: number
  /** The files of a project that is to be changed. */
  given: Files
}

const FILE_TOKENS = 4096
const PLAN_TOKENS = 1024
const CALLS_PER_FILE = 3

/** Plans a project, writes its files one after the other, tests each from its plan, and mends what fails. */
export async function * build (site: Site, means: Means): AsyncGenerator<AgentEvent, Built> {
  const project = new Project(site, means)
  let cutShort: string | null = null
  try {
    yield * project.run()
  } catch (error) {
    if (means.signal.aborted || !project.parts.some(part => 'source' in part && !part.kept)) throw error
    cutShort = reasonOf(error)
    means.log.warn({ err: error }, 'the project ends early')
  }
  await project.settle()
  return { parts: [...project.parts, ...project.unwritten()], left: project.left, cutShort }
}

/** Why the work ended, in words for the reader. */
export function reasonOf (error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof BudgetSpent) return message
  return error instanceof Error && ['InvalidJob', 'SandboxUnavailable'].includes(error.name) ? `the sandbox failed: ${message}` : `the language model failed: ${message}`
}

class Project {
  readonly parts: Part[] = []
  left: string[] = []
  #plan: Planned[] = []
  #isChecked = false

  constructor (private readonly site: Site, private readonly means: Means) {}

  async * run (): AsyncGenerator<AgentEvent> {
    yield progress('Planning the files ...')
    this.#plan = yield * this.#planned()
    const { language } = this.site.ask
    for (const [path, source] of Object.entries(this.site.given)) {
      if (isSource(path, language) && !isTest(path) && !this.#plan.some(planned => planned.path === path)) this.parts.push({ ...fresh({ path, purpose: '', exports: '' }, source), kept: true })
    }
    this.means.calls.allow(CALLS_PER_FILE * this.#plan.length)
    yield progress(`Files: ${this.#plan.map(({ path }) => path).join(', ')}`)
    for (const [index, planned] of this.#plan.entries()) {
      yield progress(`Writing ${planned.path} (${index + 1} of ${this.#plan.length}) ...`)
      this.parts.push(yield * this.#write(planned))
    }
    await this.#check()
    for (const part of this.parts) {
      if (!('source' in part) || part.kept || !isSource(part.planned.path, language)) continue
      yield * this.#test(part)
      if (isWrong(part)) yield * this.#repair(part)
    }
  }

  /** Where the work ended early, and where a file was mended after others had been tried: what is there now is run. */
  async settle (): Promise<void> {
    const { signal, log } = this.means
    try {
      if (!this.#isChecked || this.parts.some(part => 'source' in part && part.repaired)) await this.#check()
      for (const part of this.parts) if ('source' in part && isSource(part.planned.path, this.site.ask.language) && (part.trial === null || isWrong(part))) part.trial = await this.#try(part)
    } catch (error) {
      if (signal.aborted) throw error
      log.warn({ err: error }, 'what was written cannot be run')
    }
  }

  /** What a budget that ran out left undone is named. */
  unwritten (): Part[] {
    return this.#plan.filter(({ path }) => !this.parts.some(({ planned }) => planned.path === path)).map(planned => ({ planned, lost: 'it was not written any more' }))
  }

  async * #planned (): AsyncGenerator<AgentEvent, Planned[]> {
    const { ask, layout, given, temperature } = this.site
    const sources = Object.keys(given).filter(path => isSource(path, ask.language) && !isTest(path))
    const messages = sources.length === 0 ? planMessages(ask, layout) : changeMessages(ask, layout, sources.map(path => `- ${path}`))
    for (let attempt = 0; attempt < 2; attempt++) {
      const said = yield * this.means.calls.ask({ step: 'plan', messages, temperature: Math.min(temperature, 0.5) + 0.3 * attempt, maxTokens: PLAN_TOKENS }, this.means.signal)
      const { files, left } = readPlan(said.text, ask.language)
      this.left = left
      if (files.length > 0) return files
    }
    // Without a plan all that is there may have to change, and what is not there yet is one program.
    return sources.length > 0 ? sources.map(path => ({ path, purpose: '', exports: '' })) : [{ path: ask.language === 'python' ? 'main.py' : 'src/main.ts', purpose: 'the whole program', exports: '' }]
  }

  async * #write (planned: Planned): AsyncGenerator<AgentEvent, Part> {
    const { calls, signal } = this.means
    const { ask, temperature, given } = this.site
    const isCode = isSource(planned.path, ask.language)
    if (isMarker(planned) && given[planned.path] === undefined) return fresh(planned, '')
    let lost = ''
    for (let attempt = 0; attempt < 2; attempt++) {
      const messages = fileMessages(ask, planned, this.#outline(), given[planned.path])
      const said = yield * calls.ask({ step: 'write', messages, temperature: temperature + 0.2 * attempt, maxTokens: FILE_TOKENS * (attempt + 1) }, signal)
      const reading = isCode ? readProgram(said, { language: ask.language, entry: undefined, path: planned.path }) : readAsset(said, planned.path)
      if (reading.type === 'code') return fresh(planned, isCode ? await this.#tidy(reading.source, planned.path) : reading.source)
      lost = reading.type
    }
    return { planned, lost: `the model's replies held no whole file (${lost})${given[planned.path] === undefined ? '' : ', and it is as it was'}` }
  }

  async #tidy (source: string, path: string): Promise<string> {
    const { ask: { language }, wantsExtensions } = this.site
    const tidied = await tidy(source, { language, path }, this.means)
    return wantsExtensions ? linked(tidied, path, [...this.#plan.map(({ path }) => path), ...Object.keys(this.site.given)]) : tidied
  }

  /** All files together: what one of them expects of another is seen only then. */
  async #check (): Promise<void> {
    const { sandbox, signal } = this.means
    const { diagnostics } = await sandbox.check({ language: this.site.ask.language, files: this.#files() }, { signal })
    for (const part of this.parts) if ('source' in part) part.errors = diagnostics.filter(({ file, severity }) => file === part.planned.path && severity === 'error')
    this.#isChecked = true
  }

  // Written from the plan, without sight of the code.
  async * #test (part: Written): AsyncGenerator<AgentEvent> {
    const { planned } = part
    const hasMore = !/(?:^|\/)(?:__init__\.py|__main__\.py|index\.[mc]?tsx?)$/.test(planned.path) && /[(:]/.test(planned.exports)
    if (hasMore) {
      yield progress(`Testing ${planned.path} ...`)
      const { calls, signal } = this.means
      const said = yield * calls.ask({ step: 'tests', messages: fileTestMessages(this.site.ask, planned), temperature: this.site.temperature, maxTokens: FILE_TOKENS }, signal)
      part.tests = await readTests(said.text, { language: this.site.ask.language, entry: undefined }, this.means)
    }
    part.trial = await this.#try(part)
    if (hasMore) yield progress(tell(part))
  }

  /** On its tests; where it has none it is loaded. */
  #try (part: Written): Promise<Trial> {
    const { language } = this.site.ask
    const files = { ...this.#files(), [part.planned.path]: part.source }
    const calls = part.tests.length > 0 ? part.tests.map(({ call }) => call) : [{ expression: language === 'python' ? 'None' : 'undefined' }]
    return run(this.means.sandbox, { language, files }, calls.map(call => ({ ...call, file: part.planned.path })), this.means.signal)
  }

  /** One repair; it is taken only where more passes with it than before. */
  async * #repair (part: Written): AsyncGenerator<AgentEvent> {
    const { calls, sandbox, signal } = this.means
    const { ask, temperature } = this.site
    const { path } = part.planned
    yield progress(`Mending ${path} ...`)
    const said = yield * calls.ask({ step: 'repair', messages: fileRepairMessages(ask, path, part.source, this.#outline(), wrongWith(part)), temperature, maxTokens: FILE_TOKENS * 2 }, signal)
    const reading = readProgram(said, { language: ask.language, entry: undefined, path })
    if (reading.type !== 'code') return
    const source = await this.#tidy(reading.source, path)
    const { diagnostics } = await sandbox.check({ language: ask.language, files: { ...this.#files(), [path]: source } }, { signal })
    const mended: Written = { ...part, source, repaired: true, errors: diagnostics.filter(({ file, severity }) => file === path && severity === 'error') }
    mended.trial = await this.#try(mended)
    if (merit(mended) > merit(part)) Object.assign(part, mended)
    yield progress(tell(part))
  }

  #files (): Files {
    return { ...this.site.given, ...Object.fromEntries(this.parts.flatMap(part => 'source' in part ? [[part.planned.path, part.source]] : [])) }
  }

  #outline (): string[] {
    const kept = this.parts.filter(part => 'source' in part && part.kept).map(({ planned }) => planned)
    return [...kept, ...this.#plan].map(({ path, purpose, exports }) => `- ${path}${purpose === '' ? '' : ` - ${purpose}`}${exports === '' ? '' : ` - ${exports}`}`)
  }
}

/** It says no more than that its folder is a package. */
function isMarker ({ path, purpose, exports }: Planned): boolean {
  return path.endsWith('__init__.py') && exports === '' && (purpose === '' || /\b(?:package|marker|empty)\b/i.test(purpose))
}

function fresh (planned: Planned, source: string): Written {
  return { planned, source, tests: [], trial: null, errors: [], repaired: false, kept: false }
}

export function passed ({ tests, trial }: Written): BlindTest[] {
  return tests.filter(({ call, print }) => trial?.results.get(keyOf(call))?.print === print)
}

function isWrong (part: Written): boolean {
  if (part.trial?.fault) return part.trial.fault.kind === 'load'
  return passed(part).length < part.tests.length || part.errors.length > 0
}

function merit (part: Written): number {
  return (part.trial?.fault ? -100 : passed(part).length) - part.errors.length / 100
}

function wrongWith (part: Written): string {
  const { trial, tests, errors } = part
  if (trial?.fault) return `It cannot be run:\n${trial.fault.message}`
  const good = passed(part)
  const failing = tests.filter(test => !good.includes(test)).map(({ call, shown }) => {
    const outcome = trial?.results.get(keyOf(call))?.outcome
    return `- \`${call.expression}\` should ${shown}${outcome?.type === 'raised' ? `, but raises ${outcome.name}: ${outcome.message.split('\n', 1)[0] ?? ''}` : ', and does not'}`
  })
  return [
    ...(failing.length > 0 ? [`These tests failed:\n${failing.join('\n')}`] : []),
    ...(errors.length > 0 ? [`The checker reports:\n${errors.slice(0, 6).map(line).join('\n')}`] : [])
  ].join('\n\n')
}

function tell (part: Written): string {
  if (part.trial?.fault) return `${part.planned.path}: not run (${part.trial.fault.message.split('\n', 1)[0] ?? ''})`
  return `${part.planned.path}: ${passed(part).length} of ${part.tests.length} tests pass.`
}
