// Improves on a first draft where something says that it is wrong, or where an oracle can tell right from wrong.
import type { AgentEvent, Call, Logger, Sandbox } from '../../types.js'
import { type BlindTest, readTests } from '../examples/expectations.js'
import { type Calls, type Cut, type Said, cutBy } from '../model/calls.js'
import type { Prompts } from '../model/prompts.js'
import type { Came } from '../reply/came.js'
import type { Draft } from '../reply/draft.js'
import type { Talk } from '../talk.js'
import { type Candidate, type Subject, agreeing, meets, standing } from './candidate.js'
import { examine, mainOf } from './examine.js'
import { whatIsWrong } from './findings.js'
import { isCheap, isSuspect } from './slips.js'
import { type Judgement, type Ranked, judge } from './judge.js'
import type { Vote } from './posterior.js'
import { probes } from './probes.js'
import { keyOf } from './prints.js'
import { run } from './trial.js'

export interface Means {
  calls: Calls
  sandbox: Sandbox
  signal: AbortSignal
  log: Logger
  talk: Talk
  prompts: Prompts
  temperature: number
  seed: number | undefined
  /** Reads a reply as the first one was read. */
  read (said: Said): Came
}

export interface Found {
  best: Ranked
  candidates: readonly Candidate[]
  tests: readonly BlindTest[]
  /** Why it ended before it was sure; null where it was, or where more would tell nothing. */
  cut: Cut | null
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

/** What more of the model can tell about a program of this kind. */
export type Oracle =
  | 'calls' // functions: examples, and blind tests beside independent drafts
  | 'output' // scripts with expected output, and the user's own tests
  | 'none' // servers, windows, edits without examples: only a slip of the pen can be mended

export async function * search (first: Draft, subject: Subject, oracle: Oracle, means: Means): AsyncGenerator<AgentEvent, Found> {
  const hunt = new Search(subject, oracle, means)
  yield * hunt.study(first, 'draft')
  try {
    yield * hunt.run()
  } catch (error) {
    if (means.signal.aborted) throw error
    hunt.cut = cutBy(error)
    means.log.warn({ err: error }, 'the search ends early')
  }
  return hunt.found()
}

class Search {
  readonly #candidates: Candidate[] = []
  cut: Cut | null = null
  readonly #views: BlindTest[][] = []
  #drafts = 1
  #cutDrafts = 0
  #calls: Call[]

  constructor (private readonly subject: Subject, private readonly oracle: Oracle, private readonly means: Means) {
    this.#calls = subject.examples.map(({ call }) => call)
  }

  async * run (): AsyncGenerator<AgentEvent, void> {
    for (;;) {
      const { best } = this.#judge()
      if (this.#isDone(best)) return
      const broken = this.#toRepair(best)
      const wantsView = this.#wantsView(best)
      if (this.oracle === 'none' && !broken) return
      const { spent } = this.means.calls
      if (spent !== null) {
        this.cut = { why: spent }
        return
      }
      if (wantsView) yield * this.#view()
      else if (broken) yield * this.#repair(broken)
      else yield * this.#draft()
    }
  }

  found (): Found {
    const { best } = this.#judge()
    return { best: best ?? this.#fallback(), candidates: this.#candidates, tests: this.#views.flat(), cut: this.cut }
  }

  async * study (draft: Draft, origin: Candidate['origin']): AsyncGenerator<AgentEvent, void> {
    const main = mainOf(draft, this.subject)
    const same = this.#candidates.find(candidate => bare(candidate.main.source) === bare(main.source))
    if (same) {
      // A repair that changed nothing is no second witness.
      if (origin === 'draft') same.drafts++
      return
    }
    const candidate = await examine(draft, origin, this.subject, this.#calls, this.means)
    this.#candidates.push(candidate)
    yield progress(this.#tell(candidate))
  }

  #judge (): Judgement {
    return judge(this.#candidates, this.subject, this.#views.map(view => view.map(vote)))
  }

  /** Nothing ran: the first that at least loads, else what the model said first. */
  #fallback (): Ranked {
    const candidate = this.#candidates.find(({ fault }) => fault?.kind !== 'load') ?? this.#candidates[0]
    if (!candidate) throw new Error('a search without a draft')
    return { candidate, chance: 0, cluster: [candidate], drafts: candidate.drafts, share: 0 }
  }

  /** Sure, or as sure as can be had: what needs a library that is not here is not told right from wrong by more of it. */
  #isDone (best: Ranked | undefined): boolean {
    const last = this.#candidates.at(-1)
    if (last?.fault?.kind === 'missing' || last?.fault?.kind === 'sandbox') return true
    if (best === undefined || best.candidate.topFault !== null) return false
    const { chance, drafts, share, candidate } = best
    const stands = standing(candidate, this.subject)
    switch (this.oracle) {
      case 'none': return false
      case 'output': return stands === 'passes'
      // Without examples one draft alone is no witness, however many tests it passes, nor are two that most others contradict.
      case 'calls':
        return this.subject.examples.length > 0 ? chance >= SURE.withExamples : chance >= SURE.without && drafts > 1 && share >= 0.5
    }
  }

  #wantsView (best: Ranked | undefined): boolean {
    const mode = this.subject.examples.length > 0 ? 'withExamples' : 'without'
    return this.oracle === 'calls' && best !== undefined && best.chance > 0 && this.subject.entry !== undefined
      && this.#views.length < VIEWS[mode] && this.#drafts >= DRAFTS_BEFORE_VIEW[mode] + 3 * this.#views.length
  }

  #toRepair (best: Ranked | undefined): Candidate | undefined {
    const last = this.#candidates.at(-1)
    if (last && !last.repaired && (isCheap(last) || isSuspect(last))) {
      return this.oracle === 'none' && last.origin === 'repair' ? undefined : last
    }
    if (this.oracle === 'none' || (best && best.chance > 0 && best.candidate.topFault === null)) return undefined
    if (this.#drafts < REPAIR_AFTER) return undefined
    // A repair that failed is seldom saved by another one.
    return this.#candidates.findLast(candidate => candidate.origin === 'draft'
      && !candidate.repaired
      && standing(candidate, this.subject) === 'fails')
  }

  async * #draft (): AsyncGenerator<AgentEvent, void> {
    const { prompts, calls, temperature, seed, signal } = this.means
    const number = this.#drafts++
    yield progress(`Writing it again (${number + 1}) ...`)
    const said = yield * calls.ask({
      step: 'write', messages: await prompts.write(this.subject), temperature: Math.max(temperature, 0.7) + 0.05 * (number - 1),
      seed: seed === undefined ? undefined : seed + number, maxTokens: DRAFT_TOKENS * (this.#cutDrafts > 0 ? 2 : 1)
    }, signal)
    yield * this.#read(said, 'draft')
  }

  async * #repair (candidate: Candidate): AsyncGenerator<AgentEvent, void> {
    const { prompts, calls, temperature, signal } = this.means
    candidate.repaired = true
    yield progress('Mending it ...')
    const wrong = whatIsWrong(candidate, this.subject)
    const messages = await prompts.repair(this.subject, candidate.main.source, wrong)
    yield * this.#read(yield * calls.ask({ step: 'repair', messages, temperature, maxTokens: DRAFT_TOKENS * 2 }, signal), 'repair')
  }

  async * #read (said: Said, origin: Candidate['origin']): AsyncGenerator<AgentEvent, void> {
    const came = this.means.read(said)
    const usable = came.type === 'programs' && came.draft.files.some(file => file.profile === this.subject.profile && this.#isWhole(file))
    if (came.type === 'programs' && usable) return yield * this.study(came.draft, origin)
    if (came.type === 'lost' && came.why === 'cut') this.#cutDrafts++
    yield progress('The reply held no whole program.')
  }

  #isWhole (file: Draft['files'][number]): boolean {
    return (!file.elided || this.subject.long !== undefined) && !file.profile.isStub(file.source, this.subject.entry)
  }

  /** Tests from somebody who has not seen the programs. */
  async * #view (): AsyncGenerator<AgentEvent, void> {
    const { subject, means } = this
    yield progress('Writing tests without looking at the program ...')
    const messages = means.prompts.tests(subject, BLIND_TESTS)
    const said = yield * means.calls.ask(
      { step: 'tests', messages, temperature: Math.max(means.temperature, 0.5), maxTokens: DRAFT_TOKENS },
      means.signal
    )
    const tests = await readTests(said.text, subject, means)
    this.#views.push(tests)
    const known = new Set(this.#calls.map(keyOf))
    const tried = tests.map(({ call }) => call)
    const probed = this.#views.length === 1 ? probes([...this.#calls, ...tried], PROBES) : []
    const fresh = [...tried, ...probed].filter(call => !known.has(keyOf(call)))
    const more = [...new Map(fresh.map(call => [keyOf(call), call])).values()]
    this.#calls.push(...more)
    for (const candidate of this.#candidates) {
      if (candidate.fault !== null || standing(candidate, subject) === 'fails') continue
      const files = copiesOf(candidate, subject)
      const { results } = await run(
        means.sandbox,
        { language: subject.profile.id, files },
        more.map(call => ({ ...call, file: candidate.path })),
        means.signal
      )
      for (const [key, result] of results) candidate.results.set(key, result)
    }
    const best = this.#judge().best?.candidate
    if (best) yield progress(`${agreeing(tests, best).length} of ${tests.length} of them agree.`)
  }

  #tell (candidate: Candidate): string {
    const { examples } = this.subject
    if (candidate.fault !== null) return `It cannot be run: ${candidate.fault.message.split('\n', 1)[0] ?? ''}`
    if (examples.length === 0) return 'It loads.'
    return `${examples.filter(example => meets(candidate, example)).length} of ${examples.length} examples pass.`
  }
}

function copiesOf (candidate: Candidate, { profile, beside, long }: Subject): Record<string, string> {
  const { files, path, topFault, spliced, main } = candidate
  const whole = spliced && long ? profile.splice(long.source, main.source) : files[path] ?? ''
  const own = Object.keys(files).filter(name => profile.runs(name))
  const copies = Object.fromEntries(own.map(name => [name, profile.loadable(files[name] ?? '')]))
  return { ...beside, ...copies, [path]: topFault === null ? profile.loadable(whole) : profile.bare(whole) }
}

/** Programs that differ in spaces and comments are one. */
function bare (source: string): string {
  return source.split('\n').map(line => withoutComment(line)).join('').replace(/\s+/g, '')
}

function withoutComment (line: string): string {
  const at = line.search(/#|\/\//)
  return at < 0 ? line : line.slice(0, at)
}

function vote ({ call, print }: BlindTest): Vote {
  return { call: keyOf(call), wants: print }
}

export function progress (text: string): AgentEvent {
  return { type: 'progress', text: `${text}\n` }
}
