import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { InferredOptionTypes, Options } from 'yargs'
import type { CheckReport, Diagnostic, Logger, TestReport } from '../../agents/types.js'
import { LocalSandbox } from '../../plugins/sandbox/sandbox.js'
import { UsageError, seconds } from './flags.js'
import { type Project, projectsIn } from './verify/folder.js'

export const VERIFY_FLAGS = {
  json: { type: 'boolean', default: false, describe: 'Print JSON' },
  timeout: {
    default: 60, coerce: seconds('timeout', { zero: false, max: 600 }), describe: 'Seconds for all of it, 10 of them at most for each test'
  },
  packages: { type: 'string', describe: 'node_modules folder whose packages the TypeScript may import' }
} satisfies Record<string, Options>

// The sandbox's own messages, for example that bubblewrap is missing, go to stderr.
const print = (_details: object, message = '') => { process.stderr.write(`${message}\n`) }
const STDERR: Logger = { debug: () => undefined, info: print, warn: print, error: print }

// How long one test may take; a test of a small program takes milliseconds.
const TEST_MS = 10_000

interface ProjectReport { language: Project['language'], unformatted: string[], check: CheckReport, test: TestReport | null }

/**
 * Checks the format of a folder, lints it, checks its types and runs its tests in the sandbox. The exit code is 0 only if tests ran
 * and everything passed.
 */
export async function verify (
  { dir, json, timeout, packages }: InferredOptionTypes<typeof VERIFY_FLAGS> & { dir: string }
): Promise<number> {
  const folder = resolve(dir)
  const isFolder = (await stat(folder).catch(() => undefined))?.isDirectory()
  if (!isFolder) throw new UsageError(`${dir} is no folder: name the one that holds the sources.`)
  const projects = await projectsIn(folder)
  if (projects.length === 0) throw new UsageError(`${dir} holds no Python or TypeScript.`)
  const sandbox = new LocalSandbox({ log: STDERR, ...(packages !== undefined && { packages: resolve(packages) }) })
  const stop = new AbortController()
  const onInterrupt = () => stop.abort(new Error('interrupted'))
  process.once('SIGINT', onInterrupt)
  try {
    const proof = await sandbox.prove()
    if (proof.state !== 'ready') throw new UsageError(`Nothing is run here: ${proof.problem ?? proof.state}`)
    const reports: ProjectReport[] = []
    const clock = new Clock(timeout, stop.signal)
    for (const project of projects) reports.push(await reportOf(project, sandbox, clock))
    const passed = reports.some(({ test }) => test?.outcome === 'passed') && reports.every(isGood)
    const vouched = passed && reports.every(isVouched)
    const doubts = reports.flatMap(({ test }) => test?.doubts ?? [])
    const data = { folder, passed, vouched, doubts, sandbox: proof, projects: reports }
    console.log(json ? JSON.stringify(data, undefined, 2) : textOf(reports, passed))
    return passed ? 0 : 1
  } finally {
    process.off('SIGINT', onInterrupt)
    await sandbox.close()
  }
}

/** The time limit of the whole command. */
class Clock {
  readonly signal: AbortSignal
  readonly interrupt: AbortSignal
  readonly #end: number

  constructor (seconds: number, interrupt: AbortSignal) {
    this.interrupt = interrupt
    this.#end = performance.now() + seconds * 1000
    const late = new AbortController()
    const message = `The time was up before the tests were run: ${seconds} s are not enough. Give more with --timeout SECONDS.`
    setTimeout(() => late.abort(new UsageError(message)), seconds * 1000).unref()
    this.signal = AbortSignal.any([interrupt, late.signal])
  }

  get leftMs (): number { return Math.max(1, Math.ceil(this.#end - performance.now())) }
}

async function reportOf ({ language, files, tests }: Project, sandbox: LocalSandbox, clock: Clock): Promise<ProjectReport> {
  const { signal } = clock
  const formatted = await sandbox.format({ language, files, fix: false }, { signal })
  const check = await sandbox.check({ language, files }, { signal })
  const { leftMs, interrupt } = clock
  // The tests end by their own limits and not by the signal, because then their report names the test that was running.
  const limits = { wallMs: leftMs, cpuMs: leftMs, testMs: Math.min(TEST_MS, leftMs) }
  const test = tests.length === 0 ? null : await sandbox.test({ language, files, tests, prove: true }, { signal: interrupt, limits })
  const unformatted = Object.keys(files).filter(path => formatted[path] !== undefined && formatted[path] !== files[path])
  return { language, unformatted, check, test }
}

function isGood ({ check, test }: ProjectReport): boolean {
  const hasErrors = check.diagnostics.some(({ severity }) => severity === 'error')
  return (test === null || test.outcome === 'passed') && check.unchecked.length === 0 && !hasErrors
}

function isVouched ({ test }: ProjectReport): boolean {
  return test === null || test.vouched
}

function textOf (reports: readonly ProjectReport[], passed: boolean): string {
  const hasTests = reports.some(({ test }) => test !== null)
  const conclusion = passed ? 'Passed.' : hasTests ? 'Not passed.' : 'Not passed: there are no tests, so nothing was run.'
  return [...reports.flatMap(sectionOf), '', conclusion].join('\n')
}

const NAMES = { python: 'Python', typescript: 'TypeScript' }

function sectionOf ({ language, unformatted, check, test }: ProjectReport): string[] {
  const errors = check.diagnostics.filter(({ severity }) => severity === 'error')
  const warnings = check.diagnostics.length - errors.length
  return [
    NAMES[language],
    `  format  ${unformatted.length === 0 ? 'ok' : `${unformatted.length} to format: ${unformatted.join(', ')}`}`,
    `  check   ${errors.length === 0 ? 'ok' : `${errors.length} errors`}${warnings > 0 ? `, ${warnings} warnings` : ''}`,
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
  const counts = ['passed', 'failed', 'skipped', 'not run'].map(outcome => `${count(outcome)} ${outcome}`).join(', ')
  const cause = test.cause === null ? '' : ` (${test.cause}${firstLine(test.message)})`
  const bad = test.tests.filter(({ outcome }) => outcome === 'failed' || outcome === 'not run')
  return [
    `  tests   ${test.outcome}: ${counts}${cause}`,
    ...test.doubts.map(doubt => `          not vouched for: ${doubt}`),
    ...test.missing.map(name => `          not available here: ${name}`),
    ...bad.map(({ name, file, outcome, message, frame }) =>
      `          ${outcome}: ${frame ? `${frame.file}:${frame.line}` : file} ${name}${firstLine(message)}`)
  ]
}

/** The first line of a message, after a colon; empty if there is no message. */
function firstLine (message: string | null): string {
  return message === null ? '' : `: ${message.split('\n', 1)[0] ?? ''}`
}
