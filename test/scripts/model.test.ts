import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { commandLine } from '../support/cli.js'
import { FILE, REPO, startHub } from '../support/hub.js'

const MIB = 1024 * 1024
const CONTENT = Buffer.concat([Buffer.from('GGUF'), ...Array.from({ length: 4 * MIB / 32 }, (_, i) => createHash('sha256').update(String(i)).digest())])
const NAME = `hf:${REPO}:Q4_K_M`

void t.test('models are listed, pulled with lines of progress, found and removed', async t => {
  const cli = commandLine(t)
  const hub = await startHub(t, CONTENT)
  const env = { HF_ENDPOINT: hub.url }
  const before = await cli.here(['model', 'list'], { env })
  t.equal(before.code, 0)
  t.match(before.out, /^ {2}qwen2\.5-coder-7b +4\.7 GB +Apache-2\.0/m)
  t.match((await cli.here(['model', 'which'], { env })).out, /suits this machine, and is not here/)

  const pulled = await cli.here(['model', 'pull', NAME], { env })
  t.equal(pulled.code, 0, pulled.err)
  t.match(pulled.err, /acme\/tiny-GGUF:Q4_K_M: 100 % \(4\.2 MB of 4\.2 MB\)/)
  const path = /is here: (.*)\n/.exec(pulled.out)?.[1] ?? ''
  t.ok(readFileSync(path).equals(CONTENT))
  t.ok((await cli.here(['model', 'list'], { env })).out.includes(`* hf:${REPO}/${FILE}  4.2 MB`))

  const removed = await cli.here(['model', 'rm', NAME], { env })
  t.equal(removed.code, 0)
  t.notOk(existsSync(path) || existsSync(`${path}.json`))
  t.match(await cli.here(['model', 'rm', NAME], { env }), { code: 1, err: /is not here/ })
})

void t.test('a download that was killed goes on from where it was', async t => {
  const cli = commandLine(t)
  const hub = await startHub(t, CONTENT, { serve: get => get.send(get.before === 0 ? { bytes: 2 * MIB, then: 'stall' } : {}) })
  const env = { HF_ENDPOINT: hub.url }
  const part = join(cli.runtime, 'models', ...REPO.split('/'), `${FILE}.part`)
  const command = cli.spawn(['model', 'pull', NAME], { env })
  await command.until(() => (statSync(part, { throwIfNoEntry: false })?.size ?? 0) >= 2 * MIB)
  command.kill('SIGKILL')
  await command.ended
  t.notOk(existsSync(part.replace(/\.part$/, '')))

  const { code, out, err } = await cli.run(['model', 'pull', NAME], { env })
  t.equal(code, 0, err)
  t.equal(hub.gets.at(-1)?.from, 2 * MIB)
  t.ok(readFileSync(/is here: (.*)\n/.exec(out)?.[1] ?? '').equals(CONTENT))
})

void t.test('what is wrong is one line, and exit 1', async t => {
  const cli = commandLine(t)
  const { code, err } = await cli.run(['model', 'pull', NAME], { env: { HF_ENDPOINT: 'http://127.0.0.1:9' } })
  t.equal(code, 1)
  t.match(err, /127\.0\.0\.1:9 cannot be reached/)
  t.notMatch(err, /^ +at /m)
  t.match(await cli.here(['model', 'pull', 'gpt-9']), { code: 1, err: /gpt-9 is not known.*qwen2\.5-coder-7b/ })
  t.match(await cli.here(['model']), { code: 1, err: /list, pull NAME, rm NAME or which/ })
})
