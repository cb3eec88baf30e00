import process from 'node:process'
import { NotCapable, defineProperty } from './platform.js'

interface Servers { Server?: { prototype: object } }

/** Whoever listens is told at once that there is no network: Deno says so only later, to nobody, and they would wait. */
export function closeServers (modules: string[]): void {
  for (const name of modules) {
    const { Server } = process.getBuiltinModule(`node:${name}`) as Servers
    if (Server) defineProperty(Server.prototype, 'listen', { value: refuse, writable: true, configurable: true })
  }
}

function refuse (): never {
  throw new NotCapable('Requires net access to listen')
}
