import type { AgentEvent, Files, TestReport } from '../../types.js'
import type { Desk } from '../desk.js'
import { answer } from '../answer.js'
import { entryIn, isTestFile, pathFor } from '../entry.js'
import { saved } from '../finish.js'
import { fitted } from '../fit.js'
import { suiteMessages } from '../prompts.js'
import { readSuite } from '../replies.js'
import { progress } from '../solve.js'
import { count } from '../verdict.js'

const TOKENS = 4096
const TRIES = 3

/** Tests for the user's code. They are run against it: what fails is told, since either side may be wrong. */
export async function * testsFor (desk: Desk): AsyncGenerator<AgentEvent, string> {
  const { intent, languages: [language], request, backend, sandbox, calls, signal, settings, run } = desk
  const { task, left } = await fitted(intent.task, backend)
  const programs = intent.given.filter(block => !isTestFile(block))
  const source = programs.map(block => block.source).join('\n\n\n').trimEnd() + '\n'
  const path = pathFor(task, programs, entryIn(task, programs, language), language)
  const tests = language === 'python' ? path.replace(/([^/]+)\.py$/, 'test_$1.py') : path.replace(/\.([mc]?tsx?)$/, '.test.$1')
  sandbox.warm(language)
  let best: { source: string, report: TestReport } | undefined
  for (let attempt = 0; attempt < TRIES && calls.spent === null && best?.report.outcome !== 'passed'; attempt++) {
    yield progress(attempt === 0 ? 'Writing tests ...' : 'Writing them once more ...')
    const said = yield * calls.ask({ step: 'tests', messages: suiteMessages({ language, task, rules: intent.rules }, source, path), temperature: request.temperature + 0.1 * attempt, maxTokens: TOKENS }, signal)
    const suite = readSuite(said, language)
    if (suite === undefined) continue
    const formatted = (await sandbox.format({ language, files: { [tests]: suite } }, { signal }))[tests] ?? suite
    const report = await sandbox.test({ language, files: { [path]: source, [tests]: formatted }, tests: [tests] }, { signal })
    if (!best || passing(report) > passing(best.report)) best = { source: formatted, report }
    yield progress(`${passing(report)} of ${report.tests.length} tests pass.`)
    if (report.cause === 'not available') break
  }
  const files: Files = best ? { [tests]: best.source } : {}
  return answer({
    approach: best ? `Tests for \`${path}\`, to be laid beside it.` : 'No usable tests came out of it.',
    files,
    notes: left,
    verification: [...(best ? findings(best.report, tests) : ['unverified: the model wrote no tests that could be run.']), ...await saved(settings.workspace, run.id, files)]
  })
}

function passing ({ tests }: TestReport): number {
  return tests.filter(({ outcome }) => outcome === 'passed').length
}

function findings (report: TestReport, path: string): string[] {
  const failed = report.tests.filter(({ outcome }) => outcome === 'failed')
  if (report.outcome === 'passed') return [`tested: \`${path}\` was run in the sandbox against your code: ${count(passing(report), 'test')} passed.`]
  if (report.tests.length === 0) return [`unverified: the tests could not be run: ${report.message ?? report.cause ?? 'no reason is known'}${report.missing.length > 0 ? ` (${report.missing.join(', ')})` : ''}.`]
  return [
    `unverified: ${count(passing(report), 'test')} passed against your code, ${failed.length} did not. Either the code or the test is wrong there:`,
    ...failed.slice(0, 8).map(({ name, message }) => `- ${name}: ${message?.trim().split('\n', 1)[0] ?? ''}`)
  ]
}
