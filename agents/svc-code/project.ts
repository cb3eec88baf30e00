import type { AgentEvent, Call, CheckReport, Files } from '../types.js'
import { type BlindTest, readTests } from './blind-tests.js'
import { BudgetSpent } from './calls.js'
import { examine } from './checks.js'
import { line } from './findings.js'
import { type Planned, readPlan } from './plan.js'
import { type Ask, fileMessages, fileRepairMessages, fileTestMessages, planMessages } from './prompts.js'
import { readProgram } from './replies.js'
import { type Means, progress } from './solve.js'
import { type Trial, keyOf, run } from './trial.js'

export type Part = {
  planned: Planned
  source: string
  tests: BlindTest[]
  trial: Trial | null
  errors: CheckReport['diagnostics']
  repaired: boolean
} | { planned: Planned, lost: string }

export interface Built { parts: Part[], cutShort: string | null, approach: string }

const FILE_TOKENS = 4096
const PLAN_TOKENS = 1024

/** Plans a project, writes its files one after the other, tests each from its plan, and mends what fails. */
export async function * build (ask: Ask, advice: string, temperature: number, given: Files, means: Means): AsyncGenerator<AgentEvent, Built> {
  const project = new Project(ask, advice, temperature, given, means)
  try {
    yield * project.run()
  } catch (error) {
    if (means.signal.aborted || project.parts.length === 0) throw error
    project.cutShort = error instanceof BudgetSpent ? error.message : `the language model failed: ${error instanceof Error ? error.message : String(error)}`
    means.log.warn({ err: error }, 'the project ends early')
  }
  return { parts: [...project.parts, ...project.unwritten()], cutShort: project.cutShort, approach: '' }
}

type Written = Extract<Part, { source: string }>

class Project {
  readonly parts: Part[] = []
  cutShort: string | null = null
  #plan: Planned[] = []

  constructor (
    private readonly ask: Ask,
    private readonly advice: string,
    private readonly temperature: number,
    private readonly given: Files,
    private readonly means: Means
  ) {}

  async * run (): AsyncGenerator<AgentEvent> {
    yield progress('Planning the files ...')
    const { calls, signal } = this.means
    const said = yield * calls.ask({ step: 'plan', messages: planMessages(this.ask, this.advice), temperature: Math.min(this.temperature, 0.5), maxTokens: PLAN_TOKENS }, signal)
    this.#plan = readPlan(said.text, this.ask.language)
    if (this.#plan.length === 0) this.#plan = [{ path: this.ask.language === 'python' ? 'main.py' : 'src/main.ts', purpose: 'the whole program', exports: '' }]
    calls.allow(1 + 3 * this.#plan.length)
    yield progress(`Files: ${this.#plan.map(({ path }) => path).join(', ')}`)
    for (const [index, planned] of this.#plan.entries()) {
      yield progress(`Writing ${planned.path} (${index + 1} of ${this.#plan.length}) ...`)
      this.parts.push(yield * this.#write(planned))
    }
    await this.#check()
    for (const part of this.parts) {
      if (!('source' in part)) continue
      yield * this.#test(part)
      if (isWrong(part)) yield * this.#repair(part)
    }
  }

  /** What a budget that ran out left undone is named. */
  unwritten (): Part[] {
    return this.#plan.slice(this.parts.length).map(planned => ({ planned, lost: 'it was not written any more' }))
  }

  async * #write (planned: Planned): AsyncGenerator<AgentEvent, Part> {
    const { calls, signal } = this.means
    let lost = ''
    for (let attempt = 0; attempt < 2; attempt++) {
      const messages = fileMessages(this.ask, planned, this.#outline())
      const said = yield * calls.ask({ step: 'write', messages, temperature: this.temperature + 0.2 * attempt, maxTokens: FILE_TOKENS * (attempt + 1) }, signal)
      const reading = readProgram(said, { language: this.ask.language, entry: undefined, path: planned.path })
      if (reading.type === 'code') {
        const { source, checked } = await examine(reading.source, { language: this.ask.language, path: planned.path, beside: this.#files() }, this.means)
        await checked
        return { planned, source, tests: [], trial: null, errors: [], repaired: false }
      }
      lost = reading.type
    }
    return { planned, lost: `the model's replies held no program (${lost})` }
  }

  /** All files together: what one of them expects of another is seen only then. */
  async #check (): Promise<void> {
    const { sandbox, signal } = this.means
    const { diagnostics } = await sandbox.check({ language: this.ask.language, files: this.#files() }, { signal })
    for (const part of this.parts) if ('source' in part) part.errors = diagnostics.filter(({ file, severity }) => file === part.planned.path && severity === 'error')
  }

  // Written from the plan, without sight of the code.
  async * #test (part: Written): AsyncGenerator<AgentEvent> {
    const { planned } = part
    if (/(?:^|\/)(?:__init__\.py|__main__\.py|index\.[mc]?tsx?)$/.test(planned.path) || planned.exports === '' || !/[(:]/.test(planned.exports)) {
      part.trial = await this.#try(part, [{ expression: this.ask.language === 'python' ? 'None' : 'undefined' }])
      return
    }
    yield progress(`Testing ${planned.path} ...`)
    const { calls, signal } = this.means
    const said = yield * calls.ask({ step: 'tests', messages: fileTestMessages(this.ask, planned), temperature: this.temperature, maxTokens: FILE_TOKENS }, signal)
    part.tests = await readTests(said.text, { language: this.ask.language, entry: undefined }, this.means)
    part.trial = await this.#try(part, part.tests.length > 0 ? part.tests.map(({ call }) => call) : [{ expression: this.ask.language === 'python' ? 'None' : 'undefined' }])
    yield progress(tell(part))
  }

  #try (part: Written, calls: readonly Call[]): Promise<Trial> {
    const files = { ...this.#files(), [part.planned.path]: part.source }
    return run(this.means.sandbox, { language: this.ask.language, files }, calls.map(call => ({ ...call, file: part.planned.path })), this.means.signal)
  }

  /** One repair; it is taken only where more passes with it than before. */
  async * #repair (part: Written): AsyncGenerator<AgentEvent> {
    const { calls, signal } = this.means
    part.repaired = true
    yield progress(`Mending ${part.planned.path} ...`)
    const messages = fileRepairMessages(this.ask, part.planned.path, part.source, this.#outline(), wrongWith(part))
    const said = yield * calls.ask({ step: 'repair', messages, temperature: this.temperature, maxTokens: FILE_TOKENS * 2 }, signal)
    const reading = readProgram(said, { language: this.ask.language, entry: undefined, path: part.planned.path })
    if (reading.type !== 'code') return
    const { source, checked } = await examine(reading.source, { language: this.ask.language, path: part.planned.path, beside: this.#files() }, this.means)
    const errors = (await checked).diagnostics.filter(({ severity }) => severity === 'error')
    const mended: Written = { ...part, source, errors }
    mended.trial = await this.#try(mended, part.tests.length > 0 ? part.tests.map(({ call }) => call) : [{ expression: this.ask.language === 'python' ? 'None' : 'undefined' }])
    if (merit(mended) > merit(part)) Object.assign(part, mended)
    yield progress(tell(part))
  }

  #files (): Files {
    return { ...this.given, ...Object.fromEntries(this.parts.flatMap(part => 'source' in part ? [[part.planned.path, part.source]] : [])) }
  }

  #outline (): string[] {
    return this.#plan.map(({ path, purpose, exports }) => `- ${path} - ${purpose}${exports === '' ? '' : ` - ${exports}`}`)
  }
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
