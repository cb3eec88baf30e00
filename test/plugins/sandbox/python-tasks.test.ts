import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import type { Outcome } from '../../../agents/types.js'
import { equal } from '../../../agents/values.js'
import { pathInShared } from '../../support/neighbour-folder.js'
import { python } from '../../support/python.js'
import { sampled } from './support.js'

t.setTimeout(600_000)

const DATA = pathInShared('modelsim', 'data', 'tasks-python.jsonl.gz') // real tasks with their right solutions

interface Task { task: string, entry: string, tests: [string, string, string][], cands: { k: string, code: string }[] }

void t.test('right solutions of real tasks evaluate to what is expected, compared outside', { skip: DATA === undefined && 'there are no tasks here' }, async t => {
  const { sandbox } = python(t)
  const { signal } = new AbortController()
  const lines = gunzipSync(readFileSync(DATA ?? '')).toString('utf8').trim().split('\n')
  const tasks = sampled(lines, 3).map(line => JSON.parse(line) as Task)
  const limits = { wallMs: 60_000, cpuMs: 60_000 }
  const wrong: string[] = []
  let compared = 0
  await Promise.all(tasks.map(async ({ task, entry, tests, cands }) => {
    const right = cands.find(({ k }) => k === 'right')
    if (!right) return
    // The authors' own: the others were generated, and a right solution may differ on them.
    const own = tests.filter(([kind]) => kind === 'h')
    const calls = [...own.map(([, inputs]) => ({ file: 'main.py', expression: `${entry}(${inputs})` })), ...own.map(([, , value]) => ({ expression: value }))]
    const outcomes = await sandbox.evaluate({ language: 'python', files: { 'main.py': right.code }, calls }, { signal, limits })
    const [found, expected] = [outcomes.slice(0, own.length), outcomes.slice(own.length)]
    for (const [index, [, inputs, value]] of own.entries()) {
      compared++
      if (!isEqual(found[index], expected[index])) wrong.push(`${task} ${entry}(${inputs}) -> ${JSON.stringify(found[index])} instead of ${value}`)
    }
  }))
  t.same(wrong, [])
  t.ok(compared > 60, `${compared} values`)
})

function isEqual (one: Outcome | undefined, other: Outcome | undefined): boolean {
  return one?.type === 'returned' && other?.type === 'returned' && equal(one.value, other.value, { language: 'python', tolerance: 1e-5 })
}
