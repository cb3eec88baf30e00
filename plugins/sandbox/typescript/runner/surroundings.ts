import { dirname } from 'node:path'
import process from 'node:process'
import { NotCapable, cover, host } from './platform.js'
import { fileIn, requireIn } from './require.js'
import { ExitCalled } from './thrown.js'

/** Makes of Deno's globals what programs for Node expect, without those that would keep anything beyond the job. */
export function prepare (folder: string): void {
  for (const name of ['localStorage', 'sessionStorage', 'caches']) Reflect.deleteProperty(globalThis, name)
  // Where this machine has its programs is nothing to print.
  for (const [name, value] of Object.entries({ execPath: 'node', argv: ['node', `${folder}/main.js`] })) cover(process, name, value)
  for (const [name, value] of Object.entries({ execPath: () => 'deno', mainModule: `file://${folder}/main.js` })) cover(host, name, value)
  // Programs written as CommonJS ask whether they are the main module, and list what they export.
  for (const [name, value] of Object.entries({ require: requireIn(folder), module: { exports: {} }, exports: {}, global: globalThis })) {
    if (!(name in globalThis)) cover(globalThis, name, value)
  }
  // They say something else to each file. Where a program defines them itself, it says the same as before.
  Object.defineProperty(globalThis, '__filename', { get: () => fileIn(folder), set: () => {}, enumerable: false })
  Object.defineProperty(globalThis, '__dirname', { get: () => dirname(fileIn(folder)), set: () => {}, enumerable: false })
}

/** What goes for tests and calls, and not for a program: it does not end the process, and prints to one stream. */
export function keepGoing (servers: string[]): void {
  for (const place of [host, process]) for (const name of ['exit', 'reallyExit', 'abort', 'kill']) if (name in place) cover(place, name, exit(name))
  cover(globalThis, 'close', exit('close'))
  for (const name of ['error', 'warn', 'trace'] as const) console[name] = console.log.bind(console) // so that it stays in its order
  // Deno tells only later, and nobody, that there is no network: what waits to listen would wait.
  for (const name of servers) {
    const { Server } = process.getBuiltinModule(`node:${name}`) as { Server?: { prototype: object } }
    if (Server) cover(Server.prototype, 'listen', () => { throw new NotCapable('Requires net access to listen') })
  }
}

// A way to end early would leave the tests behind it unheard. To see it as a failure helps more than a dead process.
function exit (name: string) {
  return (code?: unknown): never => {
    throw new ExitCalled(name === 'exit' || name === 'reallyExit' ? `exit with code ${String(code ?? 0)}` : `end by ${name}()`)
  }
}
