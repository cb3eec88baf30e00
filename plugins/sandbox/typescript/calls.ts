import { randomBytes } from 'node:crypto'
import { Script } from 'node:vm'
import type { Call, Files, Outcome } from '../../../agents/types.js'
import type { CellRun } from '../cell.js'
import { Turns } from '../turns.js'
import { decodeValue, isRecord } from '../values.js'
import { isSource } from './imports.js'
import { type Lack, lacksOf } from './lacks.js'
import { type Thrown, frameOf, localised, sentence, thrownOf } from './traces.js'

const MAX_PARSED = 4096

export interface PreparedCall { file: string, code: string, index: number }

export interface Prepared {
  files: Files
  evaluator: string
  calls: PreparedCall[]
  /** Of calls that cannot even be parsed, by their place. */
  broken: Map<number, Outcome>
}

/** Each file that is called into exports, in addition, a function that evaluates in its own scope. */
export async function prepareCalls (files: Files, calls: Call[]): Promise<Prepared> {
  const evaluator = `evaluate_${randomBytes(8).toString('hex')}`
  const prepared: PreparedCall[] = []
  const broken = new Map<number, Outcome>()
  const main = Object.keys(files).find(isSource) ?? Object.keys(files)[0] ?? ''
  const turns = new Turns()
  for (const [index, { file = main, expression, setup = '' }] of calls.entries()) {
    if (turns.isOver) await turns.next()
    const code = await asJavaScript(`(async () => {${setup}\n;return (${expression}\n)})()`)
    if (code instanceof Error) broken.set(index, { type: 'raised', name: 'SyntaxError', message: code.message, frame: null, output: '' })
    else prepared.push({ file, code, index })
  }
  const called = new Set(prepared.map(({ file }) => file))
  const extended = Object.entries(files).map(([path, text]) => [path, called.has(path) ? `${text}\nexport const ${evaluator} = (code) => eval(code)\n` : text])
  return { files: Object.fromEntries(extended) as Files, evaluator, calls: prepared, broken }
}

// `eval` takes no types. Most calls have none: a parse that runs nothing tells, but for `f<A, B>(c)`, which means something
// in both languages, and for what is long, which may take V8 a tenth of a second.
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
    new Script(code)
    return true
  } catch {
    return false
  }
}

const WORDS = { exited: 'the process ended before the call had', time: 'it ran out of time', cpu: 'it ran out of CPU time', memory: 'it ran out of memory', output: 'it printed more than it may' }

/** One outcome for each call, in the order of the calls. */
export async function outcomes (run: CellRun, { calls, broken }: Prepared, count: number, { files, folder }: { files: Files, folder: string }): Promise<Outcome[]> {
  const found = new Map<number, Outcome>(broken)
  const failed = new Map<string, Outcome>()
  let loading: string | undefined
  let running: PreparedCall | undefined
  const lackOf = lacksOf({ ...files, ...Object.fromEntries(calls.map(({ code, index }) => [`call ${index}.ts`, code])) })
  const turns = new Turns()
  for (const { body, output: printed } of run.reports) {
    if (turns.isOver) await turns.next()
    const report = isRecord(body) ? body : {}
    const call = typeof report.id === 'number' ? calls[report.id] : undefined
    const output = localised(printed, folder)
    if (report.type === 'loading') loading = String(report.file)
    if (report.type === 'loaded') loading = undefined
    if (report.type === 'load error') {
      const thrown = thrownOf(report)
      failed.set(String(report.file), notRun(thrown, lackOf(thrown)) ?? { type: 'not run', cause: 'load error', message: localised(sentence(thrown), folder), missing: [] })
      loading = undefined
    }
    if (report.type === 'start') running = call
    if (!call || report.type === 'start') continue
    running = undefined
    const thrown = thrownOf(report)
    if (report.type === 'returned') found.set(call.index, { type: 'returned', value: decodeValue(report.value), output })
    if (report.type === 'raised') found.set(call.index, notRun(thrown, lackOf(thrown)) ?? { type: 'raised', name: thrown.name, message: localised(thrown.message, folder), frame: frameOf(thrown, files, folder), output })
    if (report.type === 'late') found.set(call.index, { type: 'not run', cause: 'time', message: localised(thrown.message, folder), missing: [] })
  }
  const cause = run.cause ?? 'exited'
  const rest: Outcome = { type: 'not run', cause, message: loading === undefined ? WORDS[cause] : `${WORDS[cause]} while ${loading} was loaded`, missing: [] }
  for (const call of calls) if (!found.has(call.index)) found.set(call.index, failed.get(call.file) ?? (call === running || !running ? rest : { ...rest, message: `an earlier call ended it: ${WORDS[cause]}` }))
  return Array.from({ length: count }, (_, index) => found.get(index) ?? rest)
}

function notRun ({ kind, message }: Thrown, lack: Lack | undefined): Outcome | undefined {
  if (lack) return { type: 'not run', cause: 'not available', message: lack.message, missing: lack.module === undefined ? [] : [lack.module] }
  return kind === 'exit' ? { type: 'not run', cause: 'exited', message, missing: [] } : undefined
}
