import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { OriginRefused, UnknownHost } from '../schemas/errors.js'
import { isOpen, type CorsOptions } from './cors.js'

export interface PagesOptions extends CorsOptions {
  /** The host name or address to listen on, as given with --host. */
  host?: string
}

// CORS only prevents a page from reading a reply. With --cors-origin, requests of other pages are refused as well: a POST names
// the origin of its page, and on a loopback address an unknown host name means DNS rebinding (a page whose name was made to
// resolve to this machine).
export default fp(async function pages (fastify, { corsOrigin = [], host }: PagesOptions) {
  if (isOpen(corsOrigin)) return
  const names = new Set([host, ...corsOrigin.filter(origin => /^https?:/.test(origin))].map(nameIn).filter(name => name !== undefined))
  let isLocal = false
  fastify.server.on('listening', () => {
    const address = fastify.server.address()
    isLocal = typeof address === 'object' && address !== null && isLoopback(address.address)
  })

  fastify.addHook('onRequest', (request, _reply, done) => {
    const called = calledBy(request)
    const unknown = isLocal ? called.find(host => !isKnown(nameIn(host), names)) : undefined
    if (unknown !== undefined) return done(new UnknownHost(unknown, request.protocol))
    const { origin } = request.headers
    const changes = !['GET', 'HEAD'].includes(request.method)
    const isForeign = origin !== undefined && !corsOrigin.includes(origin) && !isOwn(origin, called)
    done(changes && isForeign ? new OriginRefused(origin) : undefined)
  })
}, { name: 'pages', dependencies: ['cors'] })

/** The hosts that a request names. A request of HTTP/1.0 may name none, but no browser sends one. */
function calledBy ({ headers: { host = '' }, raw: { url = '' } }: FastifyRequest): string[] {
  const [, inUrl = ''] = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url) ?? [] // an absolute URL, as clients send it to proxies
  return [host, inUrl].filter(named => named !== '')
}

/** The host name in `name:port` or in an origin; undefined if the text is neither. */
function nameIn (host = ''): string | undefined {
  const url = host.includes('://') ? host : `http://${isIP(host) === 6 ? `[${host}]` : host}`
  if (!URL.canParse(url)) return undefined
  const { hostname, host: plain, href, protocol } = new URL(url)
  if (hostname === '' || href.replace(/\/$/, '') !== `${protocol}//${plain}`) return undefined // it also has a path or a user name
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '').toLowerCase()
}

function isKnown (name: string | undefined, names: ReadonlySet<string>): boolean {
  if (name === undefined) return false
  return isIP(name) > 0 || name === 'localhost' || name.endsWith('.localhost') || names.has(name)
}

/** Whether an origin is this service itself, whose pages (such as /docs) may call it. */
function isOwn (origin: string, called: string[]): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, host } = new URL(origin)
  const hosts = called.map(named => `${protocol}//${named}`).map(url => URL.canParse(url) ? new URL(url).host : '')
  return /^https?:$/.test(protocol) && hosts.length > 0 && hosts.every(named => named === host)
}

/** A page that this very machine serves. */
export function isLoopbackOrigin (origin: string): boolean {
  const name = /^https?:/.test(origin) ? nameIn(origin) : undefined
  return name !== undefined && (name === 'localhost' || name.endsWith('.localhost') || (isIP(name) > 0 && isLoopback(name)))
}

function isLoopback (address: string): boolean {
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.')
}
