import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { type AppOptions, VERSION, buildApp } from '../../app.js'
import { describe } from '../../schemas/errors.js'
import { runContext } from '../../plugins/runs/run.js'
import { instance } from '../../routes/health.js'
import { type StartArgs, UsageError } from './flags.js'
import { logger } from './log.js'
import { isLoopback, leadsTo } from './addresses.js'
import { showBar } from './bar.js'
import { mayDownload } from './offer.js'
import { urlOf, whoAnswers } from './probe.js'
import { type ServiceRecord, birthOf, findRecord, removeRecord, writeRecord } from './record.js'
import { backendLines } from './status.js'

// How long the greeting waits for the backend to say who it is.
const GREETING = 1500

/** Starts the service and stays; gives a code only where it could not start. */
export async function start (args: StartArgs): Promise<number | undefined> {
  let app: FastifyInstance | undefined
  try {
    await refuseLoop(args)
    if (args['no-embedded'] && args.model !== undefined) throw new UsageError('--model and --no-embedded exclude each other: leave one of them out.')
    app = await build(await mayDownload(args) ? { ...args, pull: true } : args)
    await app.listen({ host: args.host, port: args.port, listenTextResolver: address => `svc ${VERSION} listens on ${address}` })
  } catch (error) {
    await app?.close()
    console.error(`svc did not start. ${await explain(error, args)}`)
    if (args.debug) console.error(error)
    return 1
  }
  survive(app)
  const record = recordOf(app, args)
  leaveOnSignals(app, args.drain, () => writeRecord({ ...record, stopping: true }))
  keepRecord(app, record)
  if (!isLoopback(args.host) && args['api-key'] === undefined) {
    app.log.warn(`Anybody who reaches ${args.host}:${portOf(app)} can use the agents, and through them the language model. Give a key with --api-key, or listen on 127.0.0.1 only.`)
  }
  await greet(app, args)
  return undefined
}

async function build (args: StartArgs): Promise<FastifyInstance> {
  const given = <K extends keyof StartArgs, N extends string>(flag: K, name: N) => (args[flag] === undefined ? {} : { [name]: args[flag] }) as { [key in N]?: NonNullable<StartArgs[K]> }
  return await buildApp({
    logger: await logger(args.debug),
    agentsDirs: args['agents-dir'],
    aliases: args.alias,
    corsOrigin: args['cors-origin'],
    runTimeout: args['run-timeout'] * 1000,
    drain: args.drain * 1000,
    jsonKeepalive: args['json-keepalive'] * 1000,
    progress: !args['no-progress'],
    ...(args.debug && { traceRuns: true }),
    bodyLimit: args['body-limit'],
    backendSearch: args['backend-search'],
    ...(!args['no-embedded'] && { engine: engine(args) }),
    backendDeadlines: { firstToken: args['first-token-timeout'] * 1000, nextToken: args['next-token-timeout'] * 1000 },
    ...given('backend-url', 'backendUrl'),
    ...given('backend-model', 'backendModel'),
    ...given('backend-key', 'backendKey'),
    ...given('api-key', 'apiKey'),
    ...given('packages', 'packages'),
    agentOptions: { ...given('workspace', 'workspace'), ...given('max-model-calls', 'max_model_calls'), ...given('max-model-tokens', 'max_model_tokens'), ...given('max-model-seconds', 'max_model_seconds') },
    ...given('max-runs', 'maxRuns'),
    ...given('max-queue', 'maxQueue'),
    ...tls(args)
  })
}

function engine ({ model, pull, threads, 'models-dir': folder, 'no-gpu': noGpu }: StartArgs): NonNullable<AppOptions['engine']> {
  return {
    pull,
    folder,
    useGpu: !noGpu,
    ...(model !== undefined && { model }),
    ...(threads !== undefined && { threads }),
    ...(process.stderr.isTTY && { onPace: showBar })
  }
}

function tls ({ 'tls-cert': cert, 'tls-key': key }: StartArgs) {
  if (cert === undefined && key === undefined) return {}
  if (cert === undefined || key === undefined) throw new UsageError('--tls-cert and --tls-key go together: give both, or neither.')
  return { tls: { cert: pem('tls-cert', cert), key: pem('tls-key', key) } }
}

function pem (flag: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EISDIR') throw new UsageError(`--${flag} ${path} is a folder; name the PEM file in it.`)
    throw error
  }
}

async function refuseLoop ({ host, port, 'backend-url': url }: StartArgs): Promise<void> {
  if (url === undefined || !URL.canParse(url) || !(await leadsTo(url, { host, port }))) return
  throw new UsageError(`--backend-url ${url} leads back to this service. Give it the address of a language model's server, or start this service on another --port.`)
}

async function explain (error: unknown, { host, port }: StartArgs): Promise<string> {
  const { code = '', message = describe(error), path = '' } = error as NodeJS.ErrnoException
  switch (code) {
    case 'EADDRINUSE': return await whoHolds(host, port)
    case 'EACCES':
      if (path === '') return `Port ${port} may not be opened by this user. Choose one above 1023: npm start -- --port 8080`
      return `${path} may not be read by this user.`
    case 'EADDRNOTAVAIL': return `--host ${host} is no address of this machine. 127.0.0.1 is this machine only, 0.0.0.0 is all of its addresses.`
    case 'ENOTFOUND':
    case 'EAI_AGAIN': return `--host ${host} is not known as a host name. 127.0.0.1 is this machine only, 0.0.0.0 is all of its addresses.`
    case 'ENOENT': return `${path} is not there. Correct the path.`
  }
  if (/^ERR_OSSL|^ERR_SSL/.test(code)) return `--tls-cert and --tls-key do not hold a certificate and its key in PEM form (${message}).`
  return message
}

async function whoHolds (host: string, port: number): Promise<string> {
  const record = await findRecord({ host, port })
  const found = await whoAnswers(record ?? { scheme: 'http', host, port })
  const isSvc = record !== undefined && typeof found === 'object' && found.instance === record.instance
  const other = `choose another port: npm start -- --port ${port + 1}`
  return isSvc
    ? `Port ${port} is in use by svc already (pid ${record.pid}). Stop it: npm stop -- --port ${port}, or ${other}`
    : `Port ${port} on ${host} is in use by another program: ${other}`
}

// An agent that throws in a timer, or forgets a promise, must not take the others with it.
function survive (app: FastifyInstance): void {
  const report = (err: unknown) => app.log.error({ ...strayRun(app), err: err instanceof Error ? err : new Error(describe(err)) }, 'something failed outside of any reply; the service goes on')
  process.on('uncaughtException', report)
  process.on('unhandledRejection', report)
}

// Known where runs are traced; elsewhere it is one of those in flight.
function strayRun (app: FastifyInstance): object {
  const run = runContext.getStore()
  return run === undefined ? { runs: app.runs.ids.slice(0, 10) } : { run }
}

// npm hands a Ctrl-C on to us, and so does the terminal; two `npm stop` may cross. What comes at once counts once.
const SAME_SIGNAL = 150

// Beyond the drain and the last words of what it ended: what an agent does at the end may never be done.
const CLOSING = 5000

function leaveOnSignals (app: FastifyInstance, drain: number, onStop: () => void): void {
  let first: { signal: string, at: number } | undefined
  const onSignal = (signal: string) => {
    const at = performance.now()
    if (first !== undefined) {
      const mayBeTheSame = process.env.npm_lifecycle_event !== undefined || (signal === 'SIGTERM' && first.signal === signal)
      if (mayBeTheSame && at - first.at < SAME_SIGNAL) return
      process.exit(1)
    }
    first = { signal, at }
    onStop()
    const { runs } = app.runs.load
    app.log.info({ signal, runs }, runs === 0 ? 'svc stops' : `svc stops; ${runs === 1 ? '1 run has' : `${runs} runs have`} ${drain} s to finish (once more to end at once)`)
    setTimeout(() => {
      app.log.error('an agent did not let go at the end: svc stops all the same')
      process.exit(0)
    }, drain * 1000 + CLOSING).unref()
    app.close().then(() => process.exit(0), error => {
      app.log.error(error)
      process.exit(1)
    })
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal)
}

function recordOf (app: FastifyInstance, { host, drain, 'tls-cert': cert }: StartArgs): ServiceRecord {
  return {
    pid: process.pid,
    born: birthOf(process.pid),
    instance,
    scheme: cert === undefined ? 'http' : 'https',
    host,
    port: portOf(app),
    since: new Date().toISOString(),
    agents: app.agents.list().map(({ id }) => id),
    drain
  }
}

/** For `status` and `stop`; gone with the process. */
function keepRecord (app: FastifyInstance, record: ServiceRecord): void {
  if (writeRecord(record)) process.once('exit', () => removeRecord(record))
  else app.log.warn('There is no folder that is this user\'s alone for a record of this service: status and stop will not know it. Set XDG_RUNTIME_DIR.')
}

async function greet (app: FastifyInstance, args: StartArgs): Promise<void> {
  const backend = await Promise.race([app.backend.info(), new Promise<undefined>(resolve => setTimeout(() => resolve(undefined), GREETING).unref())])
  const models = app.agents.list().map(({ id }) => id)
  const url = urlOf({ scheme: args['tls-cert'] === undefined ? 'http' : 'https', host: args.host, port: portOf(app) }).replace('127.0.0.1', 'localhost')
  const key = args['api-key'] === undefined ? '' : ' -H "authorization: Bearer $KEY"'
  const body = JSON.stringify({ model: models[0] ?? 'svc-code', messages: [{ role: 'user', content: 'Write a function called add_numbers: add_numbers(1, 2) == 3' }] })
  const attempt = `curl ${url}/v1/chat/completions${key} -H "content-type: application/json" -d '${body}'`
  if (!process.stdout.isTTY) {
    app.log.info({ url, models, backend, try: attempt }, backend?.problem ? `ready, but ${backend.problem}; ${backend.remedy}` : 'ready')
    return
  }
  console.log([`  models   ${models.join(', ') || 'none'}`, ...backendLines(backend), `  try      ${attempt}`, '  stop     Ctrl-C'].join('\n'))
}

function portOf (app: FastifyInstance): number {
  const address = app.server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
