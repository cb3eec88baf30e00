import t from 'tap'
import type { Files } from '../../../../agents/types.js'
import { programs } from '../../../support/programs.js'
import { openSandbox } from '../support.js'

t.setTimeout(600_000) // each is a process of its own
const sandbox = openSandbox(t)
const { signal } = new AbortController()
const test = (files: Files) => sandbox.test({ language: 'typescript', files, tests: Object.keys(files).filter(path => /(?:\.test|_test)\.[cm]?[jt]sx?$/.test(path)) }, { signal })

void t.test('what a reviewer had told as passed is so no more', async t => {
  await Promise.all((await programs('typescript-forgeries.txt')).map(async ([what, files]) => {
    const report = await test(files)
    t.not(report.outcome, 'passed', `${what}: ${JSON.stringify(report)}`)
  }))
})

void t.test('what the runner of the tests itself would fail is not told as passed', async t => {
  await Promise.all((await programs('typescript-wrong.txt')).map(async ([what, files]) => {
    const report = await test(files)
    t.not(report.outcome, 'passed', `${what}: ${JSON.stringify(report)}`)
  }))
})

void t.test('honest programs of all kinds pass as they would anywhere', async t => {
  await Promise.all((await programs('typescript-honest.txt')).map(async ([what, files]) => {
    const report = await test(files)
    t.match(report, { outcome: 'passed', cause: null }, `${what}: ${JSON.stringify(report)}`)
  }))
})
