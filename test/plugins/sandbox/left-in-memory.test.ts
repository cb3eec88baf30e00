import { queryObjects } from 'node:v8'
import t from 'tap'
import { python } from '../../support/python.js'

void t.test('operations leave no objects behind in the service', async t => {
  const { sandbox } = python(t)
  const rounds = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const options = { signal: new AbortController().signal }
      await sandbox.format({ language: 'python', files: { 'a.py': `a=${i}\n` } }, options)
      await sandbox.check({ language: 'python', files: { 'a.py': `a: int = ${i}\n` } }, options)
      await sandbox.check({ language: 'typescript', files: { 'a.ts': `export const a: number = ${i}\n` } }, options)
    }
    return Number(queryObjects(Promise))
  }
  const before = await rounds(5)
  const left = await rounds(20) - before
  t.ok(left < 40, `promises that are left of 20 rounds: ${left}`)
})

void t.test('many operations with one signal cause no warning of Node', async t => {
  const { sandbox } = python(t)
  const warnings: string[] = []
  const onWarning = ({ name }: Error) => warnings.push(name)
  process.on('warning', onWarning)
  t.teardown(() => process.off('warning', onWarning))
  const { signal } = new AbortController()
  await Promise.all(Array.from({ length: 15 }, async (_, i) => await sandbox.format({ language: 'python', files: { 'a.py': `a=${i}\n` } }, { signal })))
  await new Promise(resolve => setTimeout(resolve, 50))
  t.notOk(warnings.includes('MaxListenersExceededWarning'))
})
