import type { BackendInfo } from '../../agents/types.js'
import { BackendSlow, causeOf } from './errors.js'
import { type Address, exchange, textOf } from './http.js'

/** What agents need, and what their prompts are made for. */
export const CONTEXT_NEEDED = 32768

const PATIENCE = 5000
const MAX_ANSWER = 4 * 1024 * 1024

type Json = Record<string, unknown>

/** Asks a server what it is. One that knows nothing but chat completions is taken as it is. Throws BackendSlow. */
export async function detect (address: Address, { model, key }: { model?: string | undefined, key?: string | undefined }): Promise<BackendInfo> {
  const get = (path: string) => ask(address.path(path), key)
  const unknown: BackendInfo = { kind: 'unknown', url: address.shown, model: model ?? null, context: null, slots: null, problem: null, remedy: null }
  let listed: Json | undefined
  try {
    listed = await get('/v1/models')
  } catch (error) {
    if (error instanceof BackendSlow) throw error
    return {
      ...unknown,
      problem: `the backend at ${address.shown} cannot be reached: ${causeOf(error)}`,
      remedy: 'start the language model\'s server there, or start this service with --backend-url set to the address where it is'
    }
  }
  const models = Array.isArray(listed?.data) ? listed.data.filter(isJson) : []
  const chosen = models.find(entry => entry.id === model) ?? models[0]
  const props = await get('/props').catch(() => undefined)
  const settings = isJson(props?.default_generation_settings) ? props.default_generation_settings : undefined
  const context = whole(settings?.n_ctx) ?? whole(chosen?.max_model_len) ?? whole(chosen?.context_length)
  return withVerdict({
    ...unknown,
    kind: settings ? 'llama.cpp' : chosen?.owned_by === 'vllm' || chosen?.max_model_len !== undefined ? 'vllm' : 'unknown',
    model: model ?? text(chosen?.id),
    context,
    slots: whole(props?.total_slots)
  })
}

function withVerdict (info: BackendInfo): BackendInfo {
  if (info.context === null || info.context >= CONTEXT_NEEDED) return info
  return {
    ...info,
    problem: `the backend at ${info.url} runs with a context of ${info.context} tokens, and agents need ${CONTEXT_NEEDED}`,
    remedy: REMEDIES[info.kind]?.(info) ?? `restart it with a context of ${CONTEXT_NEEDED} tokens`
  }
}

const REMEDIES: Record<string, (info: BackendInfo) => string> = {
  // Its slots share the context unless -kvu lets each have it all.
  'llama.cpp': ({ slots }) => `restart it as llama-server -c ${CONTEXT_NEEDED}${slots !== null && slots > 1 ? ` -np ${slots} -kvu` : ''} and your other options`,
  vllm: ({ model }) => `restart it as vllm serve ${model ?? 'MODEL'} --max-model-len ${CONTEXT_NEEDED}`
}

/** The JSON of a path; undefined where there is none. Throws where nobody answers. */
async function ask (url: URL, key: string | undefined): Promise<Json | undefined> {
  const signal = AbortSignal.timeout(PATIENCE)
  let body: string
  try {
    const response = await exchange({ url, key, signal })
    body = await textOf(response, MAX_ANSWER)
    if (response.statusCode !== 200) return undefined
  } catch (error) {
    throw signal.aborted ? new BackendSlow(`it did not answer within ${PATIENCE / 1000} s`, { cause: error }) : error
  }
  try {
    const value: unknown = JSON.parse(body)
    return isJson(value) ? value : undefined
  } catch {
    return undefined // not JSON: another kind of server
  }
}

function isJson (value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function whole (value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null
}

function text (value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
