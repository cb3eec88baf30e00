// Describes the problems of a program, in the words of the tools that found them, for a repair by the model.
import type { Diagnostic } from '../../types.js'
import { type Candidate, type Subject, meets, prints } from './candidate.js'
import { at, mismatch, firstLine, line } from './mismatch.js'

const MOST = 6
const MOST_RUNS = 2
const MOST_OUTPUT = 1500

/** The output that was expected of a started program, and its real output. */
function wrongOutput ({ example, report }: Candidate['started'][number]): string {
  const input = example === undefined || example.stdin === '' ? '' : ` with the input\n${fence(example.stdin)}\n`
  const error = report.stderr.trim() === '' ? '' : `\nand on stderr\n${fence(report.stderr)}`
  return `Started${input} it should print\n${fence(example?.stdout ?? '')}\nbut prints\n${fence(report.stdout)}${error}`
}

function fence (text: string): string {
  return `\`\`\`text\n${text.trimEnd().slice(-MOST_OUTPUT)}\n\`\`\``
}

export function problemsOf (candidate: Candidate, { examples, profile }: Subject): string {
  if (candidate.fault !== null) return `It cannot be run:\n${candidate.fault.message}${at(candidate.fault.frame)}`
  const failing = examples.filter(example => !meets(candidate, example))
  const parts = [
    ...(failing.length > 0
      ? [`These examples failed:\n${failing.slice(0, MOST).map(example => `- ${mismatch(candidate, example, profile)}`).join('\n')}`]
      : []),
    ...(candidate.topFault === null
      ? []
      : [`A line at the top level fails when the program is loaded:\n${candidate.topFault.message}${at(candidate.topFault.frame)}`]),
    ...candidate.started.filter(started => !prints(started)).slice(0, MOST_RUNS).map(started => wrongOutput(started)),
    ...(candidate.report?.outcome === 'failed' ? [failingTests(candidate)] : []),
    ...errorsOf(candidate.check.diagnostics)
  ]
  return parts.length > 0 ? parts.join('\n\n') : 'It does not do what the task asks: see there what is wrong.'
}

function failingTests ({ report }: Candidate): string {
  const failed = report?.tests.filter(({ outcome }) => outcome === 'failed') ?? []
  if (failed.length === 0) return `The tests could not be run: ${report?.message ?? 'no reason is known'}`
  return `These tests failed:\n${failed
    .slice(0, MOST)
    .map(({ name, message, frame }) => `- ${name}: ${firstLine(message ?? '')}${at(frame)}`)
    .join('\n')}`
}

function errorsOf (diagnostics: readonly Diagnostic[]): string[] {
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  return errors.length === 0 ? [] : [`The checker reports:\n${errors.slice(0, MOST).map(line).join('\n')}`]
}
