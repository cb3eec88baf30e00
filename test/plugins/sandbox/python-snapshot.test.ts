import { createHash } from 'node:crypto'
import {
  chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync
} from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { findDeno } from '../../../plugins/sandbox/deno.js'
import { Guardian } from '../../../plugins/sandbox/guardian.js'
import { findPaths } from '../../../plugins/sandbox/python/paths.js'
import { snapshotFile } from '../../../plugins/sandbox/python/snapshot.js'
import type { Host } from '../../../plugins/sandbox/toolchain.js'
import { findWall } from '../../../plugins/sandbox/wall.js'
import { SILENT } from '../../support/python.js'

t.setTimeout(300_000)
const { signal } = new AbortController()

/** A host with a cache of its own, and what was logged. */
async function place (t: Test): Promise<{ host: Host, cache: string, said: string[] }> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'svc-snapshot-'))
  const cache = join(folder, 'cache')
  const before = process.env.XDG_CACHE_HOME
  process.env.XDG_CACHE_HOME = cache
  const guardian = new Guardian(folder)
  const deno = findDeno()
  const said: string[] = []
  const log = { ...SILENT, info: (_details: object, message = '') => { said.push(message) } }
  t.teardown(async () => {
    process.env.XDG_CACHE_HOME = before
    await guardian.close()
    await rm(folder, { recursive: true, force: true })
  })
  return { host: { deno, folder, wall: await findWall(deno), guardian, log, packages: undefined }, cache: join(cache, 'svc'), said }
}

void t.test('it is made as a whole, also by two starts at once, and kept where nobody else can change it', async t => {
  const { host, cache, said } = await place(t)
  const [file = '', other = ''] = await Promise.all([1, 2].map(() => snapshotFile(findPaths(), host, signal)))
  for (const made of [file, other]) {
    t.equal(dirname(made), cache)
    t.match(basename(made), /^python-[\da-f]{20}-[\da-f]{64}\.snapshot$/)
    t.ok(statSync(made).size > 10_000_000)
  }
  t.match(said.sort(), [/prepared/, /prepared/, /preparing Python/, /preparing Python/])
  if (process.platform !== 'win32') t.equal(statSync(cache).mode & 0o077, 0)
  t.same(readdirSync(cache).sort(), [...new Set([basename(file), basename(other)])].sort(), 'nothing temporary is left')
  if (other !== file) rmSync(other)

  await t.test('the next start uses it', async t => {
    t.equal(await snapshotFile(findPaths(), host, signal), file)
    t.equal(said.length, 4)
  })

  await t.test('one of another version is ignored, and removed once it is old', async t => {
    const foreign = join(cache, `python-${'a'.repeat(20)}-${'b'.repeat(64)}.snapshot`)
    writeFileSync(foreign, 'x')
    await snapshotFile(findPaths(), host, signal)
    t.ok(existsSync(foreign))
    utimesSync(foreign, 0, 0)
    await snapshotFile(findPaths(), host, signal)
    t.notOk(existsSync(foreign))
    t.equal(said.length, 4)
  })

  await t.test('a cache that others may write to is not used', { skip: process.platform === 'win32' }, async t => {
    const fallback = join(host.folder, `svc-cache-${process.getuid?.() ?? 'user'}`)
    mkdirSync(fallback, { mode: 0o700 })
    copyFileSync(file, join(fallback, basename(file)))
    const before = process.env.TMPDIR
    process.env.TMPDIR = host.folder
    t.teardown(() => {
      if (before === undefined) Reflect.deleteProperty(process.env, 'TMPDIR')
      else process.env.TMPDIR = before
    })
    chmodSync(cache, 0o777)
    t.equal(await snapshotFile(findPaths(), host, signal), join(fallback, basename(file)))
    chmodSync(cache, 0o700)
  })

  await t.test('one that was cut off is removed and made again; a build that is aborted leaves nothing', async t => {
    truncateSync(file, 1_000_000)
    const controller = new AbortController()
    const info = (_details: object, message = '') => { if (message.startsWith('preparing')) controller.abort(new Error('stop')) }
    await t.rejects(snapshotFile(findPaths(), { ...host, log: { ...SILENT, info } }, controller.signal), { message: 'stop' })
    t.same(readdirSync(cache), [])
  })
})

void t.test('if it cannot be made, the error gives the reason', async t => {
  const { host } = await place(t)
  await t.rejects(snapshotFile({ ...findPaths(), runner: join(host.folder) }, host, signal), { name: 'SandboxUnavailable', message: /Python could not be prepared/ })
})

void t.test('the wheels are those of the Python registry, each with its licence', t => {
  const { vendor } = findPaths()
  const sums = new Map(readFileSync(join(vendor, 'SHA256SUMS'), 'utf8').trim().split('\n').map(line => line.split('  ')).map(([sum, name]) => [name, sum]))
  const wheels = readdirSync(vendor).filter(name => name.endsWith('.whl'))
  const licences = readdirSync(join(vendor, 'licenses'))
  t.same(wheels, [...sums.keys()])
  for (const name of wheels) {
    t.equal(createHash('sha256').update(readFileSync(join(vendor, name))).digest('hex'), sums.get(name), name)
    t.ok(licences.some(licence => licence.startsWith(`${name.split('-')[0]}.LICENSE`)), name)
  }
  t.end()
})
