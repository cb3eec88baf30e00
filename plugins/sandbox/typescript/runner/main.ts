// The root module of every TypeScript worker. It imports no file of the job statically: see plugins/sandbox/deno.ts.
import { receive, send } from './channel.js'
import { openEnvironment } from './environment.js'
import { leave } from './platform.js'
import { warmConsole } from './program-console.js'
import { installProto } from './proto.js'
import { type CallJob, runCalls } from './run-calls.js'
import { type ProgramJob, runProgram } from './run-program.js'
import { type TestJob, runTests } from './run-tests.js'
import { keepGoing, prepare } from './node-globals.js'
import { installGlobals } from './testing/globals.js'
import { warmAssertions } from './testing/expect.js'
import { thrownFields, watchStray } from './thrown.js'

type Job =
  | ({ mode: 'test', servers: string[] } & TestJob)
  | ({ mode: 'evaluate', servers: string[] } & CallJob)
  | ({ mode: 'run' } & ProgramJob)

installProto()
installGlobals()
warmAssertions()
warmConsole()
watchStray()
// Keeps the process alive even if it only waits for a promise that never settles.
const alive = setInterval(() => {}, 1_000_000)
const job = await receive() as Job | undefined
if (job) {
  try {
    prepare(job.folder)
    openEnvironment(job.mode === 'test' ? { NODE_ENV: 'test' } : {}) // as vitest and jest have it
    if (job.mode === 'run') {
      clearInterval(alive)
      runProgram(job)
    } else {
      keepGoing(job.servers)
      await (job.mode === 'test' ? runTests(job) : runCalls(job))
    }
  } catch (error) {
    send('broken', thrownFields(error))
    if (job.mode !== 'run') send('end')
  }
}
if (job?.mode !== 'run') leave(0) // a program ends by itself
