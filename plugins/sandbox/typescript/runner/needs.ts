import process from 'node:process'
import { writeAll } from './channel.js'
import { NotCapable, replace, decode, host, readInSync, writeOut } from './platform.js'
import { replaceModule } from './stand-ins.js'

export interface Needs {
  hasStdin: boolean
  /** Words in the program's text. Only these are replaced, since Deno loads much of its API at the first use. */
  names: string[]
  modules: string[]
  report: (need: 'network' | 'processes' | 'input') => void
}

type Method = (this: unknown, ...args: unknown[]) => unknown

const LINE = 10
const SERVERS = new Set(['http', 'https', 'http2', 'net', 'tls'])
const OF_GLOBAL = ['fetch', 'WebSocket', 'EventSource']
const OF_DENO = ['connect', 'connectTls', 'listen', 'listenTls', 'listenDatagram', 'serve', 'resolveDns']

/** Reports at once when a program asks for something that is not here, since many programs catch the error and go on. */
export function watchNeeds ({ hasStdin, names, modules, report }: Needs): void {
  const network = () => { report('network') }
  const processes = () => { report('processes') }
  const input = () => { if (!hasStdin) report('input') }
  for (const name of names) {
    if (OF_GLOBAL.includes(name)) watch(globalThis, name, network)
    if (OF_DENO.includes(name)) watch(host, name, network)
    if (name === 'Command') watch(host, name, processes)
  }
  if (modules.some(name => SERVERS.has(name))) {
    const { Socket, Server } = process.getBuiltinModule('node:net') as unknown as Record<'Socket' | 'Server', { prototype: object }>
    watch(Socket.prototype, 'connect', network)
    refuse(Server.prototype, 'listen', network)
  }
  if (modules.includes('child_process')) replaceModule('child_process', withoutProcesses(processes))
  replace(globalThis, 'prompt', promptWith(input))
  for (const owner of [process, host]) watchRead(owner, 'stdin', input)
}

function watch (owner: object, name: string, report: () => void): void {
  const value: unknown = Reflect.get(owner, name)
  if (typeof value !== 'function') return
  const watched = new Proxy(value as Method, {
    apply (target, self, args) { report(); return Reflect.apply<unknown, unknown[], unknown>(target, self, args) },
    construct (target, args, made) { report(); return Reflect.construct(target, args, made) as object }
  })
  replace(owner, name, watched)
}

/** `node:child_process`, all of whose functions refuse. */
function withoutProcesses (report: () => void): object {
  const real = process.getBuiltinModule('node:child_process') as unknown as Record<string, unknown>
  const refused = () => { report(); throw new NotCapable('Requires run access to start another program') }
  const isCall = (name: string, value: unknown) => typeof value === 'function' && /^[a-z]/.test(name)
  return Object.fromEntries(Object.entries(real).map(([name, value]) => [name, isCall(name, value) ? refused : value]))
}

// Deno reports the refusal late, and to nobody, so that the program would wait for ever.
function refuse (owner: object, name: string, report: () => void): void {
  replace(owner, name, () => { report(); throw new NotCapable('Requires net access to listen') })
}

function watchRead (owner: object, name: string, report: () => void): void {
  const found = Object.getOwnPropertyDescriptor(owner, name)
  if (!found?.configurable) return
  const get = () => { report(); return found.get ? found.get.call(owner) as unknown : found.value as unknown }
  Object.defineProperty(owner, name, { get, configurable: true })
}

/** `prompt`, which writes to standard output and reads a line. Deno's works only in a terminal. */
function promptWith (report: () => void) {
  return (message = 'Prompt', initial?: string): string | null => {
    writeAll(writeOut, `${message} `)
    report()
    const bytes: number[] = []
    const one = new Uint8Array(1)
    while (readInSync(one) !== null && one[0] !== LINE) bytes.push(one[0] ?? LINE)
    const isEnd = bytes.length === 0 && one[0] !== LINE
    return isEnd ? initial ?? null : decode(Uint8Array.from(bytes)).replace(/\r$/, '') || (initial ?? '')
  }
}
