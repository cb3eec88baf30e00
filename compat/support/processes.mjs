import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, dirname } from 'node:path'
import { NODE } from './folders.mjs'

/** A program in a process group of its own, with a home of its own, that reaches nothing but this machine. */
export function startProgram ({ command, args, env }, { home, work }) {
  let output = ''
  const child = spawn(command, args, { cwd: work, env: { ...bare(home), ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', part => { output += part })
  const end = () => { killGroup(child.pid); sweep(home) }
  process.once('exit', end)
  const ended = new Promise(resolve => {
    child.once('error', ({ message }) => resolve({ code: 1, output: message }))
    // 'exit', as a daemon that it leaves behind may hold its output open.
    child.once('exit', code => setTimeout(() => resolve({ code, output }), 200))
  })
  return { ended, output: () => output, kill: () => killGroup(child.pid), sweep () { process.off('exit', end); end() } }
}

function bare (home) {
  const nowhere = 'http://127.0.0.1:9' // no updates, no telemetry: what is not on this machine is refused at once
  return {
    HOME: home, USERPROFILE: home, LANG: 'C.UTF-8', TERM: 'dumb', NO_COLOR: '1', CI: '1', SHELL: '/bin/sh', TMPDIR: home,
    PATH: [dirname(NODE), process.env.PATH].join(delimiter),
    HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere, NO_PROXY: '127.0.0.1,localhost', no_proxy: '127.0.0.1,localhost'
  }
}

function killGroup (pid) {
  if (pid === undefined) return
  try { process.kill(-pid, 'SIGKILL') } catch (error) { if (error.code !== 'ESRCH') throw error }
}

/** Some leave a daemon behind in a group of its own. It is known by its home, which no other process has. */
function sweep (home) {
  if (process.platform !== 'linux') return
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${home}`)) process.kill(Number(pid), 'SIGKILL')
    } catch (error) {
      if (!['ENOENT', 'EACCES', 'EPERM', 'ESRCH'].includes(error.code)) throw error // it ended meanwhile, or is another user's
    }
  }
}

export async function until (condition, patience) {
  for (const end = Date.now() + patience; Date.now() < end; await new Promise(resolve => setTimeout(resolve, 10))) {
    if (condition()) return
  }
  throw new Error(`it did not come true within ${patience / 1000} s: ${condition}`)
}

export async function freePort () {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** Waits for a server of that program. */
export async function untilAnswered (url, { ended, output, sweep }) {
  let gone = false
  void ended.then(() => { gone = true })
  for (const end = Date.now() + 240_000; Date.now() < end && !gone; await new Promise(resolve => setTimeout(resolve, 300))) {
    if (await fetch(url).then(({ ok }) => ok, () => false)) return
  }
  sweep()
  throw new Error(`no server came up at ${url}:\n${output().slice(-2000)}`)
}
