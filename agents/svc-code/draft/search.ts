// Improves on a first draft, if it is known to be wrong, or if an oracle can distinguish right from wrong programs.
import type { AgentEvent, Call, Logger, Sandbox } from '../../types.js'
import { type BlindTest, readTests } from '../examples/expectations.js'
import { type Calls, type EarlyEnd, type ModelReply, earlyEndOf } from '../model/calls.js'
import type { Prompts } from '../model/prompts.js'
import type { ParsedReply } from '../reply/parse-reply.js'
import type { Draft } from '../reply/draft.js'
import type { Conversation } from '../conversation.js'
import { type Candidate, type Subject, agreeing, meets, standing } from './candidate.js'
import { examine, mainOf } from './examine.js'
import { problemsOf } from './problems.js'
import { isCheap, isSuspect } from './slips.js'
import { type Ranking, type Ranked, rank } from './rank.js'
import type { Vote } from './posterior.js'
import { probes } from './probes.js'
import { keyOf } from './comparable.js'
import { run } from './trial.js'

export interface SearchTools {
  calls: Calls
  sandbox: Sandbox
  signal: AbortSignal
  log: Logger
  conversation: Conversation
  prompts: Prompts
  temperature: number
  seed: number | undefined
  /** Parses a reply in the same way as the first one. */
  read (said: ModelReply): ParsedReply
}

export interface SearchResult {
  best: Ranked
  candidates: readonly Candidate[]
  tests: readonly BlindTest[]
  /** Why the search ended early; null if it ended because it was sure, or because more drafts would not help. */
  cut: EarlyEnd | null
}

// The search stops at these chances that the best candidate is right.
const SURE = { withExamples: 0.88, without: 0.93 }
const BLIND_TESTS = 6
// How many times the model is asked for blind tests. With examples, once is enough.
const VIEWS = { withExamples: 1, without: 2 }
// How many drafts are written before the first blind tests: if the user gave examples, a second draft says more than such tests.
const DRAFTS_BEFORE_VIEW = { withExamples: 2, without: 1 }
// After this many drafts, repairing a wrong one is likelier to help than one more draft.
const REPAIR_AFTER = 2
const PROBES = 20
const DRAFT_TOKENS = 4096

/** How a program of this kind can be tested for being right, beyond the checks that every program gets. */
export type Oracle =
  | 'calls' // functions: examples, and blind tests and independent drafts
  | 'output' // scripts with expected output, and the user's own tests
  | 'none' // servers, windows, edits without examples: only errors such as a misspelled name can be repaired

export async function * search (
  first: Draft, subject: Subject, oracle: Oracle, means: SearchTools
): AsyncGenerator<AgentEvent, SearchResult> {
  const search = new Search(subject, oracle, means)
  yield * search.study(first, 'draft')
  try {
    yield * search.run()
  } catch (error) {
    if (means.signal.aborted) throw error
    search.cut = earlyEndOf(error)
    means.log.warn({ err: error }, 'the search ends early')
  }
  return search.found()
}

class Search {
  readonly #candidates: Candidate[] = []
  cut: EarlyEnd | null = null
  readonly #views: BlindTest[][] = []
  #drafts = 1
  #cutDrafts = 0
  #calls: Call[]

  constructor (private readonly subject: Subject, private readonly oracle: Oracle, private readonly means: SearchTools) {
    this.#calls = subject.examples.map(({ call }) => call)
  }

  async * run (): AsyncGenerator<AgentEvent, void> {
    for (;;) {
      const { best } = this.#rank()
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

  found (): SearchResult {
    const { best } = this.#rank()
    return { best: best ?? this.#fallback(), candidates: this.#candidates, tests: this.#views.flat(), cut: this.cut }
  }

  async * study (draft: Draft, origin: Candidate['origin']): AsyncGenerator<AgentEvent, void> {
    const main = mainOf(draft, this.subject)
    const same = this.#candidates.find(candidate => bare(candidate.main.source) === bare(main.source))
    if (same) {
      // A repair that changed nothing does not count as a second draft.
      if (origin === 'draft') same.drafts++
      return
    }
    const candidate = await examine(draft, origin, this.subject, this.#calls, this.means)
    this.#candidates.push(candidate)
    yield progress(this.#tell(candidate))
  }

  #rank (): Ranking {
    return rank(this.#candidates, this.subject, this.#views.map(view => view.map(vote)))
  }

  /** If nothing ran: the first candidate that at least loads, otherwise the first one. */
  #fallback (): Ranked {
    const candidate = this.#candidates.find(({ fault }) => fault?.kind !== 'load') ?? this.#candidates[0]
    if (!candidate) throw new Error('a search without a draft')
    return { candidate, chance: 0, cluster: [candidate], drafts: candidate.drafts, share: 0 }
  }

  /** Whether the best candidate is good enough, or more drafts would not help, as for programs that need a missing library. */
  #isDone (best: Ranked | undefined): boolean {
    const last = this.#candidates.at(-1)
    if (last?.fault?.kind === 'missing' || last?.fault?.kind === 'sandbox') return true
    if (best === undefined || best.candidate.topFault !== null) return false
    const { chance, drafts, share, candidate } = best
    const stands = standing(candidate, this.subject)
    switch (this.oracle) {
      case 'none': return false
      case 'output': return stands === 'passes'
      // Without examples, one draft alone is not enough, however many tests it passes, nor are two that most others contradict.
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
    // A repair that failed is not repaired again, since that seldom helps.
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
    const wrong = problemsOf(candidate, this.subject)
    const messages = await prompts.repair(this.subject, candidate.main.source, wrong)
    yield * this.#read(yield * calls.ask({ step: 'repair', messages, temperature, maxTokens: DRAFT_TOKENS * 2 }, signal), 'repair')
  }

  async * #read (said: ModelReply, origin: Candidate['origin']): AsyncGenerator<AgentEvent, void> {
    const came = this.means.read(said)
    const usable = came.type === 'programs' && came.draft.files.some(file => file.profile === this.subject.profile && this.#isWhole(file))
    if (came.type === 'programs' && usable) return yield * this.study(came.draft, origin)
    if (came.type === 'lost' && came.why === 'cut') this.#cutDrafts++
    yield progress('The reply held no whole program.')
  }

  #isWhole (file: Draft['files'][number]): boolean {
    return (!file.elided || this.subject.long !== undefined) && !file.profile.isStub(file.source, this.subject.entry)
  }

  /** Asks the model for blind tests, and runs all candidates on them. */
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
    const best = this.#rank().best?.candidate
    if (best) yield progress(`${agreeing(tests, best).length} of ${tests.length} of them agree.`)
  }

  #tell (candidate: Candidate): string {
    const { examples } = this.subject
    if (candidate.fault !== null) return `It cannot be run: ${candidate.fault.message.split('\n', 1)[0] ?? ''}`
    if (examples.length === 0) return 'It loads.'
    return `${examples.filter(example => meets(candidate, example)).length} of ${examples.length} examples pass.`
  }
}

function copiesOf (candidate: Candidate, { profile, otherFiles, long }: Subject): Record<string, string> {
  const { files, path, topFault, spliced, main } = candidate
  const whole = spliced && long ? profile.splice(long.source, main.source) : files[path] ?? ''
  const own = Object.keys(files).filter(name => profile.runs(name))
  const copies = Object.fromEntries(own.map(name => [name, profile.loadable(files[name] ?? '')]))
  return { ...otherFiles, ...copies, [path]: topFault === null ? profile.loadable(whole) : profile.bare(whole) }
}

/** A source without white space and comments: programs that differ only in these count as the same. */
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
