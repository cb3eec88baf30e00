import type { FastifyInstance } from 'fastify'
import type { StartArgs } from './flags.js'
import { urlOf } from './probe.js'
import { backendLines } from './status.js'

// How long the greeting waits for the backend to say who it is.
const GREETING = 1500

/** What a person can do now. */
export async function greet (app: FastifyInstance, args: StartArgs): Promise<void> {
  const backend = await Promise.race([app.backend.info(), new Promise<undefined>(resolve => setTimeout(() => resolve(undefined), GREETING).unref())])
  const models = app.agents.list().map(({ id }) => id)
  const url = urlOf({ scheme: args['tls-cert'] === undefined ? 'http' : 'https', host: args.host, port: portOf(app) }).replace('127.0.0.1', 'localhost')
  const key = args['api-key'] === undefined ? '' : ' -H "authorization: Bearer $KEY"'
  const body = JSON.stringify({ model: models[0] ?? 'svc-code', messages: [{ role: 'user', content: 'Write a function called add_numbers: add_numbers(1, 2) == 3' }] })
  const attempt = `curl ${url}/v1/chat/completions${key} -H "content-type: application/json" -d '${body}'`
  if (!process.stdout.isTTY) {
    if (!backend?.problem) return app.log.info({ url, models, backend, try: attempt }, 'ready')
    const { problem, remedy, ...known } = backend
    return app.log.info({ url, models, backend: known, try: attempt }, `ready, but ${problem}; ${remedy}`)
  }
  console.log([`  models   ${models.join(', ') || 'none'}`, ...backendLines(backend), `  try      ${attempt}`, '  stop     Ctrl-C'].join('\n'))
}

export function portOf (app: FastifyInstance): number {
  const address = app.server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
