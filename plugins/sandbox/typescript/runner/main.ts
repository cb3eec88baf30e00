// The root of every TypeScript cell. It imports nothing of the job's statically: see plugins/sandbox/deno.ts.
import { warmAssertions } from './dialects/expect.js'
import { installGlobals } from './dialects/globals.js'
import { installShims } from './dialects/shims.js'
import { parseJob, receive, send } from './channel.js'
import { openEnvironment } from './environment.js'
import { closeServers } from './listening.js'
import { lockLanguage } from './lock.js'
import { leave } from './platform.js'
import { installProto } from './proto.js'
import { type CallJob, runCalls } from './run-calls.js'
import { type TestJob, runTests } from './run-tests.js'
import { watchStray } from './stray.js'
import { closeEngine, lockForTests, prepare } from './surroundings.js'
import { thrownFields } from './thrown.js'

type Job = { servers: string[] } & ({ mode: 'test', spoken: string[], globals: string[], modules: string[] } & TestJob | { mode: 'evaluate' } & CallJob)

installProto()
lockLanguage()
closeEngine()
watchStray()
installGlobals()
installShims()
warmAssertions()
// The process lives until it is through, also where all that it waits for is a promise that never settles.
setInterval(() => {}, 1_000_000)
const text = await receive()
if (text !== undefined) {
  try {
    const job = parseJob(text) as Job
    prepare(job.folder)
    openEnvironment(job.mode === 'test' ? { NODE_ENV: 'test' } : {}) // as vitest and jest have it
    closeServers(job.servers)
    if (job.mode === 'test') {
      lockForTests(job)
      await runTests(job)
    } else {
      await runCalls(job)
    }
  } catch (error) {
    send('broken', thrownFields(error))
  }
}
leave(0)
