import { BackendRefused, CONTEXT_NEEDED, ContextOverflow, ContextTooSmall } from './errors.js'
import { parseJson, record, text } from './json.js'
import { type Overflow, readOverflow } from './overflow.js'

/** What error messages need to know about a server: its name and address, its context, and how to enlarge it. */
export interface ServerInfo { where: string, context: number | null, remedy: string }

/** The error for an HTTP status and body, or for an error in the middle of a reply, which has no status. */
export function refusal (serverInfo: ServerInfo, body: string, status?: number): Error {
  const overflow = readOverflow(body)
  if (overflow) return tooLong(serverInfo, overflow)
  const said = status === undefined ? 'failed in the middle of its reply' : `answered ${status}`
  const words = messageIn(body)
  const remedy = WAYS_OUT[status ?? 0] ?? settingIn(words) ?? 'see its log for the reason'
  return new BackendRefused(`${serverInfo.where} ${said}: ${words}`, remedy)
}

// Ollama: `"m" does not support thinking`, `invalid reasoning value: 'xhigh'`, `invalid think value: "none"` (with 500).
// Others name the field.
const EFFORT = /reasoning|\bthink/i

/** Whether the server refused the reasoning effort: then the request can be sent again without it. */
export function refusesEffort ({ reasoning_effort: effort }: Record<string, unknown>, body: string, status = 0): boolean {
  return effort !== undefined && [400, 422, 500, 501].includes(status) && EFFORT.test(messageIn(body))
}

/** The remedy for a refusal that is about a setting of the caller's. */
function settingIn (words: string): string | undefined {
  if (/\btools?\b|tool[_-]/i.test(words)) {
    return 'use a model that can call tools and a server that is started for them (llama-server needs --jinja), or ask without tools'
  }
  if (/response_format|json_schema|grammar/i.test(words)) return 'ask for a simpler response_format, or without one'
  return undefined
}

/** The error for a conversation that is too long: the server's settings are to blame if its context is smaller than agents need. */
export function tooLong ({ where, context: known, remedy }: ServerInfo, { tokens, context = known }: Partial<Overflow>): Error {
  const size = context ?? known
  if (size !== null && size < CONTEXT_NEEDED) return new ContextTooSmall(size, { where, remedy })
  return new ContextOverflow(tokens ?? null, size)
}

const WAYS_OUT: Record<number, string> = {
  401: 'give its key with --backend-key',
  403: 'give its key with --backend-key',
  404: 'check --backend-url, and the model\'s name in --backend-model',
  429: 'it is busy: try again later',
  503: 'it may still be loading its model: try again later'
}

/** The message in an error body, in whatever shape. */
function messageIn (body: string): string {
  let said: unknown
  try {
    said = parseJson(body)
  } catch {
    said = { message: body.replace(/<[^<>]*>/g, ' ').replace(/\s+/g, ' ').trim() } // a proxy's page, say
  }
  const { error, message, detail } = record(said)
  const words = text(error) ?? text(record(error).message) ?? text(message) ?? text(detail)
  return words?.slice(0, 500) ?? 'it gave no reason'
}
