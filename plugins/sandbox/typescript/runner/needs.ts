import process from 'node:process'
import { writeAll } from './channel.js'
import { NotCapable, cover, decode, host, readInSync, writeOut } from './platform.js'
import { replaceModule } from './stand-ins.js'

export interface Needs {
  hasStdin: boolean
  /** What the program's text speaks of: Deno makes much of this when it is first looked at, which takes a while. */
  names: string[]
  modules: string[]
  tell: (need: 'network' | 'processes' | 'input') => void
}

type Method = (this: unknown, ...args: unknown[]) => unknown

const LINE = 10
const SERVERS = new Set(['http', 'https', 'http2', 'net', 'tls'])
const OF_GLOBAL = ['fetch', 'WebSocket', 'EventSource']
const OF_DENO = ['connect', 'connectTls', 'listen', 'listenTls', 'listenDatagram', 'serve', 'resolveDns']

/** Tells of what a program asks for that is not here when it asks: many catch the error and go on. */
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

/** `node:child_process`, of which each function says that there are no others. */
function withoutProcesses (tell: () => void): object {
  const real = process.getBuiltinModule('node:child_process') as unknown as Record<string, unknown>
  const refused = () => { tell(); throw new NotCapable('Requires run access to start another program') }
  const isCall = (name: string, value: unknown) => typeof value === 'function' && /^[a-z]/.test(name)
  return Object.fromEntries(Object.entries(real).map(([name, value]) => [name, isCall(name, value) ? refused : value]))
}

// Deno would tell nobody for a while, and what waits to listen would wait.
function refuse (place: object, name: string, tell: () => void): void {
  cover(place, name, () => { tell(); throw new NotCapable('Requires net access to listen') })
}

function noteRead (place: object, name: string, tell: () => void): void {
  const found = Object.getOwnPropertyDescriptor(place, name)
  if (!found?.configurable) return
  const get = () => { tell(); return found.get ? found.get.call(place) as unknown : found.value as unknown }
  Object.defineProperty(place, name, { get, configurable: true })
}

/** Asks on standard output and reads a line, where Deno's would ask only a person. */
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
