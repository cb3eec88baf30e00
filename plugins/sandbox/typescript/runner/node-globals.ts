import { dirname } from 'node:path'
import process from 'node:process'
import { NotCapable, replace, host } from './platform.js'
import { fileIn, requireIn } from './require.js'
import { ExitCalled } from './thrown.js'

/** Adds the globals that programs for Node expect, and removes those that would store something beyond the job. */
export function prepare (folder: string): void {
  for (const name of ['localStorage', 'sessionStorage', 'caches']) Reflect.deleteProperty(globalThis, name)
  // So that programs cannot print paths of this machine.
  for (const [name, value] of Object.entries({ execPath: 'node', argv: ['node', `${folder}/main.js`] })) replace(process, name, value)
  for (const [name, value] of Object.entries({ execPath: () => 'deno', mainModule: `file://${folder}/main.js` })) replace(host, name, value)
  // CommonJS programs ask whether they are the main module, and set their exports.
  const commonJs = { require: requireIn(folder), module: { exports: {} }, exports: {}, global: globalThis }
  for (const [name, value] of Object.entries(commonJs)) {
    if (!(name in globalThis)) replace(globalThis, name, value)
  }
  // Each file gets its own path. Assignments are ignored.
  Object.defineProperty(globalThis, '__filename', { get: () => fileIn(folder), set: () => {}, enumerable: false })
  Object.defineProperty(globalThis, '__dirname', { get: () => dirname(fileIn(folder)), set: () => {}, enumerable: false })
}

/** For tests and calls, not for programs: nothing ends the process, and all output goes to one stream. */
export function keepGoing (servers: string[]): void {
  for (const owner of [host, process]) {
    for (const name of ['exit', 'reallyExit', 'abort', 'kill']) if (name in owner) replace(owner, name, exit(name))
  }
  replace(globalThis, 'close', exit('close'))
  for (const name of ['error', 'warn', 'trace'] as const) console[name] = console.log.bind(console) // keeps the order of the output
  // Deno reports the refusal late, and to nobody, so that a test would wait for ever.
  for (const name of servers) {
    const { Server } = process.getBuiltinModule(`node:${name}`) as { Server?: { prototype: object } }
    if (Server) replace(Server.prototype, 'listen', () => { throw new NotCapable('Requires net access to listen') })
  }
}

// An exit would hide the tests after it. As an error it fails one test.
function exit (name: string) {
  return (code?: unknown): never => {
    throw new ExitCalled(name === 'exit' || name === 'reallyExit' ? `exit with code ${String(code ?? 0)}` : `end by ${name}()`)
  }
}
