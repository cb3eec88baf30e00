import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createInterface } from 'node:readline'

const at = path => fileURLToPath(new URL(path, import.meta.url))

/** Starts the service by its command line, under the current version of Node, with the scripted agent. */
export async function startService (...flags) {
  const child = spawn(process.execPath, [
    at('../../scripts/run.mjs'), 'start', '--port', '0', '--drain', '0', '--agents-dir', at('../agents'),
    // Nothing listens there: no model of this machine is looked for.
    ...flags.some(flag => flag === '--backend-url' || flag === '--model') ? [] : ['--backend-url', 'http://127.0.0.1:1'], ...flags
  ], { stdio: ['ignore', 'pipe', 'pipe'], env: withoutSettings(process.env) })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  let said = ''
  const log = []
  child.stderr.on('data', part => { said += part })
  const closed = once(child, 'close')
  const url = await Promise.race([
    urlOf(child.stdout, log),
    closed.then(([code]) => { throw new Error(`the service ended with ${code}:\n${said}`) })
  ])
  return {
    url: `${url}/v1`,
    log,
    witness: (key, more = {}) => ask(url, { key, ...more }),
    async stop () {
      process.off('exit', kill)
      child.kill('SIGTERM')
      const [code] = await closed
      if (code !== 0) throw new Error(`the service ended with ${code}:\n${said}`)
    }
  }
}

// The log is JSON if the output is no terminal; the last line of the start has the address.
function urlOf (stdout, log) {
  return new Promise(resolve => {
    createInterface({ input: stdout }).on('line', line => {
      const entry = JSON.parse(line)
      log.push(entry)
      if (entry.url) resolve(entry.url)
    })
  })
}

async function ask (url, question) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'witness', messages: [{ role: 'user', content: JSON.stringify(question) }] })
  })
  const { choices } = await response.json()
  return JSON.parse(choices[0].message.content)
}

function withoutSettings (env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(SVC_|OPENAI_|LANGSMITH_|LANGCHAIN_)/.test(name)))
}
