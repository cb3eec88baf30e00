import type { TestResult } from '../../../agents/types.js'
import { LIMIT_REACHED } from '../limits.js'
import type { Failure, TestRun } from '../test-report.js'
import { isRecord } from '../values.js'
import type { WorkerRun } from '../worker.js'
import { type Job, type Thrown, frameOf, sentence, thrownIn, withoutFolder } from './thrown.js'
import { unavailableIn } from './unavailable.js'

const STOPPED = { ...LIMIT_REACHED, exited: 'the process ended before its tests had' }

interface KnownTest { result: TestResult, isSettled: boolean, isRunning: boolean }

/** What the runner reported of one file of tests before its process ended. */
export function testRun (run: WorkerRun, job: Job): TestRun {
  const reader = new MessageReader(job)
  for (const { body, output } of run.messages) reader.read(isRecord(body) ? body : {}, output)
  return reader.finish(run)
}

class MessageReader {
  readonly #job: Job
  readonly #unavailableIn: ReturnType<typeof unavailableIn>
  readonly #tests: KnownTest[] = []
  /** What was thrown outside of any test. */
  readonly #failures: Thrown[] = []
  readonly #missing = new Set<string>()
  #unavailable: string | undefined
  #running: KnownTest | undefined
  #loading: string | undefined
  #output = ''

  constructor (job: Job) {
    this.#job = job
    this.#unavailableIn = unavailableIn(job.files)
  }

  read (message: Record<string, unknown>, output: string): void {
    const test = typeof message.id === 'number' ? this.#tests[message.id] : undefined
    this.#addOutput(output)
    switch (message.type) {
      case 'loading': this.#loading = String(message.file); break
      case 'loaded': this.#loading = undefined; break
      case 'load error':
        this.#loading = undefined
        this.#fail(thrownIn(message))
        break
      case 'tests': for (const test of Array.isArray(message.tests) ? message.tests : []) this.#tests.push(collected(test)); break
      case 'start':
        this.#running = test
        if (test) test.isRunning = true
        break
      case 'test': if (test) this.#settle(test, message); break
      case 'broken': this.#fail(thrownIn(message)); break
    }
  }

  finish (run: WorkerRun): TestRun {
    this.#addOutput(run.rest)
    const late = run.testMs === null ? undefined : `did not end within ${run.testMs / 1000} s`
    const why = late ? `a test ${late}` : run.cause !== null ? STOPPED[run.cause] : null
    for (const { result, isSettled, isRunning } of this.#tests) {
      if (isRunning) {
        Object.assign(result, { outcome: 'failed', trust: 'ran', message: late ? `it ${late}` : STOPPED[run.cause ?? 'exited'] })
      } else if (!isSettled && result.outcome !== 'skipped') {
        result.message ??= late ? 'it was not reached' : why ?? 'nothing was reported of it'
      }
    }
    const { folder } = this.#job
    return {
      tests: this.#tests.map(({ result }) => {
        return { ...result, name: withoutFolder(result.name, folder), output: withoutFolder(result.output, folder) }
      }),
      failure: this.#failure(run, why),
      missing: [...this.#missing],
      unavailable: this.#unavailable,
      output: withoutFolder(this.#output, folder),
      durationMs: run.durationMs
    }
  }

  #failure ({ cause }: WorkerRun, why: string | null): Failure | undefined {
    const [thrown] = this.#failures
    const frame = thrown ? frameOf(thrown, this.#job) : null
    const where = this.#loading === undefined ? '' : ` while ${this.#loading} was loaded`
    if (cause !== null) return { cause, message: `${why ?? ''}${where}`, frame }
    if (!thrown) return undefined
    return { cause: thrown.kind === 'exit' ? 'exited' : 'load error', message: withoutFolder(sentence(thrown), this.#job.folder), frame }
  }

  #addOutput (output: string): void {
    if (this.#running?.isRunning) this.#running.result.output += output
    else this.#output += output
  }

  #fail (thrown: Thrown): void {
    if (this.#isUnavailable(thrown) === undefined) this.#failures.push(thrown)
  }

  /** The message, where something was thrown because of what is not here. */
  #isUnavailable (thrown: Thrown): string | undefined {
    const unavailable = this.#unavailableIn(thrown)
    if (unavailable?.module !== undefined) this.#missing.add(unavailable.module)
    this.#unavailable ??= unavailable?.message
    return unavailable?.message
  }

  #settle (test: KnownTest, message: Record<string, unknown>): void {
    const { outcome, ms } = message
    const { result } = test
    const { folder } = this.#job
    test.isSettled = true
    test.isRunning = false
    result.durationMs = typeof ms === 'number' ? ms : 0
    if (outcome === 'passed' || outcome === 'skipped') result.outcome = outcome
    if (outcome === 'passed') result.trust = 'ran'
    if (outcome === 'skipped' && typeof message.message === 'string') result.message = withoutFolder(message.message, folder) || null
    if (outcome !== 'failed') return
    const thrown = thrownIn(message)
    const unavailable = this.#isUnavailable(thrown)
    result.outcome = unavailable === undefined ? 'failed' : 'not run'
    result.trust = unavailable === undefined ? 'ran' : 'not run'
    result.message = unavailable ?? withoutFolder(sentence(thrown), folder)
    result.frame = frameOf(thrown, this.#job)
  }
}

function collected (test: unknown): KnownTest {
  const { name, file, skipped } = isRecord(test) ? test : {}
  const result: TestResult = {
    name: String(name), file: String(file), outcome: skipped === true ? 'skipped' : 'not run', trust: 'not run',
    durationMs: 0, message: null, frame: null, output: ''
  }
  return { result, isSettled: false, isRunning: false }
}
