import { BackendRefused, CONTEXT_NEEDED, ContextOverflow, ContextTooSmall } from './errors.js'
import { parseJson, record, text } from './json.js'
import { type Overflow, readOverflow } from './overflow.js'

/** Whom the words are from. */
export interface Speaker { where: string, context: number | null, remedy: string }

/** The error behind a status and a body, or behind an error in the middle of a reply, where there is no status. */
export function refusal (speaker: Speaker, body: string, status?: number): Error {
  const overflow = readOverflow(body)
  if (overflow) return tooLong(speaker, overflow)
  const said = status === undefined ? 'failed in the middle of its reply' : `answered ${status}`
  const words = wordsOf(body)
  return new BackendRefused(`${speaker.where} ${said}: ${words}`, WAYS_OUT[status ?? 0] ?? settingIn(words) ?? 'see its log for the reason')
}

// Ollama: `"m" does not support thinking`, `invalid reasoning value: 'xhigh'`, `invalid think value: "none"` (with 500).
// Others name the field.
const EFFORT = /reasoning|\bthink/i

/** Whether it was the effort that was refused: then the same can be asked without it. */
export function refusesEffort ({ reasoning_effort: effort }: Record<string, unknown>, body: string, status = 0): boolean {
  return effort !== undefined && [400, 422, 500, 501].includes(status) && EFFORT.test(wordsOf(body))
}

/** What can be done where the words of a refusal are about something that the caller set. */
function settingIn (words: string): string | undefined {
  if (/\btools?\b|tool[_-]/i.test(words)) {
    return 'use a model that can call tools and a server that is started for them (llama-server needs --jinja), or ask without tools'
  }
  if (/response_format|json_schema|grammar/i.test(words)) return 'ask for a simpler response_format, or without one'
  return undefined
}

/** Its setting is to blame where the context is smaller than agents need, else the conversation. */
export function tooLong ({ where, context: known, remedy }: Speaker, { tokens, context = known }: Partial<Overflow>): Error {
  const size = context ?? known
  return size !== null && size < CONTEXT_NEEDED ? new ContextTooSmall(size, { where, remedy }) : new ContextOverflow(tokens ?? null, size)
}

const WAYS_OUT: Record<number, string> = {
  401: 'give its key with --backend-key',
  403: 'give its key with --backend-key',
  404: 'check --backend-url, and the model\'s name in --backend-model',
  429: 'it is busy: try again later',
  503: 'it may still be loading its model: try again later'
}

/** The words in an error body, whichever shape it has. */
function wordsOf (body: string): string {
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
