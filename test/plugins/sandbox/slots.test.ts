import t from 'tap'
import type { Files } from '../../../agents/types.js'
import { Slots } from '../../../plugins/sandbox/slots.js'
import { openSandbox } from './support.js'

const never = new AbortController().signal
const of = (run: unknown, signal = never) => ({ signal, run })
const pause = () => new Promise(resolve => setTimeout(resolve, 1))

/** The order in which jobs, named by their run and a number, get their slots where all of them come at once. */
async function orderOf (size: number, jobs: string[]): Promise<string[]> {
  const slots = new Slots(size)
  const order: string[] = []
  await Promise.all(jobs.map(async job => await slots.with(of(job[0]), async () => {
    order.push(job)
    await pause()
  })))
  return order
}

void t.test('no more jobs run at once than there are slots, and those of one run in their order', async t => {
  const slots = new Slots(2)
  const order: number[] = []
  let running = 0
  let most = 0
  await Promise.all(Array.from({ length: 10 }, async (_, index) => await slots.with(of('a'), async () => {
    order.push(index)
    most = Math.max(most, ++running)
    await pause()
    running--
  })))
  t.equal(most, 2)
  t.same(order, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})

void t.test('a job that is aborted while waiting leaves the queue, and a failed job frees its slot', async t => {
  const slots = new Slots(1)
  const controller = new AbortController()
  const failing = slots.with(of('a'), async () => { await pause(); throw new Error('failed') })
  const waiting = slots.with(of('b', controller.signal), async () => { t.fail('it runs') })
  const last = slots.with(of('c'), async () => 'served')
  controller.abort(new Error('called off'))
  await t.rejects(waiting, { message: 'called off' })
  await t.rejects(failing, { message: 'failed' })
  t.equal(await last, 'served')
  await t.rejects(slots.with(of('a', controller.signal), async () => {}), { message: 'called off' })
})

void t.test('runs take turns, whoever came first', async t => {
  t.same(await orderOf(1, ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']), ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})

void t.test('a slot that is free goes to the run that holds the fewest', async t => {
  const slots = new Slots(2)
  const order: string[] = []
  const endings: (() => void)[] = []
  const job = async (name: string) => await slots.with(of(name[0]), async () => {
    order.push(name)
    await new Promise<void>(resolve => endings.push(resolve))
  })
  const jobs = ['a1', 'a2', 'a3', 'b1', 'b2'].map(job)
  for (let ended = 0; ended < jobs.length; ended++) {
    await pause()
    endings[ended]?.()
  }
  await Promise.all(jobs)
  t.same(order, ['a1', 'a2', 'b1', 'a3', 'b2'])
})

/** How many of 12 jobs of one run are done before the job of another run, which came last. */
async function doneBefore (crowd: (index: number) => Promise<unknown>, other: () => Promise<unknown>): Promise<number> {
  let done = 0
  const jobs = Array.from({ length: 12 }, async (_, index) => {
    await crowd(index).catch(() => {}) // given up in the end
    done++
  })
  await other()
  const before = done
  return await Promise.all(jobs).then(() => before)
}

void t.test('a job does not wait for all the hanging jobs of another run', async t => {
  const sandbox = openSandbox(t, { processes: 2 })
  await sandbox.prove()
  const hang: Files = { 'a.test.ts': 'Deno.test("hangs", () => { for (;;) {} })\n' }
  const quick: Files = { 'a.test.ts': 'Deno.test("is quick", () => {})\n' }
  const test = (files: Files, signal: AbortSignal, run?: string) => sandbox.test({ language: 'typescript', files, tests: ['a.test.ts'] }, { signal, limits: { wallMs: 500 }, ...(run !== undefined && { run }) })
  for (const isNamed of [false, true]) {
    const giving = new AbortController()
    const crowd = () => isNamed ? test(hang, AbortSignal.any([giving.signal]), 'chatcmpl-1') : test(hang, giving.signal)
    const before = await doneBefore(crowd, async () => {
      t.match(await test(quick, new AbortController().signal), { outcome: 'passed' })
      giving.abort()
    })
    t.ok(before <= 6, `${before} of another run came first; the run is known by ${isNamed ? 'its name' : 'its signal'}`)
  }
})

void t.test('nor does a check wait for all checks of another run', async t => {
  const sandbox = openSandbox(t, { processes: 32 })
  for (const [language, path] of [['python', 'a.py'], ['typescript', 'a.ts']] as const) {
    const check = (text: string, signal: AbortSignal) => sandbox.check({ language, files: { [path]: text } }, { signal })
    await check('a = 1\n', new AbortController().signal) // starts the tools
    const { signal } = new AbortController()
    const before = await doneBefore(() => check('a = 1\n'.repeat(200), signal), () => check('a = 1\n', new AbortController().signal))
    t.ok(before <= 6, `${before} of another run came first, ${language}`)
  }
})
