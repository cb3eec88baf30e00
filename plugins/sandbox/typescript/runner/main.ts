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
import { warmConsole } from './program-console.js'
import { type ProgramJob, runProgram } from './run-program.js'
import { type TestJob, runTests } from './run-tests.js'
import { watchStray } from './stray.js'
import { closeEngine, keepGoing, lockForTests, prepare } from './surroundings.js'
import { thrownFields } from './thrown.js'

type Job =
  | { mode: 'test', servers: string[], spoken: string[], globals: string[], modules: string[] } & TestJob
  | { mode: 'evaluate', servers: string[] } & CallJob
  | { mode: 'run' } & ProgramJob

installProto()
lockLanguage()
closeEngine()
watchStray()
installGlobals()
installShims()
warmAssertions()
warmConsole()
// The process lives until it is through, also where all that it waits for is a promise that never settles.
const alive = setInterval(() => {}, 1_000_000)
const text = await receive()
let isProgram = false
if (text !== undefined) {
  try {
    const job = parseJob(text) as Job
    isProgram = job.mode === 'run'
    prepare(job.folder)
    openEnvironment(job.mode === 'test' ? { NODE_ENV: 'test' } : {}) // as vitest and jest have it
    if (job.mode === 'run') {
      clearInterval(alive)
      runProgram(job)
    } else {
      keepGoing()
      closeServers(job.servers)
      await workOn(job)
    }
  } catch (error) {
    send('broken', thrownFields(error))
  }
}
if (!isProgram) leave(0) // a program ends by itself

async function workOn (job: Exclude<Job, { mode: 'run' }>): Promise<void> {
  if (job.mode === 'test') {
    lockForTests(job)
    await runTests(job)
  } else {
    await runCalls(job)
  }
}
