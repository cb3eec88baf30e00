import t from 'tap'
import type { Diagnostic, RunReport, TestReport, TestResult } from '../../../agents/types.js'
import { verificationOf } from '../../../agents/svc-code/delivery/verification.js'
import { ENGLISH } from '../../../agents/svc-code/delivery/words/words.js'
import type { Candidate, Subject } from '../../../agents/svc-code/draft/candidate.js'
import { problemsOf } from '../../../agents/svc-code/draft/problems.js'
import type { SearchResult, Oracle } from '../../../agents/svc-code/draft/search.js'
import type { Fault } from '../../../agents/svc-code/draft/trial.js'
import type { Expectation } from '../../../agents/svc-code/examples/expectations.js'
import { PYTHON } from '../../../agents/svc-code/languages/python/index.js'

// The sentences of the verification for each state of a candidate, and the description of its problems in a prompt for a repair.

const SOURCE = 'def f(n):\n    return n\n'

const expectation = (wanted: string): Expectation => ({
  call: { expression: 'f(1)' }, print: wanted, shown: `give \`${wanted}\``, matches: ({ print }) => print === wanted, assertion: { expression: 'f(1)', wanted: { type: 'value', source: wanted } }
})
const GIVES_1 = new Map([['f(1)', { print: '1', outcome: { type: 'returned', value: { type: 'int', value: '1' }, output: '' } } as const]])
const test = (outcome: TestResult['outcome'], name = 'test_f', message: string | null = null): TestResult =>
  ({ name, file: 'test_f.py', outcome, trust: outcome === 'not run' ? 'not run' : 'ran', durationMs: 1, message, frame: { file: 'f.py', line: 2 }, output: '' })
const tests = (outcome: TestReport['outcome'], results: TestResult[], more: Partial<TestReport> = {}): TestReport =>
  ({ outcome, cause: null, message: null, frame: null, missing: [], vouched: outcome === 'passed', doubts: [], tests: results, output: '', durationMs: 1, ...more })
const ran = (more: Partial<RunReport> = {}): RunReport =>
  ({ outcome: 'exited', exitCode: 0, stdout: '', stderr: '', files: {}, filesCut: false, missing: [], message: null, frame: null, durationMs: 1, ...more })
const fault = (kind: Fault['kind'], message: string, missing: string[] = []): Fault => ({ kind, message, missing, frame: { file: 'f.py', line: 2 } })
const error: Diagnostic = { file: 'f.py', line: 3, column: 1, code: 'F821', message: 'no such name\nmore', severity: 'error', source: 'lint' }

function candidateOf (more: Partial<Candidate> = {}, source = SOURCE, path = 'f.py'): Candidate {
  const main = { profile: PYTHON, path, tag: 'python', source, statements: PYTHON.statements(source), elided: false, at: 0 }
  return {
    draft: { pieces: [{ type: 'file', file: main }], files: [main] }, origin: 'draft', main, path, paths: new Map([[main, path]]), files: { [path]: source }, spliced: false,
    check: { diagnostics: [], missing: [] }, fault: null, topFault: null, results: new Map(), report: null, own: null, started: [],
    drafts: 1, repaired: false, ...more
  }
}

const subjectOf = (more: Partial<Subject> = {}): Subject =>
  ({ profile: PYTHON, entry: 'f', examples: [], runs: [], tests: {}, otherFiles: {}, long: undefined, isEdit: false, prelude: undefined, ...more })

function said (candidate: Candidate, subject: Subject, { oracle = 'calls', chance = 0.99, drafts = 3, more = {} }: { oracle?: Oracle, chance?: number, drafts?: number, more?: Partial<SearchResult> } = {}): string {
  const best = { candidate, chance, cluster: [candidate], drafts, share: 1 }
  const found: SearchResult = { best, candidates: [candidate], tests: [], cut: null, ...more }
  return verificationOf(found, subject, oracle, null, ENGLISH).lines.join('\n')
}

const MEETS = { results: GIVES_1 }
const ONE = { examples: [expectation('1')] }
const RUNS = { runs: [{ args: [], stdin: '2\n', stdout: '4' }] }
const GIVEN = { tests: { 'test_f.py': 'def test_f(): assert f(1) == 1\n' } }
const started = (report: RunReport, example = RUNS.runs[0]) => ({ started: [{ example, report }] })

const VERDICTS: [what: string, said: string, words: RegExp][] = [
  ['examples that pass', said(candidateOf(MEETS), subjectOf(ONE)), /^verified: it was run here, and your example passes\./],
  ['examples that pass, doubted elsewhere', said(candidateOf(MEETS), subjectOf(ONE), { chance: 0.2 }), /^unverified: your examples pass, but tests made from your description disagree/],
  ['an example that fails', said(candidateOf(MEETS), subjectOf({ examples: [expectation('1'), expectation('2')] })), /^unverified: 1 of your 2 examples pass[^]*- Your examples: 1 of 2 pass\.\n {2}- `f\(1\)` should give `2`, but gives `1`/],
  ['a blind test that agrees', said(candidateOf(MEETS), subjectOf(), { more: { tests: [expectation('1')] } }), /^tested: you gave no example/],
  ['blind tests that do not', said(candidateOf(MEETS), subjectOf(), { chance: 0.2, more: { tests: [expectation('1')] } }), /^unverified: it runs here, but you gave no example/],
  ['expected output that comes', said(candidateOf(started(ran({ stdout: '4\n' }))), subjectOf(RUNS)), /^verified: it was started here with your input, and it prints what you expect\./],
  ['expected output that does not', said(candidateOf(started(ran({ stdout: '5\n' }))), subjectOf(RUNS)), /^unverified: started with your input, it does not print what you expect\.\n- It printed:\n\n````text\n5\n````/],
  ['tests of the user that pass', said(candidateOf({ report: tests('passed', [test('passed')]) }), subjectOf(GIVEN)), /^verified: your tests were run here, and the one test passes\./],
  ['tests that are not vouched for', said(candidateOf({ report: tests('passed', [test('passed')], { vouched: false, doubts: ['f.py:1: it reads the frames of its callers'] }) }), subjectOf(GIVEN)), /^unverified: the tests pass, but the code does something that makes a pass unreliable: f\.py:1: it reads the frames/],
  ['tests of the user that fail', said(candidateOf({ report: tests('failed', [test('passed'), test('failed', 'test_g', 'AssertionError: 1 != 2')]) }), subjectOf(GIVEN)), /^unverified: 1 of your 2 tests pass[^]* {2}- test_g: AssertionError: 1 != 2/],
  ['tests of the draft', said(candidateOf({ own: tests('failed', [test('failed', 'test_own', 'no')]) }), subjectOf()), /- The tests in the answer: 0 of 1 pass; a test may be wrong itself\.\n {2}- test_own: no/],
  ['tests of the draft that were not run', said(candidateOf({ own: tests('not run', [], { message: 'not available here: flask' }) }), subjectOf()), /- The tests in the answer were not run: not available here: flask\./],
  ['tests for the user\'s code', said(candidateOf({ own: tests('passed', [test('passed')]) }, 'from f import f\n\ndef test_f():\n    assert f(1) == 1\n', 'test_f.py'), subjectOf({ otherFiles: { 'f.py': SOURCE } })), /^tested: the tests were run here against your code: 1 test pass/],
  ['a missing library', said(candidateOf({ fault: fault('missing', '', ['numpy', 'scipy']) }), subjectOf()), /^unverified: `numpy`, `scipy` is not available here/],
  ['what is missing and has no name', said(candidateOf({ fault: fault('missing', 'it needs threads, which are not here') }), subjectOf()), /^unverified: it was not run: it needs threads/],
  ['a program that does not load', said(candidateOf({ fault: fault('load', 'SyntaxError: no\nmore'), check: { diagnostics: [], missing: ['numpy'] } }), subjectOf()), /^unverified: it does not load here: SyntaxError: no\n[^]*- Not available here: `numpy`\./],
  ['a limit', said(candidateOf({ fault: fault('limit', 'it ran out of time') }), subjectOf()), /^unverified: it was not run: it ran out of time/],
  ['a library that only the checker misses', said(candidateOf({ check: { diagnostics: [], missing: ['numpy'] } }), subjectOf()), /^unverified: `numpy` is not available here/],
  ['a file that nothing here runs', said(candidateOf({}, '<template/>', 'App.vue'), subjectOf()), /^unverified: nothing here can check or run `App\.vue`\.$/],
  ['a server', said(candidateOf({}, 'from flask import Flask\napp = Flask("a")\napp.run()\n'), subjectOf(), { oracle: 'none' }), /^unverified: it was loaded here with `app\.run\(\)` left out; no request was sent/],
  ['a window', said(candidateOf({}, 'import tkinter\ntkinter.Tk().mainloop()\n'), subjectOf(), { oracle: 'none' }), /^unverified: it opens a window/],
  ['a script that ran', said(candidateOf({ started: [{ example: undefined, report: ran({ stdout: 'hello\n', files: { 'out.txt': 'x' } }) }] }, 'print("hello")\n'), subjectOf(), { oracle: 'none' }), /^unverified: it ran to its end here[^]*hello[^]*- It wrote `out\.txt`\./],
  ['a script that ended with an error', said(candidateOf({ started: [{ example: undefined, report: ran({ exitCode: 1, stderr: 'Traceback\nValueError: no\n' }) }] }, 'print("hello")\n'), subjectOf(), { oracle: 'none' }), /^unverified: it was started here and ended with an error: ValueError: no/],
  ['a script that did not come to its end', said(candidateOf({ started: [{ example: undefined, report: ran({ outcome: 'time' }) }] }, 'print("hello")\n'), subjectOf(), { oracle: 'none' }), /^unverified: it was not run: time/],
  ['a script that reads', said(candidateOf({}, 'print(input())\n'), subjectOf(), { oracle: 'none' }), /^unverified: it reads input or arguments that were not given/],
  ['what depends on chance', said(candidateOf({}, 'import random\n\ndef f():\n    return random.random()\n'), subjectOf(), { oracle: 'none' }), /^unverified: it loads here; what it does depends on/],
  ['what has no example', said(candidateOf({ check: { diagnostics: [error], missing: [] } }), subjectOf(), { oracle: 'none' }), /^unverified: it loads here and was checked[^]*- Linter and type checker report 1 error:\n {2}- line 3: F821: no such name$/],
  ['a line at the top that fails', said(candidateOf({ topFault: fault('load', 'AssertionError\nmore'), ...MEETS }), subjectOf(ONE)), /^unverified: [^]*- A line outside of its functions fails when it is loaded: AssertionError/],
  ['a change put into a long file', said(candidateOf({ spliced: true, ...MEETS }), subjectOf(ONE)), /^verified: [^]*- The change was put into `f\.py`/],
  ['effort that is used up', said(candidateOf(), subjectOf(), { more: { cut: { why: 'effort' } } }), /- The effort allowed for one answer is used up/],
  ['time that is over', said(candidateOf(), subjectOf(), { more: { cut: { why: 'time' } } }), /- The time allowed for one answer is used up/],
  ['a model that failed', said(candidateOf(), subjectOf(), { more: { cut: { why: 'failure', message: 'out of memory' } } }), /- The work ended early, since the language model failed: out of memory/]
]

for (const [what, words, wanted] of VERDICTS) void t.test(`the verification of ${what}`, async t => { t.match(words, wanted) })

void t.test('the prompt for a repair describes the problems in the words of the tools that found them', async t => {
  const wrong = (more: Partial<Candidate>, subject: Partial<Subject> = {}) => problemsOf(candidateOf(more), subjectOf(subject))
  t.equal(wrong({ fault: fault('load', 'NameError: x') }), 'It cannot be run:\nNameError: x (line 2)')
  t.match(wrong(MEETS, { examples: [expectation('2')] }), /^These examples failed:\n- `f\(1\)` should give `2`, but gives `1`$/)
  t.match(wrong({}, { examples: [expectation('2')] }), /should give `2`, and was not run/)
  t.match(wrong({ topFault: fault('load', 'AssertionError') }), /A line at the top level fails when the program is loaded:\nAssertionError \(line 2\)/)
  t.match(wrong(started(ran({ stdout: '5\n', stderr: 'careful\n' }))), /Started with the input\n```text\n2\n```\n it should print\n```text\n4\n```\nbut prints\n```text\n5\n```\nand on stderr\n```text\ncareful\n```/)
  t.match(wrong({ report: tests('failed', [test('failed', 'test_f', '1 != 2\nmore')]) }), /These tests failed:\n- test_f: 1 != 2 \(line 2\)/)
  t.match(wrong({ report: tests('failed', [], { message: 'a conftest throws' }) }), /The tests could not be run: a conftest throws/)
  t.match(wrong({ check: { diagnostics: [error, { ...error, severity: 'warning' }], missing: [] } }), /^The checker reports:\n- line 3: F821: no such name$/)
  t.equal(wrong({}), 'It does not do what the task asks: see there what is wrong.')
})
