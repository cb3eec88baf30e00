import http from 'node:http'
import https from 'node:https'

export interface Address { scheme: 'http' | 'https', host: string, port: number }

export interface Answer { status: number, headers: http.IncomingHttpHeaders, body: unknown }

const PATIENCE = 2000
const NOBODY = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Where to knock for a service that listens on an address. */
export function reachable (host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}

export function urlOf ({ scheme, host, port }: Address): string {
  const name = reachable(host)
  return `${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** The JSON answer of a path. 'nobody' where nothing listens, 'silence' for anything that does not speak as it should. */
export function ask (address: Address, path: string, patience = PATIENCE): Promise<Answer | 'nobody' | 'silence'> {
  // Its certificate may be self-signed: what it says is compared with the record, not trusted.
  const options = { agent: false, signal: AbortSignal.timeout(patience), rejectUnauthorized: false } as const
  return new Promise(resolve => {
    const request = (address.scheme === 'https' ? https : http).get(`${urlOf(address)}${path}`, options, response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => { if (text.length < 1_000_000) text += part })
      response.on('error', () => resolve('silence'))
      response.on('end', () => {
        try {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text) as unknown })
        } catch {
          resolve('silence')
        }
      })
    })
    request.on('error', (error: NodeJS.ErrnoException) => resolve(NOBODY.has(error.code ?? '') ? 'nobody' : 'silence'))
  })
}

/** The instance of svc that answers, as it says; else whether something else does, keeps silent, or nobody is there. */
export async function whoAnswers (address: Address): Promise<{ instance: string } | 'nobody' | 'silence' | 'other'> {
  const answer = await ask(address, '/health')
  if (typeof answer === 'string') return answer
  const instance = answer.headers['x-svc-instance']
  return typeof instance === 'string' ? { instance } : 'other'
}
