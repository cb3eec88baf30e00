import { INSTANCE_HEADER, instance } from '../identity.js'
import {
  type BackendError, BackendGarbled, BackendRefused, BackendSlow, BackendUnreachable, CONTEXT_NEEDED, ContextTooSmall, causeOf
} from './errors.js'
import { type Address, exchange, wholeTextOf } from './http.js'
import { type Json, JsonTooLarge, isRecord, parseJson, records } from './json.js'
import { recognise } from './servers.js'
import type { Server, ModelState } from './servers/kind.js'
import { llamaCpp } from './servers/llama-cpp.js'
import { unknown } from './servers/unknown.js'

const TIMEOUT = 5000
const MAX_ANSWER = 4 * 1024 * 1024

/** What is known about a server. `unloaded`: it loads its model at the first request; `loading`: it is loading it now. */
export type Detection = { server: Server, modelState: ModelState } & (
  | { state: 'ready' | 'unloaded' | 'loading' }
  | { state: 'failed', error: BackendError }
)

export interface DetectOptions {
  model?: string | undefined
  key?: string | undefined
  /** How many milliseconds each answer may take. */
  timeout?: number
  signal?: AbortSignal | undefined
}

const NOTHING: ModelState = { model: null, loaded: false, context: null, slots: null, limit: null }

/**
 * Finds out what kind of server is at an address. A server that serves nothing but chat completions counts as of unknown kind.
 * Throws BackendSlow and BackendGarbled.
 */
export async function detect (address: Address, { model, key, timeout = TIMEOUT, signal }: DetectOptions): Promise<Detection> {
  const get = async (path: string) => await ask(address, path, { key, timeout, signal })
  let answer: Answer
  try {
    answer = await get('/v1/models')
  } catch (error) {
    if (isFinal(error) || signal?.aborted) throw error
    return failed(unreachable(`the backend at ${address.shown}`, error), model)
  }
  if (answer.headers[INSTANCE_HEADER] === instance) return failed(loop(address), model)
  if (answer.status === 401 || answer.status === 403) return failed(keyRefused(address, key), model)
  if (isLoading(answer)) return { server: llamaCpp, modelState: { ...NOTHING, model: model ?? null }, state: 'loading' }
  const { server, modelState } = await recognise({
    listed: records(answer.json?.data),
    wanted: model,
    get: async path => await get(path).then(({ json }) => json, (error: unknown) => {
      if (isFinal(error)) throw error
      return undefined // some servers close the connection if they do not know a path
    })
  })
  const seen = { server, modelState: { ...modelState, model: modelState.model ?? model ?? null } }
  const error = faultOf(nameOf(server, address), server, seen.modelState)
  return error ? { ...seen, state: 'failed', error } : { ...seen, state: modelState.loaded ? 'ready' : 'unloaded' }
}

// Any other error means that the server does not know the path, or that there is no server.
function isFinal (error: unknown): boolean {
  return error instanceof BackendSlow || error instanceof BackendGarbled
}

function loop ({ shown }: Address): BackendRefused {
  return new BackendRefused(`${shown} leads back to this very service`, 'give --backend-url the address of a language model\'s server')
}

function keyRefused ({ shown }: Address, key: string | undefined): BackendRefused {
  if (key !== undefined) return new BackendRefused(`the backend at ${shown} does not take the key`, 'give the right one with --backend-key')
  const remedy = `start this service with --backend-url ${shown} and its key in --backend-key`
  return new BackendRefused(`the backend at ${shown} wants a key`, remedy)
}

export function nameOf (server: Server, { shown }: Address): string {
  return `${server.name} at ${shown}`
}

export function unreachable (where: string, cause: unknown): BackendUnreachable {
  const remedy = 'start it there, or start this service with --backend-url set to the address where it is'
  return new BackendUnreachable(`${where} cannot be reached: ${causeOf(cause)}`, remedy, { cause })
}

/** The command that gives the model the context that agents need, or the advice to load another model. */
export function remedyOf (server: Server, modelState: ModelState): string {
  return modelState.limit !== null && modelState.limit < CONTEXT_NEEDED
    ? `load another model: this one was made for ${modelState.limit} tokens`
    : server.enlarge(CONTEXT_NEEDED, modelState)
}

/** Whether this is llama.cpp's answer while it loads its model. */
export function isLoading ({ status, json }: Answer): boolean {
  return status === 503 && /loading/i.test(JSON.stringify(json?.error ?? ''))
}

/** Why agents cannot use the server, if so. */
function faultOf (where: string, server: Server, modelState: ModelState): BackendError | null {
  if (modelState.context !== null && modelState.context < CONTEXT_NEEDED) {
    return new ContextTooSmall(modelState.context, { where, remedy: remedyOf(server, modelState) })
  }
  if (modelState.model === null && server.kind !== 'unknown') return new BackendRefused(`${where} has no model`, server.supply)
  return null
}

function failed (error: BackendError, model: string | undefined): Detection {
  return { server: unknown, modelState: { ...NOTHING, model: model ?? null }, state: 'failed', error }
}

export interface Answer { status: number, headers: NodeJS.Dict<string | string[]>, json: Json | undefined }

/** The answer to a GET of a path. Throws if there is no answer. */
export async function ask (
  address: Address, path: string, { key, timeout = TIMEOUT, signal }: Omit<DetectOptions, 'model'>
): Promise<Answer> {
  const late = new AbortController()
  const end = () => late.abort(signal?.reason)
  signal?.addEventListener('abort', end, { once: true })
  const timer = setTimeout(() => late.abort(), timeout)
  let isConnected = false
  try {
    const response = await exchange({ url: address.path(path), key, signal: late.signal, onConnect: () => { isConnected = true } })
    const json = parse(await wholeTextOf(response, MAX_ANSWER), address, path)
    return { status: response.statusCode ?? 0, headers: response.headers, json }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (!late.signal.aborted) throw error
    // On Windows it takes seconds until the system reports that nothing listens on a port.
    if (!isConnected) throw Object.assign(new Error('no connection in time', { cause: error }), { code: 'ETIMEDOUT' })
    const remedy = 'see whether it is the right address, and whether the server there is still starting'
    throw new BackendSlow(`the backend at ${address.shown} did not answer within ${timeout / 1000} s`, remedy, { cause: error })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
  }
}

function parse (body: string | undefined, address: Address, path: string): Json | undefined {
  try {
    if (body === undefined) throw new JsonTooLarge(`is longer than ${MAX_ANSWER / 1024 / 1024} MiB`)
    const value = parseJson(body)
    return isRecord(value) ? value : undefined
  } catch (error) {
    if (!(error instanceof JsonTooLarge)) return undefined // not JSON: another kind of server
    const url = `${address.shown.replace(/\/v1$/, '')}${path}`
    const remedy = 'see whether it is the address of a chat-completions server'
    throw new BackendGarbled(`the answer of ${url} ${error.message}`, remedy, { cause: error })
  }
}
