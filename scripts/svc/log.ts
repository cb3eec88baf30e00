import type { FastifyServerOptions } from 'fastify'

/** The log: formatted for people on a terminal, JSON otherwise. */
export async function logger (debug: boolean): Promise<FastifyServerOptions['logger']> {
  const level = debug ? 'debug' : 'info'
  if (!process.stdout.isTTY) return { level }
  const { default: pretty } = await import('pino-pretty')
  return { level, stream: pretty({ sync: true, translateTime: 'HH:MM:ss', ignore: 'pid,hostname' }) }
}
