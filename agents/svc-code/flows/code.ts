import type { AgentEvent, Files } from '../../types.js'
import type { Desk } from '../desk.js'
import { answer } from '../answer.js'
import { meets } from '../candidate.js'
import { entryIn, isTestFile, pathFor, preludeOf } from '../entry.js'
import { expectations } from '../expectations.js'
import { saved } from '../finish.js'
import { fitted } from '../fit.js'
import { sideOf } from '../intent.js'
import { examplesIn } from '../oracle.js'
import type { Ask } from '../prompts.js'
import { type Solved, type Work, progress, solve } from '../solve.js'
import { type Case, suiteOf } from '../suite.js'
import { agreeing, count, verdictOf } from '../verdict.js'

/** A function, class or module: written, run, and told with what is known of it. Or one of the user's that is mended. */
export async function * code (desk: Desk): AsyncGenerator<AgentEvent, string> {
  const { intent, languages: [language], request, backend, sandbox, calls, signal, run } = desk
  const { task, left } = await fitted(intent.task, backend)
  const own = intent.given.filter(block => (sideOf(block) ?? language) === language)
  const programs = own.filter(block => !isTestFile(block))
  const given = intent.kind === 'fix' ? programs.map(({ source }) => source).join('\n\n\n') : undefined
  const entry = entryIn(task, programs, language)
  const path = pathFor(task, programs, entry, language)
  const ask: Ask = { language, task, rules: intent.rules, entry }
  sandbox.warm(language)
  const examples = entry === undefined ? [] : await expectations(examplesIn(intent.task, entry, language), language, { sandbox, signal })
  if (examples.length > 0) yield progress(`${count(examples.length, 'example')} of the task will be run.`)
  const work: Work = {
    ask, examples, temperature: request.temperature, given,
    setting: { language, path, beside: {} },
    prelude: intent.kind === 'fix' ? undefined : preludeOf(programs, entry, language),
    tests: testFiles(own.filter(isTestFile), language)
  }
  const solved = yield * solve(work, { calls, sandbox, signal, log: run.log })
  const suite = await suiteFor(work, solved, desk)
  const files: Files = { ...(solved.best && { [path]: solved.best.candidate.source }), ...(suite && { [suite.path]: suite.source }) }
  const verdict = verdictOf(work, solved, suite)
  return answer({
    approach: !solved.best ? '' : solved.best.candidate.approach || (entry === undefined ? 'Here is the program.' : `Here is \`${entry}\`.`),
    files,
    notes: left,
    verification: [...verdict.lines, ...await saved(desk.settings.workspace, run.id, files)]
  })
}

function testFiles (blocks: readonly { path: string | undefined, source: string }[], language: Work['ask']['language']): Files {
  return Object.fromEntries(blocks.map(({ path, source }, index) => [path ?? (language === 'python' ? `test_given${index === 0 ? '' : index + 1}.py` : `given${index === 0 ? '' : index + 1}.test.ts`), source]))
}

/** The test file of the reply. It was run as it stands there, and what does not pass in it is no part of it. */
async function suiteFor (work: Work, { best, tests }: Solved, { sandbox, signal, run }: Desk): Promise<{ path: string, source: string, passed: number } | null> {
  const { language, path } = work.setting
  const entry = work.ask.entry
  if (!best || best.candidate.fault !== null || entry === undefined) return null
  const { candidate } = best
  const examples = work.examples.filter(example => meets(candidate, example)).map(({ assertion }) => caseOf(assertion))
  const known = new Set(examples.map(({ expression }) => expression))
  const agreed = agreeing(tests, candidate).map(({ assertion }) => caseOf(assertion)).filter(({ expression }) => !known.has(expression))
  const suite = suiteOf(language, path, [entry], [{ title: 'examples', cases: examples }, { title: 'further cases', cases: agreed }])
  if (!suite) return null
  const source = (await sandbox.format({ language, files: { [suite.path]: suite.source }, fix: false }, { signal }))[suite.path] ?? suite.source
  const report = await sandbox.test({ language, files: { [path]: candidate.source, [suite.path]: source }, tests: [suite.path] }, { signal })
  if (report.outcome === 'passed') return { path: suite.path, source, passed: report.tests.filter(({ outcome }) => outcome === 'passed').length }
  run.log.debug({ run: run.id, report }, 'the test file of the reply does not pass as a whole, and is left out')
  return null
}

function caseOf ({ expression, wanted, tolerance, setup }: { expression: string, wanted: Case['expected'], tolerance?: number | undefined, setup?: string }): Case {
  return { expression, expected: wanted, tolerance, setup }
}
