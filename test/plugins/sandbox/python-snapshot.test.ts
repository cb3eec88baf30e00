import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
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

/** A place to work at, with a cache of its own, and what was logged. */
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

void t.test('it is made once, told of while it is made, and kept for nobody else to change', async t => {
  const { host, cache, said } = await place(t)
  const file = await snapshotFile(findPaths(), host, signal)
  t.equal(dirname(file), cache)
  t.match(basename(file), /^python-[\da-f]{20}-[\da-f]{64}\.snapshot$/)
  t.match(said, [/preparing Python/, /prepared/])
  t.ok(statSync(file).size > 10_000_000)
  if (process.platform !== 'win32') t.equal(statSync(cache).mode & 0o077, 0)
  t.same(readdirSync(cache), [basename(file)])

  await t.test('the next start takes it as it is', async t => {
    t.equal(await snapshotFile(findPaths(), host, signal), file)
    t.equal(said.length, 2)
  })

  await t.test('one that was cut off or changed is made again', async t => {
    const whole = readFileSync(file)
    truncateSync(file, 1_000_000)
    const again = await snapshotFile(findPaths(), host, signal)
    t.ok(statSync(again).size > whole.length / 2) // which pages hold nothing differs a little from one to the next
    t.same(readdirSync(cache), [basename(again)])
  })

  await t.test('one of another version is passed over, and removed once it is old', async t => {
    const other = join(cache, `python-${'a'.repeat(20)}-${'b'.repeat(64)}.snapshot`)
    writeFileSync(other, 'x')
    const count = said.length
    await snapshotFile(findPaths(), host, signal)
    t.ok(existsSync(other))
    utimesSync(other, 0, 0)
    await snapshotFile(findPaths(), host, signal)
    t.notOk(existsSync(other))
    t.equal(said.length, count)
  })
})

void t.test('several starts at once each have a whole one', async t => {
  const { host, cache } = await place(t)
  const files = await Promise.all([1, 2, 3].map(() => snapshotFile(findPaths(), host, signal)))
  for (const file of files) t.ok(statSync(file).size > 10_000_000)
  t.same(readdirSync(cache).filter(name => !name.endsWith('.snapshot')), [])
})

void t.test('a build that is broken off leaves nothing', async t => {
  const { host, cache } = await place(t)
  const controller = new AbortController()
  setTimeout(() => controller.abort(new Error('stop')), 300)
  await t.rejects(snapshotFile(findPaths(), host, controller.signal), { message: 'stop' })
  t.same(readdirSync(cache), [])
})

void t.test('a cache that others may write to is not trusted', { skip: process.platform === 'win32' }, async t => {
  const { host, cache } = await place(t)
  await mkdir(cache, { recursive: true })
  await chmod(cache, 0o777)
  const before = process.env.TMPDIR
  process.env.TMPDIR = host.folder
  t.teardown(() => {
    if (before === undefined) Reflect.deleteProperty(process.env, 'TMPDIR')
    else process.env.TMPDIR = before
  })
  const file = await snapshotFile(findPaths(), host, signal)
  t.notMatch(file, cache)
  t.same(readdirSync(cache), [])
})

void t.test('where it cannot be made, the reason is told', async t => {
  const { host } = await place(t)
  await t.rejects(snapshotFile({ ...findPaths(), runner: join(host.folder) }, host, signal), { name: 'SandboxUnavailable', message: /Python could not be prepared/ })
})

void t.test('the wheels are those that the Python registry has, each with its licence', t => {
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
