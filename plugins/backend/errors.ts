import { InputTooLong } from '../../agents/types.js'

// What can go wrong with a language model. Each error says what happened and what mends it; an agent lets
// them pass, and the caller reads them behind "Agent processing failed:". `info()` tells the same words.

/** What agents need, and what their prompts are made for. */
export const CONTEXT_NEEDED = 32768

export abstract class BackendError extends Error {
  constructor (readonly problem: string, readonly remedy: string, options?: ErrorOptions) {
    super(`${problem}; ${remedy}`, options)
  }
}

/** There is none: no server was found, and no model is configured. */
export class BackendMissing extends BackendError {
  override name = 'BackendMissing'
}

export class BackendUnreachable extends BackendError {
  override name = 'BackendUnreachable'
  /** Nothing was heard of the request there, so that it can be repeated without doing anything twice. */
  readonly unheard: boolean

  constructor (problem: string, remedy: string, { cause }: { cause?: unknown } = {}) {
    super(problem, remedy, { cause })
    this.unheard = UNHEARD.has(codeOf(cause))
  }
}

/** It wants a key, does not know the model, is out of memory, or gives another reason. */
export class BackendRefused extends BackendError {
  override name = 'BackendRefused'
}

export class BackendCutOff extends BackendError {
  override name = 'BackendCutOff'
}

/** What it sent is no chat completion. */
export class BackendGarbled extends BackendError {
  override name = 'BackendGarbled'
}

/** Its reply has no end. To ask again would be the same. */
export class BackendEndless extends BackendError {
  override name = 'BackendEndless'
}

/** It keeps a connection and says nothing: busy beyond measure, or nothing that speaks HTTP. */
export class BackendSlow extends BackendError {
  override name = 'BackendSlow'
}

export class BackendClosed extends BackendError {
  override name = 'BackendClosed'
  constructor () { super('the service is stopping', 'ask again once it has been started anew') }
}

/** The context is smaller than agents need, whatever is asked. */
export class ContextTooSmall extends BackendError {
  override name = 'ContextTooSmall'

  constructor (readonly context: number, { where, remedy }: { where: string, remedy: string }) {
    super(`${where} runs with a context of ${context} tokens, and agents need ${CONTEXT_NEEDED}`, remedy)
  }
}

/** It read a part of the conversation and answered as if it were the whole. */
export class PromptTruncated extends BackendError {
  override name = 'PromptTruncated'

  constructor (where: string, { read, sent }: { read: number, sent: number }, remedy: string) {
    super(`${where} read ${read} of at least ${sent} tokens and dropped the rest in silence: its context is too small, and agents need ${CONTEXT_NEEDED}`, remedy)
  }
}

/** This conversation is too long for a context that is large enough for agents. */
export class ContextOverflow extends InputTooLong {
  override name = 'ContextOverflow'

  constructor (readonly tokens: number | null, readonly context: number | null, options?: ErrorOptions) {
    super(`The conversation${tokens === null ? '' : ` has ${tokens} tokens and`} does not fit into the model's context${context === null ? '' : ` of ${context} tokens`}. Shorten it, or begin a new one.`, options)
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
