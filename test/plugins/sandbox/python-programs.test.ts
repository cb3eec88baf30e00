import t from 'tap'
import { programs } from '../../support/programs.js'
import { isForged, python } from '../../support/python.js'

t.setTimeout(600_000) // each is a process of its own
const { test } = python(t)

void t.test('what a reviewer had told as passed is so no more', async t => {
  await Promise.all((await programs('python-forgeries.txt')).map(async ([what, files]) => {
    const report = await test(files)
    t.notOk(isForged(report), `${what}: ${JSON.stringify(report)}`)
  }))
})

void t.test('honest programs of all kinds pass as they would anywhere', async t => {
  await Promise.all((await programs('python-honest.txt')).map(async ([what, files]) => {
    const report = await test(files)
    t.match(report, { outcome: 'passed', cause: null }, `${what}: ${JSON.stringify(report)}`)
  }))
})
