import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, writeFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { FetchedModel, type FetchOptions } from '../../../../plugins/backend/models/fetched-model.js'
import { isWhole } from '../../../../plugins/backend/models/store.js'
import { tempFolder } from '../../../support/folders.js'
import { FILE, type Hub, type HubOptions, REPO, startHub } from '../../../support/hub.js'
import { silent } from '../../../support/log.js'
import { never } from '../contract.js'

const MIB = 1024 * 1024

/** Three mebibytes that begin like a model. */
const CONTENT = Buffer.concat([Buffer.from('GGUF'), ...Array.from({ length: 3 * MIB / 32 }, (_, i) => createHash('sha256').update(String(i)).digest())])

interface Scene {
  hub: Hub
  file: string
  obtain: (options?: Partial<FetchOptions>, signal?: AbortSignal) => Promise<string>
  progress: string[]
}

async function scene (t: Test, options: HubOptions = {}, content = CONTENT): Promise<Scene> {
  const hub = await startHub(t, content, options)
  process.env.HF_ENDPOINT = hub.url
  t.teardown(() => { delete process.env.HF_ENDPOINT })
  const folder = tempFolder(t)
  const progress: string[] = []
  return {
    hub, progress,
    file: join(folder, ...REPO.split('/'), FILE),
    async obtain (more = {}, signal = never) {
      const model = new FetchedModel({ repo: REPO, quant: 'Q4_K_M' }, { folder, pull: true, stall: 1000, pause: 10, attempts: 3, log: silent, ...more })
      return await model.obtain(text => progress.push(text), signal)
    }
  }
}

/** What is left where a download failed: nothing that could be taken for the model. */
function leavesNothingWhole (t: Test, file: string): void {
  t.notOk(existsSync(file), 'no file has the name of the model')
  t.notOk(isWhole(file))
  t.notOk(existsSync(`${file}.lock`), 'nobody is kept out')
}

void t.test('a model is downloaded once: size, checksum and place are right, and the second time no hub is asked', async t => {
  const { hub, file, obtain, progress } = await scene(t)
  t.equal(await obtain(), file)
  t.ok(readFileSync(file).equals(CONTENT))
  t.same(readdirSync(dirname(file)).sort(), [FILE, `${FILE}.json`])
  t.match(progress.at(-1), /^model 100 %.*acme\/tiny-GGUF:Q4_K_M is being downloaded/)
  t.equal(await obtain(), file)
  t.equal(hub.gets.length, 1)
})

void t.test('a connection that is cut again and again: each time it goes on from there', async t => {
  const { hub, file, obtain } = await scene(t, { serve: get => get.send(get.before < 2 ? { bytes: MIB } : {}) })
  await obtain()
  t.ok(readFileSync(file).equals(CONTENT))
  t.same(hub.gets.map(({ from }) => from > 0), [false, true, true])
})

void t.test('a connection that falls silent is given up, and it goes on from there', async t => {
  const { hub, file, obtain } = await scene(t, { serve: get => get.send(get.before === 0 ? { bytes: MIB, then: 'stall' } : {}) })
  await obtain()
  t.ok(readFileSync(file).equals(CONTENT))
  t.equal(hub.gets.length, 2)
})

void t.test('a hub that takes the request and never answers ends with an error, not with waiting', async t => {
  const { file, obtain } = await scene(t, { serve () {} })
  await t.rejects(obtain(), { name: 'BackendRefused', message: /nothing came for 1 s.*start again to go on/ })
  leavesNothingWhole(t, file)
})

void t.test('a hub that is not reached settles within three seconds, and the ways out are named', async t => {
  const { obtain } = await scene(t, { silent: true })
  await t.rejects(obtain(), { name: 'BackendMissing', message: /no answer within 3 s.*go online.*--model FILE.*--model demo/ })
  process.env.HF_ENDPOINT = 'http://127.0.0.1:9'
  await t.rejects(obtain(), { name: 'BackendMissing', message: /127\.0\.0\.1:9 cannot be reached \(nothing listens there\)/ })
})

void t.test('bytes that are wrong are thrown away and fetched anew; where they stay wrong there is no model', async t => {
  const wrong = Buffer.from(CONTENT)
  wrong[MIB] = (wrong[MIB] ?? 0) ^ 1
  const { file, obtain } = await scene(t, { serve: get => get.send(get.before === 0 ? { body: wrong } : {}) })
  await obtain()
  t.ok(readFileSync(file).equals(CONTENT))

  const worse = await scene(t, { serve: get => get.send({ body: wrong }) })
  await t.rejects(worse.obtain(), { name: 'BackendRefused', message: /checksum is [0-9a-f]{12}\.\.\., and should be/ })
  leavesNothingWhole(t, worse.file)
  t.same(readdirSync(dirname(worse.file)), [])
})

void t.test('a page in place of the file is no model, also where the hub states no checksum', async t => {
  const page = Buffer.alloc(CONTENT.length, '<html>please sign in</html>')
  const { file, obtain } = await scene(t, { told: { 'x-linked-etag': '"etag"' }, serve: get => get.send({ body: page }) })
  await t.rejects(obtain(), { name: 'BackendRefused', message: /no GGUF file/ })
  leavesNothingWhole(t, file)
})

void t.test('a file that the hub does not have, or does not give, is reported at once', async t => {
  const missing = await scene(t, { status: 404, told: { location: undefined } })
  await t.rejects(missing.obtain(), { name: 'BackendMissing', message: /the hub has no acme\/tiny-GGUF/ })
  const gated = await scene(t, { status: 401, told: { location: undefined, 'x-linked-etag': undefined } })
  await t.rejects(gated.obtain(), { name: 'BackendRefused', message: /HF_TOKEN/ })
  const gone = await scene(t, { serve: ({ response }) => response.writeHead(404).end() })
  await t.rejects(gone.obtain(), { name: 'BackendRefused', message: /status 404/ })
  t.equal(gone.hub.gets.length, 1, 'it is not asked again')
  leavesNothingWhole(t, gone.file)
})

void t.test('a hub that is overloaded is asked again, and not for ever', async t => {
  const { file, obtain } = await scene(t, { serve: get => get.before < 2 ? get.response.writeHead(500).end() : get.send() })
  await obtain()
  t.ok(isWhole(file))
  const down = await scene(t, { serve: ({ response }) => response.writeHead(503).end() })
  await t.rejects(down.obtain(), { name: 'BackendRefused', message: /status 503/ })
  t.equal(down.hub.gets.length, 3)
})

void t.test('sizes that do not agree: no file', async t => {
  for (const [name, serve] of Object.entries<NonNullable<HubOptions['serve']>>({
    shorter: get => get.send({ body: CONTENT.subarray(0, 2 * MIB) }),
    longer: get => get.send({ body: Buffer.concat([CONTENT, CONTENT]) }),
    'longer than it said': get => get.send({ body: Buffer.concat([CONTENT, CONTENT]), headers: {} }),
    'ends early without a length': get => get.send({ body: CONTENT.subarray(0, 2 * MIB), headers: {} })
  })) {
    const { file, obtain } = await scene(t, { serve })
    await t.rejects(obtain(), { name: 'BackendRefused' }, name)
    leavesNothingWhole(t, file)
  }
})

void t.test('a hub that knows no ranges: it begins anew, and the file is right', async t => {
  const { file, obtain } = await scene(t, {
    serve (get) {
      if (get.before === 0) return get.send({ bytes: MIB })
      get.response.writeHead(200, { 'content-length': CONTENT.length })
      get.response.end(CONTENT)
    }
  })
  await obtain()
  t.ok(readFileSync(file).equals(CONTENT))
})

void t.test('a hub that sends another part than was asked for, or none: it begins anew', async t => {
  const { file, obtain } = await scene(t, {
    serve (get) {
      if (get.before === 0) return get.send({ bytes: MIB })
      if (get.before === 1) return get.send({ headers: { 'content-range': `bytes 5-${CONTENT.length - 1}/${CONTENT.length}` } })
      if (get.before === 2) return get.send({ bytes: MIB })
      if (get.before === 3) return get.response.writeHead(416).end()
      get.send()
    }
  })
  await obtain({ attempts: 5 })
  t.ok(readFileSync(file).equals(CONTENT))
})

void t.test('what was kept of another version of the file is found out by the checksum', async t => {
  const { file, obtain } = await scene(t)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.part`, Buffer.alloc(MIB, 'GGUF of old'))
  await obtain()
  t.ok(readFileSync(file).equals(CONTENT))
})

void t.test('a disk that is too full is reported before the download begins', async t => {
  const { hub, file, obtain } = await scene(t, { told: { 'x-linked-size': String(2 ** 60) } })
  await t.rejects(obtain(), { name: 'BackendRefused', message: /takes \d+ GB, and .* are free.*--models-dir/ })
  t.equal(hub.gets.length, 0)
  leavesNothingWhole(t, file)
})

void t.test('two at once share one download', async t => {
  const { hub, file, obtain } = await scene(t, { serve: get => void sleep(300).then(() => get.send()) })
  t.same(await Promise.all([obtain({ stall: 20_000 }), obtain({ stall: 20_000 })]), [file, file])
  t.equal(hub.gets.length, 1)
  t.ok(readFileSync(file).equals(CONTENT))
})

void t.test('a hub that redirects in a circle is left', async t => {
  const { file, obtain } = await scene(t, { serve: ({ response }) => response.writeHead(302, { location: '/storage/blob' }).end() })
  await t.rejects(obtain(), { name: 'BackendRefused', message: /in a circle/ })
  leavesNothingWhole(t, file)
})

void t.test('an abort ends it at once, and what came is kept', async t => {
  const { file, obtain } = await scene(t, { serve: get => get.send(get.before === 0 ? { bytes: MIB, then: 'stall' } : {}) })
  const abort = new AbortController()
  const reason = new Error('the service stops')
  setTimeout(() => abort.abort(reason), 300)
  await t.rejects(obtain({ stall: 60_000 }, abort.signal), reason)
  leavesNothingWhole(t, file)
  t.ok(existsSync(`${file}.part`))
  await obtain()
  t.ok(readFileSync(file).equals(CONTENT))
})

void t.test('nothing is downloaded that nobody asked for', async t => {
  const { hub, obtain } = await scene(t)
  await t.rejects(obtain({ pull: false }), { name: 'BackendMissing', message: /is not on this machine.*--pull/ })
  t.equal(hub.gets.length, 0)
})

void t.test('a file that was cut short since is fetched anew', async t => {
  const { hub, file, obtain } = await scene(t)
  await obtain()
  writeFileSync(file, CONTENT.subarray(0, 1000))
  await obtain()
  t.equal(hub.gets.length, 2)
  t.ok(readFileSync(file).equals(CONTENT))
})
