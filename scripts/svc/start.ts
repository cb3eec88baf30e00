import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { VERSION, buildApp } from '../../app.js'
import { describe } from '../../schemas/errors.js'
import { instance } from '../../plugins/identity.js'
import { Question } from '../../plugins/backend/models/question.js'
import { type StartArgs, UsageError, blaming, refuseContradiction } from './flags.js'
import { logger } from './log.js'
import { appOptions } from './app-options.js'
import { isLoopback, leadsTo } from './addresses.js'
import { checkFolders, checkModels, leaveThread } from './folders.js'
import { greet, portOf } from './greeting.js'
import { endByInterrupt, logStrayErrors, stopOnSignals } from './signals.js'
import { askToDownload, mayDownload, neededDownload } from './offer.js'
import { whoAnswers } from './probe.js'
import { birthOf } from './process.js'
import { type ServiceRecord, findRecord, isCurrent, removeRecord, writeRecord } from './record.js'

/** Starts the service and keeps running; returns an exit code only if it could not start. */
export async function start (args: StartArgs): Promise<number | undefined> {
  let app: FastifyInstance | undefined
  let pull: boolean | Question
  try {
    await refuseLoop(args)
    refuseContradiction(args)
    await checkFolders(args)
    if (args.pull && neededDownload(args) !== undefined) await checkModels(args['models-dir'], { downloads: true })
    pull = mayDownload(args)
    app = await build(args, pull)
    await app.listen({ host: args.host, port: args.port, listenTextResolver: address => `svc ${VERSION} listens on ${address}` })
  } catch (error) {
    await app?.close()
    console.error(`svc did not start. ${blaming(await explain(error, args))}`)
    if (args.debug) console.error(error)
    leaveThread(error)
    return 1
  }
  logStrayErrors(app)
  const record = recordOf(app, args)
  const stop = stopOnSignals(app, args.drain, () => writeRecord({ ...record, stopping: true }))
  keepRecord(app, record)
  if (!isLoopback(args.host) && args['api-key'] === undefined) {
    app.log.warn(`Anybody who reaches ${args.host}:${portOf(app)} can use the agents, and through them the language model. `
      + 'Give a key with --api-key, or listen on 127.0.0.1 only.')
  }
  if (pull instanceof Question && !(await askToDownload(pull, args, app.backend))) stop('SIGINT', endByInterrupt)
  else await greet(app, args)
  return undefined
}

async function build (args: StartArgs, pull: boolean | Question): Promise<FastifyInstance> {
  return await buildApp({
    ...appOptions(args, pull),
    logger: await logger(args.debug),
    aliases: args.alias,
    corsOrigin: args['cors-origin'],
    host: args.host,
    drain: args.drain * 1000,
    jsonKeepalive: args['json-keepalive'] * 1000,
    bodyLimit: args['body-limit'],
    ...(args['api-key'] !== undefined && { apiKey: args['api-key'] }),
    ...tls(args)
  })
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
  throw new UsageError(`--backend-url ${url} leads back to this service. `
    + 'Give it the address of a language model\'s server, or start this service on another --port.')
}

async function explain (error: unknown, { host, port }: StartArgs): Promise<string> {
  const { code = '', message = describe(error), path = '' } = error as NodeJS.ErrnoException
  switch (code) {
    case 'EADDRINUSE': return await whoHolds(host, port)
    case 'EACCES':
      if (path === '') return `Port ${port} may not be opened by this user. Choose one above 1023: npm start -- --port 8080`
      return `${path} may not be read by this user.`
    case 'EADDRNOTAVAIL':
      return `--host ${host} is no address of this machine. 127.0.0.1 is this machine only, 0.0.0.0 is all of its addresses.`
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
  const other = `choose another port: npm start -- --port ${port + 1}`
  const ours = record && isCurrent(record) ? record : undefined
  const isSvc = ours && ((found === 'silence' && ours.born !== null) || (typeof found === 'object' && found.instance === ours.instance))
  if (!isSvc) return `Port ${port} on ${host} is in use by another program: ${other}`
  const hangs = found === 'silence' ? ', which does not answer' : ''
  return `Port ${port} is in use by svc already (pid ${ours.pid})${hangs}. Stop it: npm stop -- --port ${port}, or ${other}`
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

/** Writes the record for `status` and `stop`, and removes it when the process ends. */
function keepRecord (app: FastifyInstance, record: ServiceRecord): void {
  if (writeRecord(record)) process.once('exit', () => removeRecord(record))
  else {
    app.log.warn('There is no folder that only this user can write to, for a record of this service: '
      + 'status and stop will not know it. Set XDG_RUNTIME_DIR.')
  }
}
