import t from 'tap'
import type { Files } from '../../../../agents/types.js'
import { programs } from '../../../support/programs.js'
import { openSandbox } from '../support.js'

t.setTimeout(600_000) // each is a process of its own
const sandbox = openSandbox(t)
const { signal } = new AbortController()
const test = (files: Files) => sandbox.test({ language: 'typescript', files, tests: Object.keys(files).filter(path => /(?:\.test|_test)\.[cm]?[jt]sx?$/.test(path)) }, { signal })

// Its words for tests are in a file that is none.
const LOOKED_AT_AGAIN = ['ownWordsOfBunsNames']

void t.test('of wrong programs that interfere with their tests, at most a tenth pass and are vouched for', async t => {
  const forgeries = await programs('typescript-forgeries.txt')
  const vouched = await Promise.all(forgeries.map(async ([what, files]) => (await test(files)).vouched ? what : undefined))
  const unseen = vouched.filter(what => what !== undefined)
  t.ok(unseen.length <= forgeries.length * 0.1, unseen.join(', '))
})

void t.test('tests that fail in the real runner do not pass here', async t => {
  await Promise.all((await programs('typescript-wrong.txt')).map(async ([what, files]) => {
    const report = await test(files)
    t.not(report.outcome, 'passed', `${what}: ${JSON.stringify(report)}`)
  }))
})

void t.test('honest programs of all kinds pass and are vouched for', async t => {
  await Promise.all((await programs('typescript-honest.txt')).map(async ([what, files]) => {
    const report = await test(files)
    t.match(report, { outcome: 'passed', cause: null, vouched: !LOOKED_AT_AGAIN.includes(what) }, `${what}: ${JSON.stringify(report)}`)
  }))
})
