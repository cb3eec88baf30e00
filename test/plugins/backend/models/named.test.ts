import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { chooseBackend } from '../../../../plugins/backend/choose.js'
import { chosen, embedded } from '../../../../plugins/backend/models/embedded.js'
import { parseHubName } from '../../../../plugins/backend/models/hub.js'
import { namedModel } from '../../../../plugins/backend/models/named.js'
import { amount, inFull, shortly } from '../../../../plugins/backend/models/pace.js'
import { placeOf, writeReceipt } from '../../../../plugins/backend/models/store.js'
import { MODELS, suitable } from '../../../../plugins/backend/models/table.js'
import { tempFolder } from '../../../support/folders.js'
import { silent } from '../../../support/log.js'
import { ANSWERS, tinyModel } from '../../../support/tiny-model.js'
import { ask, eventsFrom, never, textOf } from '../contract.js'

const options = (folder: string) => ({ folder, pull: false, log: silent })

void t.test('a name on the hub has a quantisation or a file; other names are invalid', async t => {
  t.same(parseHubName('hf:user/repo:Q8_0'), { repo: 'user/repo', quant: 'Q8_0' })
  t.same(parseHubName('hf:user/repo'), { repo: 'user/repo', quant: 'Q4_K_M' })
  t.same(parseHubName('hf:user/repo/sub/a.b.gguf'), { repo: 'user/repo', file: 'sub/a.b.gguf' })
  for (const name of ['hf:', 'hf:user', 'hf:user/', 'hf:../x:Q4', 'hf:user/..', 'hf:user/repo/../../x.gguf', 'hf:user/repo/x.bin', 'user/repo', 'hf:user/repo:a b', 'hf:a/b?c:Q4']) t.equal(parseHubName(name), undefined, name)
})

void t.test('a file, a name of the list, a name on the hub and demo are models', async t => {
  const folder = tempFolder(t)
  const file = join(folder, 'mine.gguf')
  writeFileSync(file, 'GGUF and more')
  t.equal(await namedModel(file, options(folder)).obtain(() => {}, never), file)
  t.match(namedModel('Qwen2.5-Coder-7B', options(folder)), { name: 'qwen2.5-coder-7b', kind: 'embedded' })
  t.match(namedModel('hf:user/repo:Q8_0', options(folder)), { name: 'user/repo:Q8_0' })
  const demo = namedModel('demo', options(folder))
  t.match(demo, { kind: 'demo', name: /only recites/ })
  const path = await demo.obtain(() => {}, never)
  t.ok(existsSync(path) && path.startsWith(folder))
  t.equal(await demo.obtain(() => {}, never), path)
})

void t.test('any other value of --model is refused with an explanation', async t => {
  const folder = tempFolder(t)
  writeFileSync(join(folder, 'page.gguf'), '<html>')
  t.throws(() => namedModel(join(folder, 'not-there.gguf'), options(folder)), /neither a file nor a known name.*qwen2\.5-coder-7b/)
  t.throws(() => namedModel(folder, options(folder)), /is a folder/)
  t.throws(() => namedModel(join(folder, 'page.gguf'), options(folder)), /no GGUF file/)
  t.throws(() => namedModel('hf:what', options(folder)), /write hf:user\/repo:Q4_K_M/)
})

void t.test('the table is sound, and the model suits the memory', async t => {
  for (const { name, sha256, size, memory, file, license } of MODELS) {
    t.match(sha256, /^[0-9a-f]{64}$/, name)
    t.ok(memory > size && file.endsWith('.gguf') && license === 'Apache-2.0', name)
  }
  t.same(MODELS.map(({ size }) => size), MODELS.map(({ size }) => size).sort((a, b) => a - b), 'the smallest first')
  t.equal(suitable(2e9).name, 'qwen2.5-coder-1.5b')
  t.equal(suitable(17e9).name, 'qwen2.5-coder-7b')
  t.equal(suitable(24e9).name, 'qwen2.5-coder-7b', 'not one that is slower than the next')
  t.equal(suitable(64e9).name, 'qwen3-coder-30b')
})

void t.test('without a model and without permission to download one, the engine is not used, and the error says what to do', async t => {
  const folder = tempFolder(t)
  const engine = embedded({ folder }, silent)
  t.notOk(engine.isNamed)
  t.equal(await engine.open('for want of a server'), undefined)
  t.match(engine.ways(), { quickest: new RegExp(`model -- pull ${chosen(folder).name.replaceAll('.', '\\.')} \\(downloads \\d`), flags: [/--model FILE/, /--model demo/] })
})

void t.test('a model that comes later is used without a restart, also where no server is looked for', async t => {
  const folder = tempFolder(t)
  const engine = embedded({ folder, threads: 1, useGpu: false }, silent)
  const backend = await chooseBackend({ candidates: [] }, { log: silent, embedded: engine })
  t.teardown(() => backend.close())
  t.match(await backend.info(), { kind: 'none', remedy: /^npm run model -- pull \S+ \(downloads .*; the next request uses it\)\n/ })
  await t.rejects(eventsFrom(backend.chat(ask(ANSWERS[0][0]), never)), { name: 'BackendMissing' })
  const file = placeOf(folder, chosen(folder).repo, chosen(folder).file)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, tinyModel())
  await writeReceipt(file, { size: tinyModel().length, sha256: 'as it was fetched', url: 'http://127.0.0.1:9' })
  t.equal(textOf(await eventsFrom(backend.chat(ask(ANSWERS[0][0]), never))), ANSWERS[0][1])
  t.match(await backend.info(), { kind: 'embedded', model: chosen(folder).name, reason: /no server is looked for; this model is on this machine/ })
})

void t.test('offline, the engine is not used either, and the error says so', async t => {
  process.env.HF_ENDPOINT = 'http://127.0.0.1:9'
  t.teardown(() => { delete process.env.HF_ENDPOINT })
  const engine = embedded({ folder: tempFolder(t), pull: true }, silent)
  t.equal(await engine.open('for want of a server'), undefined)
  t.match(engine.ways().quickest, /^go online \(.*127\.0\.0\.1:9 cannot be reached/)
})

void t.test('the progress of a download in words', async t => {
  t.equal(shortly({ done: 43, total: 100, speed: 0.475 }), '43 %, 2 min left')
  t.equal(shortly({ done: 43, total: 100, speed: 0 }), '43 %')
  t.equal(shortly({ done: 2e9, total: undefined, speed: 1 }), '2.0 GB')
  t.equal(inFull({ done: 2e9, total: 4.7e9, speed: 12.3e6 }), '42 % (2.0 GB of 4.7 GB), 12 MB/s, 4 min left')
  t.equal(inFull({ done: 5, total: undefined, speed: 1000 }), '5 B, 1.0 kB/s')
  t.equal(inFull({ done: 1, total: 1e12, speed: 1e6 }).split(', ').at(-1), '277.8 h left')
  t.equal(amount(999), '999 B')
})
