import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort, keep, stop } from './children.mjs'
import { atMost, interleave, median, pick, row } from './figures.mjs'

const PATIENCE = 20_000
const SETTLE = 2000
const at = path => fileURLToPath(new URL(path, import.meta.url))

const COMMANDS = {
  svc: port => [at('../../dist/scripts/svc.js'), 'start', '--port', port],
  'through npm start': port => [at('../run.mjs'), 'start', '--port', port],
  fastify: port => [at('servers/fastify-health.mjs'), port]
}

/** The time from the spawn to the first 200 of /health, and the memory of an idle server. */
export async function startUp ({ rounds }) {
  const runtime = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  try {
    const found = await interleave(Object.keys(COMMANDS), rounds, name => measure(COMMANDS[name], runtime))
    const [start, rss] = [pick(found, 'start'), pick(found, 'rss')]
    return {
      rows: [row('start to /health', 'ms', start), row('  processor time of it', 'ms', pick(found, 'cpu')), row('idle RSS', 'MB', rss, 1)],
      goals: [
        atMost('start of bare Fastify', median(start.svc) / median(start.fastify), 1.6, 'x'),
        atMost('start', median(start.svc), 300, ' ms'),
        atMost('idle RSS', median(rss.svc), 90, ' MB')
      ]
    }
  } finally {
    rmSync(runtime, { recursive: true, force: true })
  }
}

async function measure (command, runtime) {
  const port = await freePort()
  const begun = performance.now()
  const child = keep(spawn(process.execPath, command(String(port)), { stdio: 'ignore', env: { ...process.env, XDG_RUNTIME_DIR: runtime } }))
  try {
    while (!(await isHealthy(port))) {
      if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode}`)
      if (performance.now() - begun > PATIENCE) throw new Error('the server does not start')
      await sleep(1)
    }
    const start = performance.now() - begun
    const cpu = cpuOf(child.pid)
    await sleep(SETTLE)
    return { start, cpu, rss: rssOf(child.pid) }
  } finally {
    await stop(child)
  }
}

/** One request on a bare socket, which takes less than a millisecond. */
function isHealthy (port) {
  return new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1' })
    const end = answer => { socket.destroy(); resolve(answer) }
    socket.once('connect', () => socket.write('GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n'))
    socket.once('data', part => end(part.toString('latin1', 0, 12) === 'HTTP/1.1 200'))
    socket.once('error', () => end(false))
    socket.once('close', () => end(false))
  })
}

/** The processor time so far in milliseconds, which a busy machine changes less than the elapsed time; only on Linux. */
function cpuOf (pid) {
  if (process.platform !== 'linux') return NaN
  return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6, 0)
}

/** Resident memory in MB of 10^6 bytes. */
function rssOf (pid) {
  const kib = process.platform === 'linux'
    ? /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]
    : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
  return Number(kib) * 1024 / 1e6
}
