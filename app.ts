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
import type { ReplyOptions } from './routes/v1/reply/keep-alives.js'
import responses from './routes/v1/responses.js'

export type * from './agents/types.js'
export { InputTooLong } from './agents/types.js'

export interface AppOptions extends AuthOptions, BackendOptions, CodeOptions, PagesOptions, RunsOptions, ReplyOptions {
  logger?: FastifyServerOptions['logger']
  /** Further folders with agents, in addition to the service's own. */
  agentsDirs?: string[]
  aliases?: Record<string, string>
  /** Options passed to every agent's plugin, such as `workspace` and `max_model_calls` for svc-code. */
  agentOptions?: Record<string, unknown>
  /** How many milliseconds an agent folder has to become ready. */
  agentTimeout?: number
  /** The largest request body, in bytes. */
  bodyLimit?: number
  tls?: Pick<SecureContextOptions, 'cert' | 'key'>
}

export const ROOT = rootOf(dirname(fileURLToPath(import.meta.url)))
export const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }

/** Builds the service without starting it: it reads no arguments, handles no signals and opens no port. */
export async function buildApp ({
  logger = false, agentsDirs = [], aliases, agentOptions = {}, agentTimeout, bodyLimit = 8 * 1024 * 1024, tls, ...options
}: AppOptions = {}): Promise<FastifyInstance> {
  // A request without a Host header is answered like any other, because Node's own 400 has no body.
  const server = tls ? { https: { ...tls, requireHostHeader: false } } : { http: { requireHostHeader: false } }
  const app: FastifyInstance = Fastify({
    ...server as FastifyServerOptions,
    logger,
    genReqId,
    childLoggerFactory: log => log, // a child logger per request costs time, and few requests log anything: those lines name the request
    bodyLimit,
    frameworkErrors: frameworkErrors(options),
    clientErrorHandler,
    requestTimeout: 300_000, // the time to receive a request, not to answer it
    logController: new LogController({ disableRequestLogging: true }),
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        discriminator: true,
        allowUnionTypes: true,
        verbose: true,
        validateSchema: false
      }
    },
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 500 },
    pluginTimeout: 0, // this timeout covers all agents together and cannot name the late one, so each folder has a deadline of its own
    // During the shutdown, requests still get an answer (503 if they need a run), and idle connections do not delay it.
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
  await app.register(agents, {
    agentsDirs: [join(ROOT, 'agents'), ...agentsDirs],
    compiled: compiled(),
    options: agentOptions,
    ...(aliases && { aliases }),
    ...(agentTimeout !== undefined && { agentTimeout })
  })
  await app.register(mcpTools, { ...options, version: VERSION })

  await app.register(health)
  await app.register(ready)
  await app.register(models)
  await app.register(completions, options)
  await app.register(responses, options)
  await app.register(mcp, options)
  await app.register(docs)
  return app
}

/** svc-code is compiled with the service; every other agent folder is loaded from its sources. */
function compiled (): Record<string, string> {
  const folder = join(ROOT, 'agents', 'svc-code')
  const built = join(ROOT, 'dist', 'agents', 'svc-code', 'index.js')
  const isBuild = !import.meta.url.endsWith('.ts')
  return isBuild && existsSync(join(folder, 'index.ts')) && existsSync(built) ? { [realpathSync(folder)]: built } : {}
}

// This file is in the root as a source, and in `dist/` after the build.
function rootOf (folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootOf(dirname(folder))
}
