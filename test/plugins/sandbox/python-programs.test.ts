import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import type { Files } from '../../../agents/types.js'
import { isForged, python } from '../../support/python.js'

t.setTimeout(600_000) // each is a process of its own
const { test } = python(t)

/** Jobs as `==== NAME`, each with its files as `---- PATH` and their text. */
async function programs (name: string): Promise<[name: string, files: Files][]> {
  const text = await readFile(join(import.meta.dirname, '..', '..', 'fixtures', 'programs', name), 'utf8')
  return text.split(/^==== /m).slice(1).map(job => {
    const [title = '', ...files] = job.split(/^---- /m)
    return [title.trim(), Object.fromEntries(files.map(file => [file.slice(0, file.indexOf('\n')), file.slice(file.indexOf('\n') + 1)]))]
  })
}

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
