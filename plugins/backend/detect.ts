import { INSTANCE_HEADER, instance } from '../identity.js'
import { type BackendError, BackendGarbled, BackendRefused, BackendSlow, BackendUnreachable, CONTEXT_NEEDED, ContextTooSmall, causeOf } from './errors.js'
import { type Address, exchange, wholeTextOf } from './http.js'
import { type Json, JsonTooLarge, isRecord, parseJson, records } from './json.js'
import { recognise } from './servers.js'
import type { Server, Sight } from './servers/kind.js'
import { llamaCpp } from './servers/llama-cpp.js'
import { unknown } from './servers/unknown.js'

const PATIENCE = 5000
const MAX_ANSWER = 4 * 1024 * 1024

/** What was seen of a server. `unloaded`: it loads its model when it is asked; `loading`: it is at it. */
export type Seen = { server: Server, sight: Sight } & (
  | { state: 'ready' | 'unloaded' | 'loading' }
  | { state: 'failed', error: BackendError }
)

export interface DetectOptions {
  model?: string | undefined
  key?: string | undefined
  /** Milliseconds for each answer. */
  patience?: number
  signal?: AbortSignal | undefined
}

const NOTHING: Sight = { model: null, loaded: false, context: null, slots: null, limit: null }

/** Asks a server what it is. One that knows nothing but chat completions is taken as it is. Throws BackendSlow and BackendGarbled. */
export async function detect (address: Address, { model, key, patience = PATIENCE, signal }: DetectOptions): Promise<Seen> {
  const get = async (path: string) => await ask(address, path, { key, patience, signal })
  let answer: Answer
  try {
    answer = await get('/v1/models')
  } catch (error) {
    if (tellsOfItself(error) || signal?.aborted) throw error
    return failed(unreachable(`the backend at ${address.shown}`, error), model)
  }
  if (answer.headers[INSTANCE_HEADER] === instance) {
    return failed(new BackendRefused(`${address.shown} leads back to this very service`, 'give --backend-url the address of a language model\'s server'), model)
  }
  if (answer.status === 401 || answer.status === 403) {
    return failed(new BackendRefused(`the backend at ${address.shown} ${key === undefined ? 'wants a key' : 'does not take the key'}`, key === undefined ? `start this service with --backend-url ${address.shown} and its key in --backend-key` : 'give the right one with --backend-key'), model)
  }
  if (isLoading(answer)) return { server: llamaCpp, sight: { ...NOTHING, model: model ?? null }, state: 'loading' }
  const { server, sight } = await recognise({
    listed: records(answer.json?.data),
    wanted: model,
    get: async path => await get(path).then(({ json }) => json, (error: unknown) => {
      if (tellsOfItself(error)) throw error
      return undefined // it cuts off what it does not know
    })
  })
  const seen = { server, sight: { ...sight, model: sight.model ?? model ?? null } }
  const error = verdict(nameOf(server, address), server, seen.sight)
  return error ? { ...seen, state: 'failed', error } : { ...seen, state: sight.loaded ? 'ready' : 'unloaded' }
}

// Others mean that a path is unknown there, or that nobody listens.
function tellsOfItself (error: unknown): boolean {
  return error instanceof BackendSlow || error instanceof BackendGarbled
}

export function nameOf (server: Server, { shown }: Address): string {
  return `${server.name} at ${shown}`
}

export function unreachable (where: string, cause: unknown): BackendUnreachable {
  return new BackendUnreachable(`${where} cannot be reached: ${causeOf(cause)}`, 'start it there, or start this service with --backend-url set to the address where it is', { cause })
}

/** The command that gives the model what agents need, or the reason why none does. */
export function remedyOf (server: Server, sight: Sight): string {
  return sight.limit !== null && sight.limit < CONTEXT_NEEDED
    ? `load another model: this one was made for ${sight.limit} tokens`
    : server.enlarge(CONTEXT_NEEDED, sight)
}

/** llama.cpp answers so until its model is there. */
export function isLoading ({ status, json }: Answer): boolean {
  return status === 503 && /loading/i.test(JSON.stringify(json?.error ?? ''))
}

function verdict (where: string, server: Server, sight: Sight): BackendError | null {
  if (sight.context !== null && sight.context < CONTEXT_NEEDED) return new ContextTooSmall(sight.context, { where, remedy: remedyOf(server, sight) })
  if (sight.model === null && server.kind !== 'unknown') return new BackendRefused(`${where} has no model`, server.supply)
  return null
}

function failed (error: BackendError, model: string | undefined): Seen {
  return { server: unknown, sight: { ...NOTHING, model: model ?? null }, state: 'failed', error }
}

export interface Answer { status: number, headers: NodeJS.Dict<string | string[]>, json: Json | undefined }

/** What a path answers. Throws where nobody does. */
export async function ask (address: Address, path: string, { key, patience = PATIENCE, signal }: Omit<DetectOptions, 'model'>): Promise<Answer> {
  const late = new AbortController()
  const end = () => late.abort(signal?.reason)
  signal?.addEventListener('abort', end, { once: true })
  const timer = setTimeout(() => late.abort(), patience)
  let isThere = false
  try {
    const response = await exchange({ url: address.path(path), key, signal: late.signal, onConnect: () => { isThere = true } })
    return { status: response.statusCode ?? 0, headers: response.headers, json: parse(await wholeTextOf(response, MAX_ANSWER), address, path) }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (!late.signal.aborted) throw error
    // Windows takes seconds to say that nothing listens on a port.
    if (!isThere) throw Object.assign(new Error('no connection in time', { cause: error }), { code: 'ETIMEDOUT' })
    throw new BackendSlow(`the backend at ${address.shown} did not answer within ${patience / 1000} s`, 'see whether it is the right address, and whether the server there is still starting', { cause: error })
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
    throw new BackendGarbled(`the answer of ${address.shown.replace(/\/v1$/, '')}${path} ${error.message}`, 'see whether it is the address of a chat-completions server', { cause: error })
  }
}
