import { randomBytes } from 'node:crypto'
import { Script } from 'node:vm'
import type { Call, Files, Outcome } from '../../../agents/types.js'
import { LIMIT_REACHED } from '../limits.js'
import { TimeSlice } from '../time-slice.js'
import { decodeValue, isRecord } from '../values.js'
import type { WorkerRun } from '../worker.js'
import { isSource } from './imports.js'
import { type Job, type Thrown, frameOf, sentence, thrownIn, withoutFolder } from './thrown.js'
import { type Unavailable, unavailableIn } from './unavailable.js'

const MAX_PARSED = 4096
const STOPPED = { ...LIMIT_REACHED, exited: 'the process ended before the call had' }

/** A call as JavaScript. `index` is its place among the job's calls. */
export interface PreparedCall { file: string, code: string, index: number }

export interface PreparedCalls {
  files: Files
  /** The name of the function that each called file exports in addition. */
  evaluator: string
  calls: PreparedCall[]
  /** The outcomes of calls that do not parse, by their index. */
  broken: Map<number, Outcome>
}

/** Adds a function to each called file that evaluates code in the scope of the file. */
export async function prepareCalls (files: Files, calls: Call[]): Promise<PreparedCalls> {
  const evaluator = `evaluate_${randomBytes(8).toString('hex')}`
  const prepared: PreparedCall[] = []
  const broken = new Map<number, Outcome>()
  const main = Object.keys(files).find(isSource) ?? Object.keys(files)[0] ?? ''
  const slice = new TimeSlice()
  for (const [index, { file = main, expression, setup = '' }] of calls.entries()) {
    if (slice.isOver) await slice.next()
    const code = await asJavaScript(`(async () => {${setup}\n;return (${expression}\n)})()`)
    if (code instanceof Error) broken.set(index, { type: 'raised', name: 'SyntaxError', message: code.message, frame: null, output: '' })
    else prepared.push({ file, code, index })
  }
  const called = new Set(prepared.map(({ file }) => file))
  const addition = `\nexport const ${evaluator} = (code) => eval(code)\n`
  const extended = Object.entries(files).map(([path, text]) => [path, called.has(path) ? text + addition : text])
  return { files: Object.fromEntries(extended) as Files, evaluator, calls: prepared, broken }
}

// `eval` accepts no types. Most calls have none, and V8 parses them as they are. The exceptions are `f<A, B>(c)`, which has a meaning in
// both languages, and long calls, which may take V8 a tenth of a second.
async function asJavaScript (code: string): Promise<string | Error> {
  if (code.length <= MAX_PARSED && !code.includes('<') && isJavaScript(code)) return code
  const { transform } = await import('esbuild')
  try {
    return (await transform(code, { loader: 'ts', target: 'esnext' })).code
  } catch (error) {
    const [first] = (error as { errors?: { text: string }[] }).errors ?? []
    return new SyntaxError(first?.text ?? 'the expression does not parse')
  }
}

function isJavaScript (code: string): boolean {
  try {
    new Script(code) // parses it and runs nothing
    return true
  } catch {
    return false
  }
}

/** One outcome for each of `count` calls, in the order of the calls. */
export async function outcomes (run: WorkerRun, { calls, broken }: PreparedCalls, count: number, job: Job): Promise<Outcome[]> {
  const { files, folder } = job
  const found = new Map<number, Outcome>(broken)
  const loadErrors = new Map<string, Outcome>()
  let loading: string | undefined
  let running: PreparedCall | undefined
  const unavailable = unavailableIn({ ...files, ...Object.fromEntries(calls.map(({ code, index }) => [`call ${index}.ts`, code])) })
  const slice = new TimeSlice()
  for (const { body, output: printed } of run.messages) {
    if (slice.isOver) await slice.next()
    const message = isRecord(body) ? body : {}
    const call = typeof message.id === 'number' ? calls[message.id] : undefined
    const output = withoutFolder(printed, folder)
    const thrown = thrownIn(message)
    if (message.type === 'loading') loading = String(message.file)
    if (message.type === 'loaded' || message.type === 'load error') loading = undefined
    if (message.type === 'load error') {
      const outcome: Outcome = { type: 'not run', cause: 'load error', message: withoutFolder(sentence(thrown), folder), missing: [] }
      loadErrors.set(String(message.file), notRun(thrown, unavailable(thrown)) ?? outcome)
    }
    if (message.type === 'start') running = call
    if (!call || message.type === 'start') continue
    running = undefined
    if (message.type === 'returned') found.set(call.index, { type: 'returned', value: decodeValue(message.value), output })
    const text = withoutFolder(thrown.message, folder)
    if (message.type === 'late') found.set(call.index, { type: 'not run', cause: 'time', message: text, missing: [] })
    if (message.type === 'raised') {
      const outcome: Outcome = { type: 'raised', name: thrown.name, message: text, frame: frameOf(thrown, job), output }
      found.set(call.index, notRun(thrown, unavailable(thrown)) ?? outcome)
    }
  }
  const cause = run.cause ?? 'exited'
  const why = loading === undefined ? STOPPED[cause] : `${STOPPED[cause]} while ${loading} was loaded`
  const rest: Outcome = { type: 'not run', cause, message: why, missing: [] }
  const afterAnother: Outcome = { ...rest, message: `an earlier call ended it: ${STOPPED[cause]}` }
  for (const call of calls) {
    if (!found.has(call.index)) found.set(call.index, loadErrors.get(call.file) ?? (call === running || !running ? rest : afterAnother))
  }
  return Array.from({ length: count }, (_, index) => found.get(index) ?? rest)
}

function notRun ({ kind, message }: Thrown, unavailable: Unavailable | undefined): Outcome | undefined {
  if (unavailable) {
    const missing = unavailable.module === undefined ? [] : [unavailable.module]
    return { type: 'not run', cause: 'not available', message: unavailable.message, missing }
  }
  return kind === 'exit' ? { type: 'not run', cause: 'exited', message, missing: [] } : undefined
}
