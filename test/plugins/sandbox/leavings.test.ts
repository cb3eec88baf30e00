import t from 'tap'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Language } from '../../../agents/types.js'
import { LocalSandbox } from '../../../plugins/sandbox/sandbox.js'
import { python } from '../../support/python.js'
import { below } from './processes.js'
import { IS_LONG, QUIET, until } from './support.js'

const skip = process.platform !== 'linux' && 'it looks at /proc'

const denos = () => below(process.pid).filter(({ name }) => name.includes('/deno'))

const LANGUAGES: Language[] = ['python', 'typescript']

const JOBS = {
  python: { files: { 'test_a.py': 'def test_a(): assert True\n' }, tests: ['test_a.py'] },
  typescript: { files: { 'a.test.ts': 'Deno.test("a", () => {})\n' }, tests: ['a.test.ts'] }
}

for (const language of LANGUAGES) {
  void t.test(`${language}: a job that is aborted at any moment leaves no process behind`, { skip }, async t => {
    const { sandbox } = python(t)
    await sandbox.prove()
    for (let turns = 0; turns < 25; turns += IS_LONG ? 1 : 3) {
      const giving = new AbortController()
      const job = sandbox.test({ language, ...JOBS[language] }, { signal: giving.signal })
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      giving.abort(new Error('given up'))
      await t.rejects(job, { message: 'given up' })
    }
    await until(() => denos().length <= 5) // ready for the next jobs, and a checker
    await sandbox.close()
    await until(() => denos().length === 0)
  })
}

void t.test('a sandbox that is closed at any moment of its self-test leaves no process behind', { skip }, async () => {
  const first = new LocalSandbox({ log: QUIET }) // makes what is kept for later starts
  await first.prove()
  await first.close()
  for (const wait of IS_LONG ? [0, 1, 2, 3, 5, 8, 12, 20, 40, 80, 160, 320] : [0, 3, 20, 160]) {
    const sandbox = new LocalSandbox({ log: QUIET })
    const tested = sandbox.prove()
    for (const language of LANGUAGES) sandbox.warm(language)
    await sleep(wait)
    await sandbox.close()
    await tested
  }
  await until(() => denos().length === 0)
})
