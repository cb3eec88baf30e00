import { existsSync, readFileSync, realpathSync } from 'node:fs'
import type { SecureContextOptions } from 'node:tls'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sensible from '@fastify/sensible'
import Fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify'
import agents from './plugins/agents.js'
import auth, { type AuthOptions } from './plugins/auth.js'
import backend, { type BackendOptions } from './plugins/backend/index.js'
import cors from './plugins/cors.js'
import errors, { clientErrorHandler, frameworkErrors, unknownRoutes } from './plugins/errors.js'
import identity from './plugins/identity.js'
import jsonBody from './plugins/json-body.js'
import mcpTools from './plugins/mcp.js'
import openapi from './plugins/openapi.js'
import pages, { type PagesOptions } from './plugins/pages.js'
import requestId, { genReqId } from './plugins/request-id.js'
import runs, { type RunsOptions } from './plugins/runs.js'
import sandbox, { type CodeOptions } from './plugins/sandbox/index.js'
import sse from './plugins/sse.js'
import docs from './routes/docs.js'
import health from './routes/health.js'
import ready from './routes/health/ready.js'
import mcp from './routes/mcp.js'
import completions from './routes/v1/chat/completions.js'
import models from './routes/v1/models.js'
import type { ReplyOptions } from './routes/v1/reply/beats.js'
import responses from './routes/v1/responses.js'

export type * from './agents/types.js'
export { InputTooLong } from './agents/types.js'

export interface AppOptions extends AuthOptions, BackendOptions, CodeOptions, PagesOptions, RunsOptions, ReplyOptions {
  logger?: FastifyServerOptions['logger']
  /** Further folders with agents, beside the service's own. */
  agentsDirs?: string[]
  aliases?: Record<string, string>
  /** Options of the agents' plugins: `workspace`, `max_model_calls` ... of svc-code. */
  agentOptions?: Record<string, unknown>
  /** Milliseconds that the agents of a folder are given to be ready. */
  agentTimeout?: number
  /** Bytes of a request's body. */
  bodyLimit?: number
  tls?: Pick<SecureContextOptions, 'cert' | 'key'>
}

export const ROOT = rootOf(dirname(fileURLToPath(import.meta.url)))
export const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }

/** The service, ready to listen: no arguments, no signals, no port. */
export async function buildApp ({ logger = false, agentsDirs = [], aliases, agentOptions = {}, agentTimeout, bodyLimit = 8 * 1024 * 1024, tls, ...options }: AppOptions = {}): Promise<FastifyInstance> {
  // A request without Host is answered like any other: Node's own 400 has no body.
  const server = tls ? { https: { ...tls, requireHostHeader: false } } : { http: { requireHostHeader: false } }
  const app: FastifyInstance = Fastify({
    ...server as FastifyServerOptions,
    logger,
    genReqId,
    childLoggerFactory: log => log, // a child for each request would cost them all, and hardly one logs a line: those lines name the request
    bodyLimit,
    frameworkErrors: frameworkErrors(options),
    clientErrorHandler,
    requestTimeout: 300_000, // to receive a request, not to answer it
    logController: new LogController({ disableRequestLogging: true }),
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, discriminator: true, allowUnionTypes: true, verbose: true, validateSchema: false } },
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 500 },
    pluginTimeout: 0, // of all agents together, and it would not tell which of them is late: each folder has a deadline
    // Requests are answered during the shutdown, by 503 where they want a run; idle connections do not hold it up.
    return503OnClosing: false,
    forceCloseConnections: true
  })

  await app.register(errors)
  await app.register(requestId)
  await app.register(identity)
  await app.register(cors, options)
  await app.register(pages, options)
  await app.register(auth, options)
  await app.register(unknownRoutes)
  await app.register(sensible)
  await app.register(jsonBody)
  await app.register(openapi, { version: VERSION })
  await app.register(sse)
  await app.register(backend, options)
  await app.register(sandbox, options)
  await app.register(runs, options)
  await app.register(agents, { agentsDirs: [join(ROOT, 'agents'), ...agentsDirs], compiled: compiled(), ...(aliases && { aliases }), options: agentOptions, ...(agentTimeout !== undefined && { agentTimeout }) })
  await app.register(mcpTools, { version: VERSION })

  await app.register(health)
  await app.register(ready)
  await app.register(models)
  await app.register(completions, options)
  await app.register(responses, options)
  await app.register(mcp, options)
  await app.register(docs)
  return app
}

/** svc-code is a part of the build; every other folder is loaded as it lies there. */
function compiled (): Record<string, string> {
  const folder = join(ROOT, 'agents', 'svc-code')
  const built = join(ROOT, 'dist', 'agents', 'svc-code', 'index.js')
  const isBuild = !import.meta.url.endsWith('.ts')
  return isBuild && existsSync(join(folder, 'index.ts')) && existsSync(built) ? { [realpathSync(folder)]: built } : {}
}

// The sources lie in the root, the build below it.
function rootOf (folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootOf(dirname(folder))
}
