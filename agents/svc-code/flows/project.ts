import type { AgentEvent, Files, Language } from '../../types.js'
import type { Desk } from '../desk.js'
import { answer } from '../answer.js'
import { saved } from '../finish.js'
import { fitted } from '../fit.js'
import { type Part, build, passed } from '../project.js'
import { moduleOf } from '../prompts.js'
import { projectKind, scaffoldOf } from '../scaffolds/index.js'
import { type Case, suiteOf } from '../suite.js'
import { count } from '../verdict.js'

/** A project: planned, written file by file, tested module by module, with all that its framework needs around it. */
export async function * project (desk: Desk): AsyncGenerator<AgentEvent, string> {
  const { task, left } = await fitted(desk.intent.task, desk.backend)
  const sides = []
  for (const language of desk.languages) sides.push(yield * side(desk, language, task, desk.languages.length > 1))
  const files = Object.assign({}, ...sides.map(({ files }) => files)) as Files
  return answer({
    approach: sides.map(({ approach }) => approach).join(' '),
    files,
    notes: left,
    verification: [...sides.flatMap(({ lines }) => lines), ...await saved(desk.settings.workspace, desk.run.id, files)]
  })
}

async function * side (desk: Desk, language: Language, task: string, isOneOfTwo: boolean): AsyncGenerator<AgentEvent, { approach: string, files: Files, lines: string[] }> {
  const { intent, request, sandbox, calls, signal, run } = desk
  const kind = projectKind(task, language)
  const folder = isOneOfTwo ? (language === 'python' ? 'backend/' : 'frontend/') : ''
  const ask = { language, rules: intent.rules, task: isOneOfTwo ? `${task}\n\nThis is about its ${language === 'python' ? 'Python' : 'TypeScript'} side only.` : task }
  sandbox.warm(language)
  const { layout } = scaffoldOf(kind, { name: nameIn(task), summary: '', files: [] })
  const { parts, cutShort } = yield * build(ask, layout, request.temperature, {}, { calls, sandbox, signal, log: run.log })
  const written: Files = Object.fromEntries(parts.flatMap(part => 'source' in part ? [[part.planned.path, part.source]] : []))
  const suites = suitesOf(parts, language)
  const report = await check(desk, language, { ...written, ...suites })
  const kept = report.passed > 0 ? suites : {}
  const around = scaffoldOf(kind, { name: nameIn(task), summary: task.split(/[.:\n]/, 1)[0] ?? '', files: [...Object.keys(written), ...Object.keys(kept)] })
  const extra = Object.fromEntries(Object.entries(around.files).filter(([path]) => !(path in written) && !(path in kept) && !(isTest(path) && Object.keys(kept).length > 0)))
  const all = { ...written, ...kept, ...extra }
  const claim = claimOf(parts, report.passed, cutShort)
  return {
    approach: `A ${around.title} project of ${count(Object.keys(written).length, 'file')}${isOneOfTwo ? ` in \`${folder}\`` : ''}; run its tests with \`${around.testCommand}\`.`,
    files: Object.fromEntries(Object.entries<string>(all).map(([path, source]) => [folder + path, source])),
    lines: [
      `${claim}: ${GROUNDS[claim]}`,
      ...(report.passed > 0 ? [`- All test files together were run in the sandbox: ${count(report.passed, 'test')} passed.`] : report.line === '' ? [] : [`- ${report.line}`]),
      ...parts.map(part => `- \`${folder}${part.planned.path}\`: ${stateOf(part)}`),
      ...(cutShort === null ? [] : [`- The work ended early: ${cutShort}.`])
    ]
  }
}

const GROUNDS = {
  verified: 'every module that can be run here was run in the sandbox, and its tests pass.',
  unverified: 'not everything could be shown to work; see each file.'
}

function claimOf (parts: readonly Part[], together: number, cutShort: string | null): 'verified' | 'unverified' {
  const whole = parts.every(part => 'source' in part && (part.trial === null || part.trial.fault === null ? passed(part).length === part.tests.length : part.trial.fault.kind === 'missing'))
  const shown = parts.some(part => 'source' in part && part.trial?.fault === null && part.tests.length > 0)
  return whole && shown && together > 0 && cutShort === null ? 'verified' : 'unverified'
}

function stateOf (part: Part): string {
  if (!('source' in part)) return `missing: ${part.lost}.`
  const errors = part.errors.length > 0 ? ` The checker reports ${count(part.errors.length, 'error')}: ${part.errors[0]?.message.split('\n', 1)[0] ?? ''}` : ''
  const mended = part.repaired ? ', after one repair' : ''
  if (part.trial?.fault) return part.trial.fault.kind === 'missing' ? `not run: ${part.trial.fault.missing.join(', ')} is not available here. Checked only.${errors}` : `cannot be run: ${part.trial.fault.message.split('\n', 1)[0] ?? ''}${errors}`
  if (part.tests.length === 0) return `loads${mended}; it has no tests of its own.${errors}`
  return `${passed(part).length} of ${count(part.tests.length, 'test')} pass${mended}.${errors}`
}

/** A test file for each module, of the tests that it passes. */
function suitesOf (parts: readonly Part[], language: Language): Files {
  return Object.fromEntries(parts.flatMap(part => {
    if (!('source' in part)) return []
    const cases = passed(part).map(({ assertion }): Case => ({ expression: assertion.expression, expected: assertion.wanted, tolerance: assertion.tolerance }))
    const names = namesIn(part.planned.exports, part.source, cases)
    const suite = suiteOf(language, part.planned.path, names, [{ title: moduleOf(part.planned.path).split('.').at(-1) ?? 'module', cases }])
    return suite ? [[inTests(suite.path), language === 'python' ? suite.source : suite.source.replace(`'./${part.planned.path.replace(/^.*\//, '')}'`, `'../${part.planned.path}'`)]] : []
  }))
}

function inTests (path: string): string {
  return path.endsWith('.py') ? `tests/${path.slice(path.lastIndexOf('/') + 1)}` : `test/${path.slice(path.lastIndexOf('/') + 1)}`
}

/** What the tests use of a module. */
function namesIn (exports: string, source: string, cases: readonly Case[]): string[] {
  const text = cases.map(({ expression, setup, expected }) => `${setup ?? ''} ${expression} ${expected.type === 'value' ? expected.source : expected.type === 'raises' ? expected.name ?? '' : ''}`).join('\n')
  const defined = new Set([...source.matchAll(/^(?:export )?(?:default )?(?:async )?(?:def|class|function\*?|const|let|type|interface|enum) +([\w$]+)|^(\w+) *(?::[^=\n]+)?= /gm)].map(match => match[1] ?? match[2] ?? ''))
  return [...defined].filter(name => name !== '' && new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(text))
}

async function check ({ sandbox, signal }: Desk, language: Language, files: Files): Promise<{ passed: number, line: string }> {
  const tests = Object.keys(files).filter(isTest)
  if (tests.length === 0) return { passed: 0, line: '' }
  const report = await sandbox.test({ language, files, tests }, { signal })
  const passed = report.tests.filter(({ outcome }) => outcome === 'passed').length
  const failed = report.tests.filter(({ outcome }) => outcome === 'failed')
  if (failed.length === 0 && passed > 0) return { passed, line: '' }
  return { passed: 0, line: `The test files together do not pass: ${failed[0]?.message?.split('\n', 1)[0] ?? report.message ?? report.cause ?? ''}; they are left out.` }
}

function isTest (path: string): boolean {
  return /(?:^|\/)test_[^/]+\.py$|\.test\.[mc]?tsx?$/.test(path)
}

function nameIn (task: string): string {
  return /[`"']([a-z][\w-]{1,40})[`"']/i.exec(task)?.[1] ?? /\b(?:called|named)\s+([a-z][\w-]{1,40})/i.exec(task)?.[1] ?? 'project'
}
