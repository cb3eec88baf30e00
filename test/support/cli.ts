import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync } from 'node:fs'
import http from 'node:http'
import { type AddressInfo, type Socket, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { commandOf } from '../../scripts/svc/command.js'
import { blaming } from '../../scripts/svc/flags.js'
import { tempFolder } from './folders.js'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The agents that tests drop in. */
export const AGENTS = join(ROOT, 'test', 'fixtures', 'agents')

export interface Ended { code: number | null, signal: NodeJS.Signals | null, out: string, err: string }

export interface CommandOptions {
  env?: Record<string, string>
  cwd?: string
  /** The checkout whose command runs. */
  root?: string
  /** The program; the command line of the service if not given. */
  script?: string
}

// A time limit that is long enough even on a busy machine (milliseconds).
const TIMEOUT = 60_000

/** A command that was spawned. */
export class Command {
  out = ''
  err = ''
  result: Ended | undefined
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess

  constructor (args: string[], { env, cwd }: { env: NodeJS.ProcessEnv, cwd: string }) {
    this.#child = spawn(...plainNode(args), { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child.stdout?.setEncoding('utf8').on('data', (part: string) => { this.out += part })
    this.#child.stderr?.setEncoding('utf8').on('data', (part: string) => { this.err += part })
    this.ended = once(this.#child, 'close').then(([code, signal]) => {
      this.result = { code: code as number | null, signal: signal as NodeJS.Signals | null, out: this.out, err: this.err }
      return this.result
    })
  }

  get pid (): number { return this.#child.pid ?? 0 }

  kill (signal: NodeJS.Signals): void {
    if (!this.result) this.#child.kill(signal)
  }

  /** The lines of its log. */
  get log (): any[] { // eslint-disable-line @typescript-eslint/no-explicit-any -- tests look into it freely
    return this.out.split('\n').filter(line => line.startsWith('{') && line.endsWith('}')).map(line => JSON.parse(line))
  }

  logged (text: string | RegExp): any { // eslint-disable-line @typescript-eslint/no-explicit-any -- tests look into it freely
    return this.log.find(({ msg }) => typeof text === 'string' ? msg === text : text.test(msg))
  }

  /** Waits until the condition is true. Throws if the command ends before. */
  async until (condition: () => unknown): Promise<void> {
    const end = Date.now() + TIMEOUT
    while (!condition()) {
      if (this.result && !condition()) throw new Error(`the command ended (${this.result.code ?? this.result.signal}) before ${condition.toString()}\n${this.out}\n${this.err}`)
      if (Date.now() > end) throw new Error(`timed out: ${condition.toString()}\n${this.out}\n${this.err}`)
      await new Promise(resolve => setTimeout(resolve, 10))
    }
  }
}

/** A service that the command line started. */
export interface Started {
  command: Command
  pid: number
  port: number
  /** The URL that its log names. */
  url: string
  post: (body: object, headers?: Record<string, string>) => Promise<Response>
}

export interface CommandLine {
  /** The run-time folder, which only this test uses. */
  runtime: string
  records: () => any[] // eslint-disable-line @typescript-eslint/no-explicit-any -- tests look into it freely
  spawn: (args: string[], options?: CommandOptions) => Command
  /** Runs a command to its end. */
  run: (args: string[], options?: CommandOptions) => Promise<Ended>
  /** The same in this process, without a start of Node. It shows the output and exit code of a command, but not how its process ends. */
  here: (args: string[], options?: Pick<CommandOptions, 'env'>) => Promise<Ended>
  /** Starts a service, on a free port unless `args` name one, and waits until it is ready. */
  start: (args?: string[], options?: CommandOptions) => Promise<Started>
}

/** The command line, as users run it. At the end of a test, the commands that it started are killed. */
export function commandLine (t: Test): CommandLine {
  const runtime = tempFolder(t)
  const commands: Command[] = []
  const killAll = () => { for (const command of commands) command.kill('SIGKILL') }
  process.on('exit', killAll) // there is no teardown after a timeout
  t.teardown(async () => {
    killAll()
    process.off('exit', killAll)
    await Promise.all(commands.map(({ ended }) => ended))
  })

  const self: CommandLine = {
    runtime,
    records () {
      const dir = join(runtime, 'svc')
      return readdirSync(dir).map(file => JSON.parse(readFileSync(join(dir, file), 'utf8')))
    },
    spawn (args, { env = {}, cwd, root = ROOT, script = join('scripts', 'run.mjs') } = {}) {
      const command = new Command([join(root, script), ...args], { env: environment({ XDG_RUNTIME_DIR: runtime, SVC_MODELS_DIR: join(runtime, 'models'), ...env }), cwd: cwd ?? root })
      commands.push(command)
      return command
    },
    async here (args, { env = {} } = {}) {
      return await inThisProcess(args, { ...OWN_ENVIRONMENT, XDG_RUNTIME_DIR: runtime, SVC_MODELS_DIR: join(runtime, 'models'), ...env })
    },
    async run (args, options) {
      const command = self.spawn(args, options)
      await command.until(() => command.result !== undefined || command.logged(/^ready/))
      if (command.result) return command.result
      throw new Error(`the command started a service instead of ending\n${command.out}`)
    },
    async start (args = [], options = {}) {
      const isPortGiven = args.some(arg => arg.startsWith('--port')) || options.env?.SVC_PORT !== undefined
      const command = self.spawn(['start', ...(isPortGiven ? [] : ['--port', '0']), ...args], options)
      await command.until(() => command.logged(/^ready/))
      const { url } = command.logged(/^ready/) as { url: string }
      return {
        command,
        url,
        pid: command.pid,
        port: Number(new URL(url).port),
        post: (body, headers = {}) => fetch(`${url}/v1/chat/completions`, {
          method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body)
        })
      }
    }
  }
  return self
}

export const SCRIPTED = ['--agents-dir', AGENTS]

// Without tap's hooks, which every child process inherits: they cost a second, and a command runs the build, whose coverage is not counted.
function plainNode (args: string[]): [string, string[]] {
  return process.platform === 'win32' ? [process.execPath, args] : ['/usr/bin/env', ['-u', 'NODE_OPTIONS', process.execPath, ...args]]
}

// The environment without the settings of the user and of npm.
function environment (more: Record<string, string>): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(SVC_|npm_|INIT_CWD$|NODE_OPTIONS$)/i.test(name))
  return { ...Object.fromEntries(kept), ...OWN_ENVIRONMENT, ...more }
}

// By default, commands do not search for servers on this machine.
const OWN_ENVIRONMENT = { SVC_BACKEND_SEARCH: 'none' }

async function inThisProcess (args: string[], env: Record<string, string>): Promise<Ended> {
  const before = { ...process.env }
  const { argv } = process
  const real = { log: console.log, error: console.error, write: process.stderr.write.bind(process.stderr) }
  let [out, err] = ['', '']
  Object.assign(process.env, env)
  process.argv = [...argv.slice(0, 2), ...args]
  console.log = (...words: unknown[]) => { out += `${words.join(' ')}\n` }
  console.error = (...words: unknown[]) => { err += `${words.map(word => word instanceof Error ? word.stack : String(word)).join(' ')}\n` }
  process.stderr.write = (text: string | Uint8Array) => { err += String(text); return true }
  try {
    const code = await (await commandOf(args))() ?? 0
    return { code, signal: null, out, err }
  } catch (error) {
    return { code: 1, signal: null, out, err: `${err}${error instanceof Error ? blaming(error.message) : String(error)}\n` }
  } finally {
    process.argv = argv
    Object.assign(console, { log: real.log, error: real.error })
    process.stderr.write = real.write
    for (const name of Object.keys(env)) {
      if (before[name] === undefined) Reflect.deleteProperty(process.env, name)
      else process.env[name] = before[name]
    }
  }
}

export async function freePort (): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** A server that is not svc. Without `answer`, it accepts connections and stays silent. */
export async function foreigner (t: Test, answer?: http.RequestListener): Promise<number> {
  const server = answer ? http.createServer(answer) : createServer(socket => socket.on('error', () => socket.destroy()))
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return (server.address() as AddressInfo).port
}

export function isAlive (pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false // ESRCH
  }
}
