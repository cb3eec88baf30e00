import { InputTooLong } from '../../agents/types.js'

// Everything that can go wrong with a language model. Each error says what happened and what to do about it. Agents do not catch
// these errors, so that the caller reads them after "Agent processing failed:"; `info()` shows the same texts.

/** The context that agents need: their prompts are made for it (in tokens). */
export const CONTEXT_NEEDED = 32768

export abstract class BackendError extends Error {
  constructor (readonly problem: string, readonly remedy: string, options?: ErrorOptions) {
    super(`${problem}; ${remedy}`, options)
  }
}

/** There is no backend: no server was found, and no model is configured. */
export class BackendMissing extends BackendError {
  override name = 'BackendMissing'
}

export class BackendUnreachable extends BackendError {
  override name = 'BackendUnreachable'
  /** The server has not received the request, so it can be sent again without doing anything twice. */
  readonly unheard: boolean

  constructor (problem: string, remedy: string, { cause }: { cause?: unknown } = {}) {
    super(problem, remedy, { cause })
    this.unheard = UNHEARD.has(codeOf(cause))
  }
}

/** The backend refused the request: for want of a key, because it does not know the model, or for another reason. */
export class BackendRefused extends BackendError {
  override name = 'BackendRefused'
}

/** The reply ended before it was complete. */
export class BackendCutOff extends BackendError {
  override name = 'BackendCutOff'
}

/** The backend sent something that is no chat completion. */
export class BackendGarbled extends BackendError {
  override name = 'BackendGarbled'
}

/** The reply does not end. A retry would give the same. */
export class BackendEndless extends BackendError {
  override name = 'BackendEndless'
}

/** The server keeps the connection open and sends nothing: it is overloaded, or does not speak HTTP. */
export class BackendSlow extends BackendError {
  override name = 'BackendSlow'
}

export class BackendClosed extends BackendError {
  override name = 'BackendClosed'
  constructor () { super('the service is stopping', 'ask again once it has been started anew') }
}

/** The context of the backend is smaller than agents need, whatever the conversation. */
export class ContextTooSmall extends BackendError {
  override name = 'ContextTooSmall'

  constructor (readonly context: number, { where, remedy }: { where: string, remedy: string }) {
    super(`${where} runs with a context of ${context} tokens, and agents need ${CONTEXT_NEEDED}`, remedy)
  }
}

/** The server read only a part of the conversation and answered as if it were the whole. */
export class PromptTruncated extends BackendError {
  override name = 'PromptTruncated'

  constructor (where: string, { read, sent }: { read: number, sent: number }, remedy: string) {
    const cause = `its context is too small, and agents need ${CONTEXT_NEEDED}`
    super(`${where} read ${read} of at least ${sent} tokens and dropped the rest in silence: ${cause}`, remedy)
  }
}

/** This conversation is too long for a context that is large enough for agents. */
export class ContextOverflow extends InputTooLong {
  override name = 'ContextOverflow'

  constructor (readonly tokens: number | null, readonly context: number | null, options?: ErrorOptions) {
    const length = tokens === null ? '' : ` has ${tokens} tokens and`
    const size = context === null ? '' : ` of ${context} tokens`
    super(`The conversation${length} does not fit into the model's context${size}. Shorten it, or begin a new one.`, options)
  }
}

const UNHEARD = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

const CAUSES: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name cannot be looked up',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  ETIMEDOUT: 'it did not answer in time',
  ECONNRESET: 'it closed the connection',
  EPROTO: 'it does not speak TLS there; should the address begin with http:// ?',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed; set NODE_EXTRA_CA_CERTS to trust it'
}

export function causeOf (error: unknown): string {
  const code = codeOf(error)
  if (code.startsWith('HPE_')) return 'it does not speak HTTP'
  return CAUSES[code] ?? (code || (error instanceof Error ? error.message : String(error)))
}

function codeOf (error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
