// Sends load from another process, on another core. wrk can send several times as much as the fastest server here can answer.
// Without wrk, two processes with client.mjs send the load, and the server's share of its core shows whether it was the limit.
import { fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { keep } from './children.mjs'

const at = name => fileURLToPath(new URL(name, import.meta.url))
const isThere = (command, argument) => spawnSync(command, [argument], { stdio: 'ignore' }).error === undefined

const CORES = availableParallelism()
const PROCESSES = 2
// With at least this share of its core, the server was the limit. The rest is spent on context switches.
const BUSY = 0.9

export const hasWrk = isThere('wrk', '--version')
const pins = CORES > 1 && isThere('taskset', '--version')

/** A description of the load generator, for the notes below the table. */
export const generator = `${hasWrk ? 'wrk' : `${PROCESSES} processes of the bench (install wrk, which is faster)`}, ${pins ? 'the server on a core of its own' : 'on the same cores as the server'}`

/** Binds a server with all its threads to the first core. */
export function pin (pid) {
  if (pins) spawnSync('taskset', ['-acp', '0', String(pid)])
}

/** Sends one request after the other on each connection for a while; returns { rate, answered }. */
export async function load (port, payload, { connections, ms }) {
  const { answered, elapsed } = hasWrk ? await wrk(port, payload, { connections, ms }) : await processes(port, payload, { connections, ms })
  return { rate: answered / elapsed * 1000, answered }
}

async function wrk (port, payload, { connections, ms }) {
  const threads = Math.min(Math.max(CORES - 1, 1), 4)
  const output = await run('wrk', ['-t', threads, '-c', connections, '-d', `${Math.round(ms / 1000)}s`, '-s', at('post.lua'), `http://127.0.0.1:${port}`, '--', payload.toString()])
  const { answered, micros, refused, failed } = JSON.parse(output.trim().split('\n').at(-1))
  if (refused + failed > 0) throw new Error(`of ${answered} requests ${refused} were refused and ${failed} failed`)
  if (answered === 0) throw new Error(`nothing was answered in ${ms / 1000} s: the machine is too busy`)
  return { answered, elapsed: micros / 1000 }
}

async function run (command, args) {
  const [name, ...all] = [...besideServer(), command, ...args].map(String)
  const child = keep(spawn(name, all, { stdio: ['ignore', 'pipe', 'inherit'] }))
  let output = ''
  child.stdout.on('data', part => { output += part })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${command} ended with ${code}`)
  return output
}

async function processes (port, payload, { connections, ms }) {
  const parts = await Promise.all(Array.from({ length: PROCESSES }, async () => {
    const child = keep(fork(at('load-process.mjs')))
    if (pins) spawnSync('taskset', ['-acp', othersOf(CORES), String(child.pid)])
    child.send({ port, payload: payload.toString(), connections: connections / PROCESSES, ms })
    const [part] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => { throw new Error('the load ended early') })])
    child.disconnect()
    return part
  }))
  return { answered: parts.reduce((sum, { answered }) => sum + answered, 0), elapsed: Math.max(...parts.map(({ elapsed }) => elapsed)) }
}

const besideServer = () => pins ? ['taskset', '-c', othersOf(CORES)] : []
const othersOf = cores => cores === 2 ? '1' : `1-${cores - 1}`

/** Whether the servers were the limit, by the share of its core that each server used: only then their rates can be compared. */
export function limitOf (shares) {
  const used = Object.entries(shares).map(([name, share]) => `${name} ${Math.round(share * 100)} %`).join(', ')
  const idle = Object.keys(shares).filter(name => shares[name] < BUSY)
  return idle.length === 0
    ? { isServers: true, words: `the servers were the limit: of a core they kept ${used}` }
    : { isServers: false, words: `of a core the servers kept ${used}: for ${idle.join(', ')} the load or another program was the limit, so the rates decide nothing` }
}
