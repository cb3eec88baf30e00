import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { equal } from '../../../../agents/values.js'
import { pathInShared } from '../../../support/neighbour-folder.js'
import { openSandbox, patience } from '../support.js'

const DATA = pathInShared('modelsim', 'data', 'tasks-typescript.jsonl.gz')

interface Task { task: string, entry: string, examples: [string, string][], hidden: [string, string][], cands: { k: string, op?: string, code: string }[] }

void t.test('known right solutions evaluate right and check clean; known wrong ones are told apart', { skip: DATA === undefined && 'the tasks are not on this machine' }, async t => {
  const tasks = gunzipSync(readFileSync(DATA ?? '')).toString('utf8').trim().split('\n').map(line => JSON.parse(line) as Task)
  const sandbox = openSandbox(t)
  let wrongs = 0
  let told = 0
  let faulted = 0
  for (const { task, entry, examples, hidden, cands } of tasks) {
    const right = cands.find(({ k }) => k === 'right')?.code ?? ''
    const cases = [...examples, ...hidden]
    const calls = cases.map(([args]) => ({ expression: `${entry}(${args})` }))
    const run = async (code: string) => await sandbox.evaluate({ language: 'typescript', files: { 'solution.ts': code }, calls }, { ...patience(), limits: { wallMs: 5000 } })
    const wanted = await sandbox.evaluate({ language: 'typescript', files: { 'none.ts': 'export {}\n' }, calls: cases.map(([, value]) => ({ expression: value })) }, patience())
    const isRight = async (code: string) => (await run(code)).every((outcome, index) => {
      const should = wanted[index]
      return outcome.type === 'returned' && should?.type === 'returned' && equal(outcome.value, should.value, { language: 'typescript', tolerance: 1e-9 })
    })
    t.ok(await isRight(right), task)
    const report = await sandbox.check({ language: 'typescript', files: { 'solution.ts': right } }, patience())
    t.same(report.unchecked, [], task)
    if (report.diagnostics.some(({ severity }) => severity === 'error')) faulted++
    const wrong = cands.find(({ k, op }) => k === 'mut' && op === 'wrong_name') ?? cands.find(({ k }) => k === 'mut')
    if (!wrong) continue
    wrongs++
    if (!await isRight(wrong.code)) told++
  }
  t.ok(faulted <= 2, `${faulted} have an error of type; two of them truly do`)
  t.ok(wrongs > 0 && told >= wrongs * 0.8, `${told} of ${wrongs} wrong ones fail`)
})
