import type { FastifyInstance } from 'fastify'
import type { StartArgs } from './flags.js'
import { urlOf } from './probe.js'
import { backendLines } from './status.js'

// How many milliseconds the greeting waits for the state of the backend.
const BACKEND_TIMEOUT = 1500

const PROMPT = 'Write a function called add_numbers: add_numbers(1, 2) == 3'

/** Prints what the service serves, and what the person can do next. */
export async function greet (app: FastifyInstance, args: StartArgs): Promise<void> {
  const late = new Promise<undefined>(resolve => setTimeout(() => resolve(undefined), BACKEND_TIMEOUT).unref())
  const backend = await Promise.race([app.backend.info(), late])
  const models = app.agents.list().map(({ id }) => id)
  const scheme = args['tls-cert'] === undefined ? 'http' : 'https'
  const url = urlOf({ scheme, host: args.host, port: portOf(app) }).replace('127.0.0.1', 'localhost')
  const key = args['api-key'] === undefined ? '' : ' -H "authorization: Bearer $KEY"'
  const body = JSON.stringify({ model: models[0] ?? 'svc-code', messages: [{ role: 'user', content: PROMPT }] })
  const attempt = `curl ${url}/v1/chat/completions${key} -H "content-type: application/json" -d '${body}'`
  if (!process.stdout.isTTY) {
    if (!backend?.problem) return app.log.info({ url, models, backend, try: attempt }, 'ready')
    const { problem, remedy, ...known } = backend
    return app.log.info({ url, models, backend: known, try: attempt }, `ready, but ${problem}; ${remedy}`)
  }
  const lines = [`  models   ${models.join(', ') || 'none'}`, ...backendLines(backend), `  try      ${attempt}`, '  stop     Ctrl-C']
  console.log(lines.join('\n'))
}

export function portOf (app: FastifyInstance): number {
  const address = app.server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
