import http from 'node:http'
import https from 'node:https'

export interface Address { scheme: 'http' | 'https', host: string, port: number }

export interface Answer { status: number, headers: http.IncomingHttpHeaders, body: unknown }

const TIMEOUT = 2000
const NOBODY = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'EHOSTUNREACH', 'ENETUNREACH'])

/** The address at which a service that listens on `host` can be reached. */
export function reachable (host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}

export function urlOf ({ scheme, host, port }: Address): string {
  const name = reachable(host)
  return `${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** The JSON answer of a path; 'nobody' if nothing listens there, 'silence' if there is no valid answer in time. */
export function ask (address: Address, path: string, timeout = TIMEOUT): Promise<Answer | 'nobody' | 'silence'> {
  // The certificate may be self-signed: the answer is not trusted, only compared with the record.
  const options = { agent: false, signal: AbortSignal.timeout(timeout), rejectUnauthorized: false } as const
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

/** The instance id of the svc that answers; otherwise 'other' (another program), 'silence' or 'nobody'. */
export async function whoAnswers (address: Address): Promise<{ instance: string } | 'nobody' | 'silence' | 'other'> {
  const answer = await ask(address, '/health')
  if (typeof answer === 'string') return answer
  const instance = answer.headers['x-svc-instance']
  return typeof instance === 'string' ? { instance } : 'other'
}
