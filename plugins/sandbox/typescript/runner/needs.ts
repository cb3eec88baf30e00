import process from 'node:process'
import { writeAll } from './channel.js'
import { NotCapable, cover, decode, host, readInSync, writeOut } from './platform.js'
import { replaceModule } from './stand-ins.js'

export interface Needs {
  hasStdin: boolean
  /** Words in the program's text. Only these are replaced, since Deno loads much of its API at the first use. */
  names: string[]
  modules: string[]
  tell: (need: 'network' | 'processes' | 'input') => void
}

type Method = (this: unknown, ...args: unknown[]) => unknown

const LINE = 10
const SERVERS = new Set(['http', 'https', 'http2', 'net', 'tls'])
const OF_GLOBAL = ['fetch', 'WebSocket', 'EventSource']
const OF_DENO = ['connect', 'connectTls', 'listen', 'listenTls', 'listenDatagram', 'serve', 'resolveDns']

/** Reports at once when a program asks for something that is not here, since many programs catch the error and go on. */
export function noteNeeds ({ hasStdin, names, modules, tell }: Needs): void {
  const network = () => { tell('network') }
  const processes = () => { tell('processes') }
  const input = () => { if (!hasStdin) tell('input') }
  for (const name of names) {
    if (OF_GLOBAL.includes(name)) note(globalThis, name, network)
    if (OF_DENO.includes(name)) note(host, name, network)
    if (name === 'Command') note(host, name, processes)
  }
  if (modules.some(name => SERVERS.has(name))) {
    const { Socket, Server } = process.getBuiltinModule('node:net') as unknown as Record<'Socket' | 'Server', { prototype: object }>
    note(Socket.prototype, 'connect', network)
    refuse(Server.prototype, 'listen', network)
  }
  if (modules.includes('child_process')) replaceModule('child_process', withoutProcesses(processes))
  cover(globalThis, 'prompt', promptWith(input))
  for (const place of [process, host]) noteRead(place, 'stdin', input)
}

function note (place: object, name: string, tell: () => void): void {
  const value: unknown = Reflect.get(place, name)
  if (typeof value !== 'function') return
  const noted = new Proxy(value as Method, {
    apply (target, self, args) { tell(); return Reflect.apply<unknown, unknown[], unknown>(target, self, args) },
    construct (target, args, made) { tell(); return Reflect.construct(target, args, made) as object }
  })
  cover(place, name, noted)
}

/** `node:child_process`, all of whose functions refuse. */
function withoutProcesses (tell: () => void): object {
  const real = process.getBuiltinModule('node:child_process') as unknown as Record<string, unknown>
  const refused = () => { tell(); throw new NotCapable('Requires run access to start another program') }
  const isCall = (name: string, value: unknown) => typeof value === 'function' && /^[a-z]/.test(name)
  return Object.fromEntries(Object.entries(real).map(([name, value]) => [name, isCall(name, value) ? refused : value]))
}

// Deno reports the refusal late, and to nobody, so that the program would wait for ever.
function refuse (place: object, name: string, tell: () => void): void {
  cover(place, name, () => { tell(); throw new NotCapable('Requires net access to listen') })
}

function noteRead (place: object, name: string, tell: () => void): void {
  const found = Object.getOwnPropertyDescriptor(place, name)
  if (!found?.configurable) return
  const get = () => { tell(); return found.get ? found.get.call(place) as unknown : found.value as unknown }
  Object.defineProperty(place, name, { get, configurable: true })
}

/** `prompt`, which writes to standard output and reads a line. Deno's works only in a terminal. */
function promptWith (tell: () => void) {
  return (message = 'Prompt', initial?: string): string | null => {
    writeAll(writeOut, `${message} `)
    tell()
    const bytes: number[] = []
    const one = new Uint8Array(1)
    while (readInSync(one) !== null && one[0] !== LINE) bytes.push(one[0] ?? LINE)
    const isEnd = bytes.length === 0 && one[0] !== LINE
    return isEnd ? initial ?? null : decode(Uint8Array.from(bytes)).replace(/\r$/, '') || (initial ?? '')
  }
}
