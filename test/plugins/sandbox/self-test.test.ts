import { connect } from 'node:net'
import { readFile, writeFile } from 'node:fs/promises'
import { createSocket } from 'node:dgram'
import { join } from 'node:path'
import t from 'tap'
import { selfTest } from '../../../plugins/sandbox/self-test.js'
import type { Bait, Toolchain } from '../../../plugins/sandbox/toolchain.js'
import { tempFolder } from '../../support/folders.js'

const never = new AbortController().signal

/** A language whose workers let something through. */
function leaking (findEscapes: (bait: Bait) => Promise<string[]>): Toolchain {
  const none = async (): Promise<never> => { throw new Error('not for this test') }
  return {
    format: none, check: none, test: none, testStubs: none, evaluate: none, run: none, findEscapes, warm () {}, close: async () => {}
  }
}

void t.test('escapes are found by what the worker says and by what the bait saw', async t => {
  const folder = tempFolder(t)
  const found = async (attempt: (bait: Bait) => Promise<string[]>) => await selfTest(leaking(attempt), folder, never)
  t.same(await found(async () => []), [])
  t.same(await found(async () => ['a file by Deno']), ['a file by Deno'])
  t.same(await found(async ({ port }) => await new Promise(resolve => { connect(port, '127.0.0.1').on('close', () => resolve([])).on('error', () => {}) })), ['a connection to a loopback port'])
  t.same(await found(async ({ port }) => await new Promise(resolve => { const s = createSocket('udp4'); s.send('x', port, '127.0.0.1', () => { s.close(); setTimeout(() => resolve([]), 200) }) })), ['a datagram to a loopback port'])
  t.same(await found(async bait => { await writeFile(join(bait.folder, 'x'), ''); return [] }), ['a file outside of the job'])
  await found(async ({ json, text, module, variable, secret }) => {
    for (const file of [json, text, module]) t.match(await readFile(file, 'utf8'), secret, 'the bait is real')
    t.equal(process.env[variable], secret)
    return []
  })
  t.equal(Object.keys(process.env).filter(name => name.includes('BAIT')).length, 0)
})

void t.test('attempts that cannot be made are an error', async t => {
  await t.rejects(selfTest(leaking(async () => { throw new Error('no worker') }), tempFolder(t), never), { message: 'no worker' })
})
