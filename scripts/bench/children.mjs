import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const PATIENCE = 60_000
const children = new Set()

/** Registers a child process, which is then ended together with the benchmark in any case. */
export function keep (child) {
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

export async function stop (child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

export async function stopAll () {
  await Promise.all([...children].map(stop))
}

export async function freePort () {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

/** A server of `servers/` in a process of its own. */
export class Server {
  #child

  static async start (name, { args = [], flags = [] } = {}) {
    const server = new Server()
    const file = fileURLToPath(new URL(`servers/${name}.mjs`, import.meta.url))
    server.#child = keep(fork(file, args, { execArgv: flags, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }))
    server.port = (await server.#answer(name)).port
    return server
  }

  /** { heap, rss } in bytes, after a garbage collection if the server was started with --expose-gc. */
  memory () { return this.#ask('memory') }

  /** The size in bytes of the objects that the program holds. It takes a while. */
  async objects () { return (await this.#ask('objects')).bytes }

  /** The processor time of the process in microseconds. */
  async cpu () { return (await this.#ask('cpu')).micros }

  get pid () { return this.#child.pid }

  /** Sends an order { do, ... } to a server that works on demand. */
  async work (order) {
    const { result, error } = await this.#ask(order)
    if (error !== undefined) throw new Error(error)
    return result
  }

  /** Starts to measure the delays of its event loop. */
  watchLoop () { return this.#ask('watch') }

  /** { p99, max } in milliseconds since the watch began. */
  loopDelay () { return this.#ask('delay') }

  stop () { return stop(this.#child) }

  #ask (what) {
    this.#child.send(what)
    return this.#answer(typeof what === 'string' ? what : what.do)
  }

  async #answer (what) {
    const patience = new AbortController()
    const { signal } = patience
    try {
      return await Promise.race([
        once(this.#child, 'message', { signal }).then(([message]) => message),
        once(this.#child, 'exit', { signal }).then(() => { throw new Error(`the server ended (${what})`) }),
        sleep(PATIENCE, undefined, { signal }).then(() => { throw new Error(`the server did not answer (${what})`) })
      ])
    } finally {
      patience.abort()
    }
  }
}

/** Starts the named servers, does the work with them, and ends them. */
export async function withServers (files, options, work) {
  const servers = {}
  try {
    for (const [name, file] of Object.entries(files)) servers[name] = await Server.start(file, options)
    return await work(servers)
  } finally {
    await Promise.all(Object.values(servers).map(server => server.stop()))
  }
}
