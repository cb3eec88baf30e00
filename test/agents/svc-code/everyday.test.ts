import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { pathInShared } from '../../support/neighbour-folder.js'
import { tempFolder } from '../../support/folders.js'
import { startService } from '../../support/service.js'

// Everyday requests, answered by a scripted model in the folder next to the checkout: every fifth case in each run, all of them with
// SVC_TEST_LONG=1. These cases are our own, and independent of the other collections of cases.
const TOOLS = pathInShared('everyday')
const CASES = join(import.meta.dirname, '..', '..', 'fixtures', 'everyday')
const EVERY = process.env.SVC_TEST_LONG === '1' ? 1 : 5

interface Model { port: number, close: () => void }
type Serve = (options: { dir: string, hold: number }) => Promise<Model>
interface Record { id: string, pass: boolean, wrong: string[] }

const run = promisify(execFile)

void t.test('everyday requests are answered as a person would want, and never worse than by the model alone', {
  skip: TOOLS === undefined && 'the scripted model is not on this machine'
}, async t => {
  const { serve } = await import(pathToFileURL(join(TOOLS ?? '', 'server.mjs')).href) as { serve: Serve }
  const model = await serve({ dir: CASES, hold: 600 })
  t.teardown(() => model.close())
  const backend = `http://127.0.0.1:${model.port}`
  const { url } = await startService(t, { backendUrl: `${backend}/v1` })
  const json = join(tempFolder(t), 'records.json')
  const asked = ['--url', `${url}/v1`, '--backend', backend, '--cases', CASES, '--every', String(EVERY), '--json', json]
  await run(process.execPath, [join(TOOLS ?? '', 'run.mjs'), ...asked]).catch(() => undefined) // which ones failed is in the records
  const records = JSON.parse(readFileSync(json, 'utf8')) as Record[]
  t.ok(records.length >= 10, `${records.length} requests`)
  t.strictSame(records.filter(({ pass }) => !pass).map(({ id, wrong }) => ({ id, wrong })), [])
  const counter = join(import.meta.dirname, '..', '..', 'support', 'never-worse.mjs')
  const counted = await run(process.execPath, [counter, '--json', json, '--backend', backend]).catch((error: unknown) => error as { code: number, stdout: string })
  t.notOk('code' in counted, `no line is lost, no answer empty, none talks about itself, none is verified and wrong\n${counted.stdout}`)
})
