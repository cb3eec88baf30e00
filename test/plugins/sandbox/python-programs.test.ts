import t from 'tap'
import { programs } from '../../support/programs.js'
import { python } from '../../support/python.js'

t.setTimeout(600_000) // each is a process of its own
const { test } = python(t)

void t.test('honest programs of all kinds pass and are vouched for', async t => {
  await Promise.all((await programs('python-honest.txt')).map(async ([what, files]) => {
    const report = await test(files)
    t.match(report, { outcome: 'passed', cause: null, vouched: !what.includes('(not vouched for)') }, `${what}: ${JSON.stringify(report)}`)
  }))
})

void t.test('no forgery of the reviewers is vouched for', async t => {
  await Promise.all((await programs('python-forgeries.txt')).map(async ([what, files]) => {
    const { vouched, doubts } = await test(files)
    t.notOk(vouched, what)
    t.ok(doubts.every(line => /^[\w./]+\.py:\d+: \w/.test(line)), doubts.join('\n'))
  }))
})
