import { Writable } from 'node:stream'
import { buildApp } from '../../app.js'
import { messageOf } from '../../schemas/errors.js'
import { appOptions } from './app-options.js'
import { type ServingArgs, blaming, refuseContradiction } from './flags.js'
import { checkFolders, leaveThread } from './folders.js'
import { logger } from './log.js'
import { logStrayErrors } from './signals.js'

// How long agents may take to end after the client has closed the input (milliseconds).
const CLOSE_TIMEOUT = 5000

/** Serves one client of the Model Context Protocol over standard input and output, until the input ends. It opens no port. */
export async function mcp (args: ServingArgs): Promise<number> {
  const output = protocolOutput()
  const ended = endOfInput()
  let app
  try {
    refuseContradiction(args)
    await checkFolders(args)
    app = await buildApp({ ...appOptions(args, args.pull), logger: await logger(args.debug, process.stderr), drain: 0 })
    await app.ready()
    logStrayErrors(app)
    const tools = await app.mcp()
    tools.pipe(process.stdin, output)
  } catch (error) {
    await app?.close()
    console.error(`svc did not start. ${blaming(messageOf(error))}`)
    if (args.debug) console.error(error)
    leaveThread(error)
    return 1
  }
  await ended
  setTimeout(() => process.exit(), CLOSE_TIMEOUT).unref() // an agent may never end
  await app.close()
  return 0
}

/** Reserves standard output for the protocol. Everything else that is printed to it, such as by agents, goes to standard error instead. */
function protocolOutput (): Writable {
  const write = process.stdout.write.bind(process.stdout)
  const output = new Writable({ write: (chunk: Buffer, _encoding, done) => { write(chunk, done) } })
  process.stdout.write = process.stderr.write.bind(process.stderr)
  return output
}

function endOfInput (): Promise<void> {
  return new Promise(resolve => {
    const end = () => resolve()
    process.stdin.once('end', end).once('close', end).once('error', end)
    process.stdout.once('error', end) // the client has gone
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end)
  })
}
