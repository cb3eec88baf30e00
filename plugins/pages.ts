import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { OriginRefused, UnknownHost } from '../schemas/errors.js'
import { isOpen, type CorsOptions } from './cors.js'

export interface PagesOptions extends CorsOptions {
  /** The name that was given for the address to listen on. */
  host?: string
}

// CORS only keeps a page from reading an answer. With --cors-origin, no page but those listed gets anything done: a POST tells
// where it comes from, and on a loopback address a foreign name tells of a page whose name was made to lead here (DNS rebinding).
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
    if (changes && origin !== undefined && !corsOrigin.includes(origin) && !isOwn(origin, called)) return done(new OriginRefused(origin))
    done()
  })
}, { name: 'pages', dependencies: ['cors'] })

/** The hosts that a request names; none in one of HTTP/1.0, which no browser sends. */
function calledBy ({ headers: { host = '' }, raw: { url = '' } }: FastifyRequest): string[] {
  const [, inUrl = ''] = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url) ?? [] // the form that proxies use
  return [host, inUrl].filter(named => named !== '')
}

/** The name in `name:port`, or in an origin; undefined where it is none. */
function nameIn (host = ''): string | undefined {
  const url = host.includes('://') ? host : `http://${isIP(host) === 6 ? `[${host}]` : host}`
  if (!URL.canParse(url)) return undefined
  const { hostname, host: plain, href, protocol } = new URL(url)
  if (hostname === '' || href.replace(/\/$/, '') !== `${protocol}//${plain}`) return undefined // a path, a user
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '').toLowerCase()
}

function isKnown (name: string | undefined, names: ReadonlySet<string>): boolean {
  if (name === undefined) return false
  return isIP(name) > 0 || name === 'localhost' || name.endsWith('.localhost') || names.has(name)
}

/** A page of this service itself, such as /docs. */
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
