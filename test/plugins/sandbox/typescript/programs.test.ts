import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import type { Files, TestReport } from '../../../../agents/types.js'
import { openSandbox, patience } from '../support.js'

t.setTimeout(300_000) // each is a process of its own
const sandbox = openSandbox(t)

async function run (files: Files): Promise<TestReport> {
  return await sandbox.test({ language: 'typescript', files, tests: Object.keys(files).filter(path => path.endsWith('.test.ts')) }, patience())
}

/** Jobs as `==== NAME`, each with its files as `---- PATH` and their text. */
async function programs (name: string): Promise<[name: string, files: Files][]> {
  const text = await readFile(join(import.meta.dirname, '..', '..', '..', 'fixtures', 'programs', name), 'utf8')
  return text.split(/^==== /m).slice(1).map(job => {
    const [title = '', ...files] = job.split(/^---- /m)
    return [title.trim(), Object.fromEntries(files.map(file => [file.slice(0, file.indexOf('\n')), file.slice(file.indexOf('\n') + 1)]))]
  })
}

void t.test('what the tests\' own runner would fail is not told as passed', async t => {
  await Promise.all((await programs('typescript-wrong.txt')).map(async ([what, files]) => {
    const report = await run(files)
    t.not(report.outcome, 'passed', `${what}: ${JSON.stringify(report)}`)
  }))
})

void t.test('what the tests\' own runner would pass is told as passed', async t => {
  await Promise.all((await programs('typescript-honest.txt')).map(async ([what, files]) => {
    const report = await run(files)
    t.match(report, { outcome: 'passed', cause: null }, `${what}: ${JSON.stringify(report)}`)
  }))
})
