import type { FastifyServerOptions } from 'fastify'

/** The log: formatted for people on a terminal, JSON otherwise. */
export async function logger (debug: boolean, stream: NodeJS.WriteStream = process.stdout): Promise<FastifyServerOptions['logger']> {
  const level = debug ? 'debug' : 'info'
  if (!stream.isTTY) return { level, ...(stream !== process.stdout && { stream }) }
  const { default: pretty } = await import('pino-pretty')
  const destination = stream !== process.stdout && { destination: stream }
  return { level, stream: pretty({ sync: true, translateTime: 'HH:MM:ss', ignore: 'pid,hostname', ...destination }) }
}
