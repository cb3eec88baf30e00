import t from 'tap'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Language } from '../../../agents/types.js'
import { LocalSandbox } from '../../../plugins/sandbox/sandbox.js'
import { python } from '../../support/python.js'
import { below } from './processes.js'
import { QUIET } from './support.js'

const skip = process.platform !== 'linux' && 'it looks at /proc'

/** The processes of the sandbox that this one has started, once no more are about to end. */
async function cells (): Promise<string[]> {
  await sleep(400)
  return below(process.pid).map(({ name }) => name).filter(name => name.includes('/deno'))
}

const LANGUAGES: Language[] = ['python', 'typescript']

const JOBS = {
  python: { files: { 'test_a.py': 'def test_a(): assert True\n' }, tests: ['test_a.py'] },
  typescript: { files: { 'a.test.ts': 'Deno.test("a", () => {})\n' }, tests: ['a.test.ts'] }
}

for (const language of LANGUAGES) {
  void t.test(`${language}: a job that is given up at any moment leaves no process behind`, { skip }, async t => {
    const { sandbox } = python(t)
    await sandbox.prove()
    for (let turns = 0; turns < 25; turns++) {
      const giving = new AbortController()
      const job = sandbox.test({ language, ...JOBS[language] }, { signal: giving.signal })
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      giving.abort(new Error('given up'))
      await t.rejects(job, { message: 'given up' })
    }
    const left = await cells()
    t.ok(left.length <= 5, `ready for the next jobs, and a checker: ${left.length}`)
    await sandbox.close()
    t.same(await cells(), [])
  })
}

void t.test('nor does a sandbox that is closed at any moment of its self-test', { skip }, async t => {
  await python(t).sandbox.prove() // what is prepared once is there
  await cells()
  const before = new Set(below(process.pid).map(({ pid }) => pid))
  for (const wait of [0, 1, 2, 3, 5, 8, 12, 20, 40, 80, 160, 320]) {
    const sandbox = new LocalSandbox({ log: QUIET })
    const proven = sandbox.prove()
    for (const language of LANGUAGES) sandbox.warm(language)
    await sleep(wait)
    await sandbox.close()
    await proven
  }
  await cells()
  t.same(below(process.pid).filter(({ pid }) => !before.has(pid)), [])
})
