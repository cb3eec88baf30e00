import { BackendRefused, CONTEXT_NEEDED, ContextOverflow, ContextTooSmall } from './errors.js'
import { record, text } from './json.js'
import { type Overflow, readOverflow } from './overflow.js'

/** Whom the words are from. */
export interface Speaker { where: string, context: number | null, remedy: string }

/** The error behind a status and a body, or behind an error in the middle of a reply, where there is no status. */
export function refusal (speaker: Speaker, body: string, status?: number): Error {
  const overflow = readOverflow(body)
  if (overflow) return tooLong(speaker, overflow)
  const said = status === undefined ? 'failed in the middle of its reply' : `answered ${status}`
  return new BackendRefused(`${speaker.where} ${said}: ${wordsOf(body)}`, WAYS_OUT[status ?? 0] ?? 'see its log for the reason')
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
    said = JSON.parse(body)
  } catch {
    said = { message: body.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ').trim() } // a proxy's page, say
  }
  const { error, message, detail } = record(said)
  const words = text(error) ?? text(record(error).message) ?? text(message) ?? text(detail)
  return words?.slice(0, 500) ?? 'it gave no reason'
}
