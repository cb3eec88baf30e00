import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import type { Outcome } from '../../../agents/types.js'
import { equal } from '../../../plugins/sandbox/values.js'
import { python } from '../../support/python.js'

t.setTimeout(600_000)

// Real tasks with their right solutions, where they lie beside the clone.
const DATA = join(import.meta.dirname, ...Array<string>(4).fill('..'), 'shared', 'modelsim', 'data', 'tasks-python.jsonl.gz')

interface Task { task: string, entry: string, tests: [string, string, string][], cands: { k: string, code: string }[] }

void t.test('right solutions of real tasks evaluate to what is expected, compared outside', { skip: !existsSync(DATA) && 'there are no tasks here' }, async t => {
  const { evaluate } = python(t)
  const tasks = gunzipSync(readFileSync(DATA)).toString('utf8').trim().split('\n').map(line => JSON.parse(line) as Task)
  const limits = { wallMs: 60_000, cpuMs: 60_000 }
  const wrong: string[] = []
  let compared = 0
  await Promise.all(tasks.map(async ({ task, entry, tests, cands }) => {
    const right = cands.find(({ k }) => k === 'right')
    if (!right) return
    const found = await evaluate(right.code, tests.map(([, inputs]) => `${entry}(${inputs})`), limits)
    const expected = await evaluate('', tests.map(([, , value]) => value), limits)
    for (const [index, [, inputs, value]] of tests.entries()) {
      compared++
      if (!isEqual(found[index], expected[index])) wrong.push(`${task} ${entry}(${inputs}) -> ${JSON.stringify(found[index])} instead of ${value}`)
    }
  }))
  t.same(wrong, [])
  t.ok(compared > 500)
})

function isEqual (one: Outcome | undefined, other: Outcome | undefined): boolean {
  return one?.type === 'returned' && other?.type === 'returned' && equal(one.value, other.value)
}
