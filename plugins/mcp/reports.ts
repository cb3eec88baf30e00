import type { CheckReport, Diagnostic, Files, RunReport, TestReport, TestResult } from '../../agents/types.js'

// Writes the reports of the sandbox as texts for models and people. The structured content holds the same reports as data.

// Of a longer output the text has only the end. The structured content has all of it.
const MOST_OUTPUT = 8000

interface Formatting { files: Files, formatted: Files | undefined }

export function checkText ({ diagnostics, missing, unchecked }: CheckReport, { files, formatted }: Formatting): string {
  const count = diagnostics.filter(({ severity }) => severity === 'error').length
  const warnings = diagnostics.length - count
  return lines([
    diagnostics.length === 0 ? 'No errors, no warnings.' : `${number(count, 'error')}, ${number(warnings, 'warning')}:`,
    ...diagnostics.map(diagnosticLine),
    ...unchecked.map(({ source, reason }) => `Not checked (${source}): ${reason}`),
    missing.length > 0 && `Not available here, so code that depends on it was not checked: ${missing.join(', ')}`,
    ...formattedFiles(files, formatted)
  ])
}

function diagnosticLine ({ file, line, column, severity, code, source, message }: Diagnostic): string {
  return `${file}:${line}:${column} ${severity} ${code} (${source}): ${message}`
}

function formattedFiles (files: Files, formatted: Files | undefined): string[] {
  if (!formatted) return []
  const changed = Object.entries(formatted).filter(([path, text]) => text !== files[path])
  if (changed.length === 0) return ['Formatted: no changes.']
  return changed.map(([path, text]) => `Formatted ${path}:\n${fenced(text)}`)
}

const OUTCOMES = ['passed', 'failed', 'skipped', 'not run'] as const

export function testText (report: TestReport): string {
  const { outcome, cause, message, frame, missing, tests, vouched, doubts, output } = report
  const count = (wanted: TestResult['outcome']) => tests.filter(test => test.outcome === wanted).length
  const counts = OUTCOMES.filter(wanted => count(wanted) > 0).map(wanted => `${count(wanted)} ${wanted}`)
  return lines([
    `${headline(outcome)}${counts.length > 0 ? ` ${counts.join(', ')}.` : ''}`,
    cause !== null && `Cause: ${cause}${message === null ? '' : `: ${message}`}${place(frame)}`,
    missing.length > 0 && `Not available here, so code that needs it was not run: ${missing.join(', ')}`,
    outcome === 'passed' && (vouched ? 'The pass can be trusted.' : 'The pass cannot be trusted:'),
    ...doubts.map(doubt => `- ${doubt}`),
    ...tests.map(testLine),
    output !== '' && `Output:\n${fenced(output)}`
  ])
}

function headline (outcome: TestReport['outcome']): string {
  switch (outcome) {
    case 'passed': return 'Passed:'
    case 'failed': return 'Failed:'
    case 'not run': return 'Nothing was run.'
  }
}

function testLine ({ outcome, file, name, message, frame, trust }: TestResult): string {
  const why = message === null ? '' : `: ${message}${place(frame)}`
  return `${outcome} ${file} ${name}${outcome === 'passed' && trust === 'not run' ? ' (nothing is known about it)' : ''}${why}`
}

export function runText (report: RunReport): string {
  const { outcome, exitCode, message, missing, frame, stdout, stderr, files, filesCut } = report
  return lines([
    outcome === 'exited' ? `Exit code ${exitCode ?? 'unknown'}.` : `It did not run to its end (${outcome}).`,
    message !== null && `${message}${place(frame)}`,
    missing.length > 0 && `Not available here: ${missing.join(', ')}`,
    stdout === '' ? 'Nothing on standard output.' : `Standard output:\n${fenced(stdout)}`,
    stderr !== '' && `Standard error:\n${fenced(stderr)}`,
    ...Object.entries(files).map(([path, text]) => `It wrote ${path}:\n${fenced(text)}`),
    filesCut && 'It wrote more files, which are not shown.'
  ])
}

function place (frame: { file: string, line: number } | null): string {
  return frame === null ? '' : ` (${frame.file}:${frame.line})`
}

function number (count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Puts the text into a fence that it cannot close. */
function fenced (text: string): string {
  const left = text.length - MOST_OUTPUT
  const shown = left > 0 ? `... ${left} characters ...\n${text.slice(left).toWellFormed()}` : text
  const ticks = (shown.match(/`{3,}/g) ?? []).reduce((longest, run) => Math.max(longest, run.length + 1), 3)
  const fence = '`'.repeat(ticks)
  return `${fence}\n${shown.replace(/\n$/, '')}\n${fence}`
}

function lines (all: readonly (string | false)[]): string {
  return all.filter(line => line !== false).join('\n')
}
