import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { equal } from '../../../../agents/values.js'
import { pathInShared } from '../../../support/neighbour-folder.js'
import { openSandbox, patience, sampled } from '../support.js'

const DATA = pathInShared('modelsim', 'data', 'tasks-typescript.jsonl.gz')

interface Task {
  task: string
  entry: string
  examples: [string, string][]
  hidden: [string, string][]
  cands: { k: string, op?: string, code: string }[]
}

void t.test('known right solutions evaluate right and check clean; known wrong ones are found', { skip: DATA === undefined && 'the tasks are not on this machine' }, async t => {
  const lines = gunzipSync(readFileSync(DATA ?? '')).toString('utf8').trim().split('\n')
  const tasks = sampled(lines, 4).map(line => JSON.parse(line) as Task)
  const sandbox = openSandbox(t, { processes: 4 })
  let wrongs = 0
  let found = 0
  let faulted = 0
  await Promise.all(tasks.map(async ({ task, entry, examples, hidden, cands }) => {
    const right = cands.find(({ k }) => k === 'right')?.code ?? ''
    const cases = [...examples, ...hidden]
    const calls = cases.map(([args]) => ({ expression: `${entry}(${args})` }))
    const options = { ...patience(), limits: { wallMs: 5000 } }
    const run = async (code: string) => await sandbox.evaluate({ language: 'typescript', files: { 'solution.ts': code }, calls }, options)
    const values = cases.map(([, value]) => ({ expression: value }))
    const wanted = await sandbox.evaluate({ language: 'typescript', files: { 'none.ts': 'export {}\n' }, calls: values }, patience())
    const isRight = async (code: string) => (await run(code)).every((outcome, index) => {
      const should = wanted[index]
      return outcome.type === 'returned' && should?.type === 'returned' && equal(outcome.value, should.value, { language: 'typescript', tolerance: 1e-9 })
    })
    t.ok(await isRight(right), task)
    const report = await sandbox.check({ language: 'typescript', files: { 'solution.ts': right } }, patience())
    t.same(report.unchecked, [], task)
    if (report.diagnostics.some(({ severity }) => severity === 'error')) faulted++
    const wrong = cands.find(({ k, op }) => k === 'mut' && op === 'wrong_name') ?? cands.find(({ k }) => k === 'mut')
    if (!wrong) return
    wrongs++
    if (!await isRight(wrong.code)) found++
  }))
  t.ok(faulted <= 2, `${faulted} have an error of type; two of them truly do`)
  t.ok(wrongs > 0 && found >= wrongs * 0.8, `${found} of ${wrongs} wrong ones fail`)
})
