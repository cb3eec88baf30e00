import https from 'node:https'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { commandLine, isAlive } from '../support/cli.js'
import { tempFolder, write } from '../support/folders.js'

const file = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url))
const CERT = file('cert.pem')
const KEY = file('key.pem')
const TLS = ['--tls-cert', CERT, '--tls-key', KEY]

function get (url: string): Promise<{ status: number | undefined, body: string }> {
  return new Promise((resolve, reject) => {
    https.get(url, { agent: false, ca: readFileSync(CERT) }, response => {
      let body = ''
      response.setEncoding('utf8').on('data', part => { body += part }).on('end', () => resolve({ status: response.statusCode, body }))
    }).on('error', reject)
  })
}

void t.test('with a certificate it serves https, and says so', async t => {
  const cli = commandLine(t)
  const { command, url } = await cli.start(TLS)
  t.match(url, /^https:\/\/localhost:\d+$/)
  t.match(command.logged(/^ready/).try, /^curl https:\/\//)
  t.match(await get(`${url}/health`), { status: 200, body: /"ok"/ })
})

void t.test('status and stop know a service that serves https', async t => {
  const cli = commandLine(t)
  const { port, pid, command } = await cli.start(TLS)
  const { code, out } = await cli.run(['status', '--json', '--port', String(port)])
  t.equal(code, 0)
  t.match(JSON.parse(out), { status: 'running', url: `https://127.0.0.1:${port}`, pid, agents: ['svc-code'], backend: { kind: 'none' } })
  t.equal((await cli.run(['stop', '--port', String(port)])).code, 0)
  t.notOk(isAlive(pid))
  t.match(await command.ended, { code: 0 })
})

void t.test('its port is told as taken by svc', async t => {
  const cli = commandLine(t)
  const { port, pid } = await cli.start(TLS)
  const { code, err } = await cli.run(['start', '--port', String(port)])
  t.equal(code, 1)
  t.match(err, new RegExp(`svc already \\(pid ${pid}\\)`))
})

void t.test('the files may be named in the environment', async t => {
  const cli = commandLine(t)
  const { url } = await cli.start([], { env: { SVC_TLS_CERT: CERT, SVC_TLS_KEY: KEY } })
  t.match(url, /^https:/)
})

void t.test('files that do not do are named, with what to do; exit 1', async t => {
  const cli = commandLine(t)
  const dir = write(tempFolder(t), { 'no.pem': 'nothing' })
  const cases: Array<[string[], RegExp]> = [
    [['--tls-cert', CERT], /--tls-cert and --tls-key go together/],
    [['--tls-key', KEY], /--tls-cert and --tls-key go together/],
    [['--tls-cert', `${dir}/missing.pem`, '--tls-key', KEY], /missing\.pem is not there.*[Cc]orrect/],
    [['--tls-cert', CERT, '--tls-key', dir], /--tls-key/],
    [['--tls-cert', `${dir}/no.pem`, '--tls-key', KEY], /--tls-cert and --tls-key .*PEM/],
    [['--tls-cert', CERT, '--tls-key', `${dir}/no.pem`], /--tls-cert and --tls-key .*PEM/],
    [['--tls-cert', CERT, '--tls-key', file('other-key.pem')], /--tls-cert and --tls-key/]
  ]
  for (const [args, message] of cases) {
    const { code, err, out } = await cli.run(['start', '--port', '0', ...args])
    t.equal(code, 1)
    t.match(err, message)
    t.notMatch(err, /^ +at /m, 'no stack')
    t.notMatch(out, /listens/)
  }
})
