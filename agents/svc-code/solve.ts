import type { AgentEvent, Call, Files, Logger, ProgressEvent, Sandbox } from '../types.js'
import { type BlindTest, readTests } from './blind-tests.js'
import { BudgetSpent, type Calls } from './calls.js'
import { type Candidate, type Setting, meets, standing } from './candidate.js'
import type { Expectation } from './expectations.js'
import { examine, isCheap, isSuspect } from './checks.js'
import { whatIsWrong } from './findings.js'
import { type Judgement, type Ranked, judge } from './judge.js'
import type { Vote } from './posterior.js'
import { probes } from './probes.js'
import { type Ask, repairMessages, testMessages, writeMessages } from './prompts.js'
import { type Reading, readProgram } from './replies.js'
import { statementsOf } from './replies/statements.js'
import { keyOf, run } from './trial.js'

export interface Work {
  ask: Ask
  setting: Setting
  examples: Expectation[]
  /** The user's own test files, which stand above everything. */
  tests: Files
  temperature: number
  /** The user's own definitions, which a reply may take for granted. */
  prelude?: string | undefined
  /** The user's program that is to be mended. */
  given?: string | undefined
}

export interface Means { calls: Calls, sandbox: Sandbox, signal: AbortSignal, log: Logger }

export interface Solved {
  best: Ranked | null
  candidates: Candidate[]
  tests: BlindTest[]
  /** Drafts that held no program, and what they held instead. */
  lost: Reading['type'][]
  /** Why it ended before it was sure; null where it was. */
  cutShort: string | null
}

// Sure enough to stop, in the posterior's terms.
const SURE = { withExamples: 0.88, without: 0.93 }
const BLIND_TESTS = 6
// With examples at hand, one blind view is enough to see what they leave open.
const VIEWS = { withExamples: 1, without: 2 }
// A second draft says more about a program that passes the examples than tests that may be wrong.
const DRAFTS_BEFORE_VIEW = { withExamples: 2, without: 1 }
// From here on, mending a wrong draft is likelier to help than one more of a model that does not know the task.
const REPAIR_AFTER = 2
const PROBES = 20
const DRAFT_TOKENS = 4096

/** Writes programs until one is known to be right as surely as can be had. */
export async function * solve (work: Work, means: Means): AsyncGenerator<AgentEvent, Solved> {
  const search = new Search(work, means)
  try {
    yield * search.run()
  } catch (error) {
    if (means.signal.aborted || search.candidates.length === 0) throw error
    search.cutShort = error instanceof BudgetSpent ? error.message : `the language model failed: ${error instanceof Error ? error.message : String(error)}`
    means.log.warn({ err: error }, 'the search ends early')
  }
  return search.solved()
}

class Search {
  readonly candidates: Candidate[] = []
  cutShort: string | null = null
  readonly #views: BlindTest[][] = []
  readonly #lost: Reading['type'][] = []
  #drafts = 0
  #calls: Call[]

  constructor (private readonly work: Work, private readonly means: Means) {
    this.#calls = work.examples.map(({ call }) => call)
  }

  async * run (): AsyncGenerator<AgentEvent> {
    if (this.work.given !== undefined) yield * this.#study({ type: 'code', source: this.work.given, approach: '' }, 'given')
    for (;;) {
      const { best } = this.#judge()
      if (best && this.#isSure(best)) return
      if (this.#cannotRun()) return
      this.cutShort = this.means.calls.spent
      if (this.cutShort !== null) return
      const broken = this.#toRepair(best)
      if (this.#wantsView(best)) yield * this.#view()
      else if (broken) yield * this.#repair(broken)
      else yield * this.#draft()
    }
  }

  solved (): Solved {
    const { best } = this.#judge()
    return { best: best ?? this.#fallback(), candidates: this.candidates, tests: this.#views.flat(), lost: this.#lost, cutShort: this.cutShort }
  }

  #judge (): Judgement {
    return judge(this.candidates, this.work.examples, this.#views.map(view => view.map(vote)))
  }

  /** Nothing ran: the last one that at least reads well. */
  #fallback (): Ranked | null {
    const candidate = this.candidates.findLast(({ fault }) => fault?.kind !== 'load') ?? this.candidates.at(-1)
    return candidate ? { candidate, chance: 0, cluster: [candidate], drafts: candidate.drafts, share: 0 } : null
  }

  // Without examples one draft alone is no witness, however many tests it passes, nor are two that most others contradict.
  #isSure ({ chance, drafts, share }: Ranked): boolean {
    return this.work.examples.length > 0 ? chance >= SURE.withExamples : chance >= SURE.without && drafts > 1 && share >= 0.5
  }

  // What needs packages that are not here cannot be told right from wrong by more of it.
  #cannotRun (): boolean {
    const last = this.candidates.at(-1)
    return last?.fault?.kind === 'sandbox' || (last?.fault?.kind === 'missing' && (last.origin !== 'draft' || this.#drafts > 1 || last.missing.some(name => this.work.ask.task.toLowerCase().includes(name.toLowerCase()))))
  }

  #wantsView (best: Ranked | undefined): boolean {
    const mode = this.work.examples.length > 0 ? 'withExamples' : 'without'
    return best !== undefined && best.chance > 0 && this.work.ask.entry !== undefined && this.#views.length < VIEWS[mode] && this.#drafts >= DRAFTS_BEFORE_VIEW[mode] + 3 * this.#views.length
  }

  #toRepair (best: Ranked | undefined): Candidate | undefined {
    const last = this.candidates.at(-1)
    if (last && !last.repaired && (isCheap(last) || isSuspect(last))) return last
    if (best && best.chance > 0) return undefined
    const given = this.candidates.find(({ origin, repaired }) => origin === 'given' && !repaired)
    if (given) return given
    if (this.#drafts < REPAIR_AFTER) return undefined
    // A repair that failed is seldom saved by another one.
    return this.candidates.findLast(candidate => candidate.origin === 'draft' && !candidate.repaired && standing(candidate, this.work.examples) === 'fails')
  }

  async * #draft (): AsyncGenerator<AgentEvent> {
    const { ask, temperature } = this.work
    const number = ++this.#drafts
    const heat = number === 1 ? temperature : Math.max(temperature, 0.8) + 0.05 * (number - 2)
    yield progress(number === 1 ? 'Writing a first draft ...' : `Writing draft ${number} ...`)
    const said = yield * this.means.calls.ask({ step: 'write', messages: writeMessages(ask), temperature: heat, maxTokens: DRAFT_TOKENS * (this.#lost.includes('truncated') ? 2 : 1) }, this.means.signal)
    yield * this.#study(readProgram(said, { language: ask.language, entry: ask.entry }), 'draft')
  }

  async * #repair (candidate: Candidate): AsyncGenerator<AgentEvent> {
    const { ask, temperature, examples, tests } = this.work
    candidate.repaired = true
    yield progress('Mending it ...')
    const wrong = whatIsWrong(candidate, examples, tests, ask.language)
    const said = yield * this.means.calls.ask({ step: 'repair', messages: repairMessages(ask, candidate.source, wrong), temperature, maxTokens: DRAFT_TOKENS * 2 }, this.means.signal)
    yield * this.#study(readProgram(said, { language: ask.language, entry: ask.entry }), 'repair')
  }

  /** Tests from somebody who has not seen the programs. */
  async * #view (): AsyncGenerator<AgentEvent> {
    const { ask, temperature, setting } = this.work
    yield progress('Writing tests without looking at the program ...')
    const said = yield * this.means.calls.ask({ step: 'tests', messages: testMessages(ask, BLIND_TESTS), temperature: Math.max(temperature, 0.5), maxTokens: DRAFT_TOKENS }, this.means.signal)
    const tests = await readTests(said.text, { ...setting, entry: ask.entry }, this.means)
    this.#views.push(tests)
    const known = new Set(this.#calls.map(keyOf))
    const fresh = [...tests.map(({ call }) => call), ...(this.#views.length === 1 ? probes([...this.#calls, ...tests.map(({ call }) => call)], PROBES) : [])].filter(call => !known.has(keyOf(call)))
    this.#calls.push(...new Map(fresh.map(call => [keyOf(call), call])).values())
    for (const candidate of this.candidates) {
      if (candidate.fault !== null || standing(candidate, this.work.examples) === 'fails') continue
      const { results } = await run(this.means.sandbox, this.#program(candidate.source), fresh.map(call => this.#at(call)), this.means.signal)
      for (const [key, result] of results) candidate.results.set(key, result)
    }
    const best = this.#judge().best?.candidate
    if (best) yield progress(`${tests.filter(test => best.results.get(keyOf(test.call))?.print === test.print).length} of ${tests.length} blind tests agree.`)
  }

  async * #study (reading: Reading, origin: Candidate['origin']): AsyncGenerator<AgentEvent> {
    const { setting, examples, tests, ask } = this.work
    if (reading.type === 'code') ask.entry ??= mainOf(reading.source, ask.language)
    if (reading.type !== 'code') {
      this.#lost.push(reading.type)
      yield progress(`The model's reply held no program (${reading.type}).`)
      return
    }
    const examined = await examine(reading.source, { ...setting, entry: ask.entry, prelude: this.work.prelude }, this.means)
    const same = this.candidates.find(({ source }) => bare(source) === bare(examined.source))
    if (same) {
      // A repair that changed nothing is no second witness.
      if (origin === 'draft') same.drafts++
      yield progress('It is the same as one before.')
      return
    }
    const files = this.#program(examined.source)
    const [checked, trial, report] = await Promise.all([
      examined.checked,
      run(this.means.sandbox, files, this.#calls.map(call => this.#at(call)), this.means.signal),
      Object.keys(tests).length > 0 ? this.means.sandbox.test({ ...files, tests: Object.keys(tests) }, { signal: this.means.signal }) : null
    ])
    const candidate: Candidate = {
      source: examined.source, approach: reading.approach, origin, ...checked, fault: trial.fault, results: trial.results, report, drafts: origin === 'given' ? 0 : 1, repaired: false
    }
    this.candidates.push(candidate)
    yield progress(this.#tell(candidate, examples))
  }

  #tell (candidate: Candidate, examples: readonly Expectation[]): string {
    const { made } = this.means.calls
    if (candidate.fault !== null) return `Call ${made}: the program cannot be run: ${candidate.fault.message.split('\n', 1)[0] ?? ''}`
    if (examples.length === 0) return `Call ${made}: the program loads.`
    return `Call ${made}: ${examples.filter(example => meets(candidate, example)).length} of ${examples.length} examples pass.`
  }

  #program (source: string): { language: Setting['language'], files: Files } {
    const { language, path, beside } = this.work.setting
    return { language, files: { ...beside, ...this.work.tests, [path]: source } }
  }

  #at (call: Call): Call {
    return { ...call, file: this.work.setting.path }
  }
}

/** Programs that differ in spaces and comments are one. */
function bare (source: string): string {
  return source.replace(/(?:#|\/\/)[^\n]*$/gm, '').replace(/\s+/g, '')
}

/** What a program that was asked for without a name is mainly about: its last public function or class. */
function mainOf (source: string, language: Setting['language']): string | undefined {
  const names = statementsOf(source, language).filter(({ kind }) => kind === 'definition').flatMap(({ names }) => names)
  return names.findLast(name => !name.startsWith('_')) ?? names.at(-1)
}

function vote ({ call, print }: BlindTest): Vote {
  return { call: keyOf(call), wants: print }
}

export function progress (text: string): ProgressEvent {
  return { type: 'progress', text: `${text}\n` }
}
