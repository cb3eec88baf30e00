// What can go wrong with a language model. Each message names the address, what happened and what to do;
// an agent lets them pass, and the caller reads them behind "Agent processing failed:".

export class BackendMissing extends Error {
  override name = 'BackendMissing'
}

export class BackendUnreachable extends Error {
  override name = 'BackendUnreachable'
}

export class BackendRefused extends Error {
  override name = 'BackendRefused'
}

export class BackendCutOff extends Error {
  override name = 'BackendCutOff'
}

export class BackendGarbled extends Error {
  override name = 'BackendGarbled'
}

/** It accepts a connection and does not answer: busy, or nothing that speaks HTTP. */
export class BackendSlow extends Error {
  override name = 'BackendSlow'
}

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
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code.startsWith('HPE_')) return 'it does not speak HTTP'
  return CAUSES[code] ?? (code || (error instanceof Error ? error.message : String(error)))
}
