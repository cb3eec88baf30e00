import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { InferredOptionTypes, Options } from 'yargs'
import type { CheckReport, Diagnostic, Logger, TestReport } from '../../agents/types.js'
import { LocalSandbox } from '../../plugins/sandbox/sandbox.js'
import { UsageError, seconds } from './flags.js'
import { type Project, projectsIn } from './verify/folder.js'

export const VERIFY_FLAGS = {
  json: { type: 'boolean', default: false, describe: 'Print JSON' },
  timeout: { default: 60, coerce: seconds('timeout', { zero: false, max: 600 }), describe: 'Seconds for all of it, 10 of them at most for each test' },
  packages: { type: 'string', describe: 'node_modules folder whose packages the TypeScript may import' }
} satisfies Record<string, Options>

// What the sandbox has to say on its own account, such as a second wall that is missing.
const tell = (_details: object, message = '') => { process.stderr.write(`${message}\n`) }
const TOLD: Logger = { debug: () => undefined, info: tell, warn: tell, error: tell }

// A test of a small program takes milliseconds.
const TEST_MS = 10_000

interface Finding { language: Project['language'], unformatted: string[], check: CheckReport, test: TestReport | null }

/** Formats (without changing anything), lints, types and tests a folder in the sandbox. 0 only if something ran, and all passed. */
export async function verify ({ dir, json, timeout, packages }: InferredOptionTypes<typeof VERIFY_FLAGS> & { dir: string }): Promise<number> {
  const folder = resolve(dir)
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) throw new UsageError(`${dir} is no folder: name the one that holds the sources.`)
  const projects = await projectsIn(folder)
  if (projects.length === 0) throw new UsageError(`${dir} holds no Python or TypeScript.`)
  const sandbox = new LocalSandbox({ log: TOLD, ...(packages !== undefined && { packages: resolve(packages) }) })
  const stop = new AbortController()
  const onInterrupt = () => stop.abort(new Error('interrupted'))
  process.once('SIGINT', onInterrupt)
  try {
    const proof = await sandbox.prove()
    if (proof.state !== 'ready') throw new UsageError(`Nothing is run here: ${proof.problem ?? proof.state}`)
    const findings: Finding[] = []
    const clock = new Clock(timeout, stop.signal)
    for (const project of projects) findings.push(await findingOf(project, sandbox, clock))
    const passed = findings.some(({ test }) => test?.outcome === 'passed') && findings.every(isGood)
    const [vouched, doubts] = [findings.every(isVouched), findings.flatMap(({ test }) => test?.doubts ?? [])]
    console.log(json ? JSON.stringify({ folder, passed, vouched: passed && vouched, doubts, sandbox: proof, projects: findings }, undefined, 2) : reportOf(findings, passed))
    return passed ? 0 : 1
  } finally {
    process.off('SIGINT', onInterrupt)
    await sandbox.close()
  }
}

/** The time that all of it is given. */
class Clock {
  readonly signal: AbortSignal
  readonly interrupt: AbortSignal
  readonly #end: number

  constructor (seconds: number, interrupt: AbortSignal) {
    this.interrupt = interrupt
    this.#end = performance.now() + seconds * 1000
    const late = new AbortController()
    setTimeout(() => late.abort(new UsageError(`The time was up before the tests were run: ${seconds} s are not enough. Give more with --timeout SECONDS.`)), seconds * 1000).unref()
    this.signal = AbortSignal.any([interrupt, late.signal])
  }

  get leftMs (): number { return Math.max(1, Math.ceil(this.#end - performance.now())) }
}

async function findingOf ({ language, files, tests }: Project, sandbox: LocalSandbox, clock: Clock): Promise<Finding> {
  const { signal } = clock
  const formatted = await sandbox.format({ language, files, fix: false }, { signal })
  const check = await sandbox.check({ language, files }, { signal })
  const { leftMs, interrupt } = clock
  // Ended by their own limit, not by the signal: then their report says which of them was under way.
  const test = tests.length === 0 ? null : await sandbox.test({ language, files, tests, prove: true }, { signal: interrupt, limits: { wallMs: leftMs, cpuMs: leftMs, testMs: Math.min(TEST_MS, leftMs) } })
  return { language, unformatted: Object.keys(files).filter(path => formatted[path] !== undefined && formatted[path] !== files[path]), check, test }
}

function isGood ({ check, test }: Finding): boolean {
  return (test === null || test.outcome === 'passed') && check.unchecked.length === 0 && !check.diagnostics.some(({ severity }) => severity === 'error')
}

function isVouched ({ test }: Finding): boolean {
  return test === null || test.vouched
}

function reportOf (findings: readonly Finding[], passed: boolean): string {
  return [...findings.flatMap(sectionOf), '', passed ? 'Passed.' : findings.some(({ test }) => test !== null) ? 'Not passed.' : 'Not passed: there are no tests, so nothing was run.'].join('\n')
}

const NAMES = { python: 'Python', typescript: 'TypeScript' }

function sectionOf ({ language, unformatted, check, test }: Finding): string[] {
  const errors = check.diagnostics.filter(({ severity }) => severity === 'error')
  return [
    NAMES[language],
    `  format  ${unformatted.length === 0 ? 'ok' : `${unformatted.length} to format: ${unformatted.join(', ')}`}`,
    `  check   ${errors.length === 0 ? 'ok' : `${errors.length} errors`}${check.diagnostics.length > errors.length ? `, ${check.diagnostics.length - errors.length} warnings` : ''}`,
    ...check.diagnostics.map(place),
    ...check.unchecked.map(({ source, reason }) => `          not checked (${source}): ${reason}`),
    ...check.missing.map(name => `          not available here: ${name}`),
    ...testLines(test)
  ]
}

function place ({ file, line, column, severity, code, message }: Diagnostic): string {
  return `          ${file}:${line}:${column} ${severity} ${code} ${message.split('\n', 1)[0] ?? ''}`
}

function testLines (test: TestReport | null): string[] {
  if (test === null) return ['  tests   none']
  const count = (outcome: string) => test.tests.filter(result => result.outcome === outcome).length
  return [
    `  tests   ${test.outcome}: ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped, ${count('not run')} not run${test.cause === null ? '' : ` (${test.cause}${test.message === null ? '' : `: ${test.message.split('\n', 1)[0] ?? ''}`})`}`,
    ...test.doubts.map(doubt => `          not vouched for: ${doubt}`),
    ...test.missing.map(name => `          not available here: ${name}`),
    ...test.tests.filter(({ outcome }) => outcome === 'failed' || outcome === 'not run').map(({ name, file, outcome, message, frame }) => `          ${outcome}: ${frame ? `${frame.file}:${frame.line}` : file} ${name}${message === null ? '' : `: ${message.split('\n', 1)[0] ?? ''}`}`)
  ]
}
