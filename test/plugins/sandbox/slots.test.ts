import t from 'tap'
import { Slots } from '../../../plugins/sandbox/slots.js'

const never = new AbortController().signal
const pause = () => new Promise(resolve => setTimeout(resolve, 1))

void t.test('no more than the size run at once, first come first served', async t => {
  const slots = new Slots(2)
  const order: number[] = []
  let running = 0
  let most = 0
  await Promise.all(Array.from({ length: 10 }, async (_, index) => await slots.with(never, async () => {
    order.push(index)
    most = Math.max(most, ++running)
    await pause()
    running--
  })))
  t.equal(most, 2)
  t.same(order, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})

void t.test('who is called off while waiting leaves the queue, and a failure frees its slot', async t => {
  const slots = new Slots(1)
  const controller = new AbortController()
  const failing = slots.with(never, async () => { await pause(); throw new Error('failed') })
  const waiting = slots.with(controller.signal, async () => { t.fail('it runs') })
  const last = slots.with(never, async () => 'served')
  controller.abort(new Error('called off'))
  await t.rejects(waiting, { message: 'called off' })
  await t.rejects(failing, { message: 'failed' })
  t.equal(await last, 'served')
  await t.rejects(slots.with(controller.signal, async () => {}), { message: 'called off' })
})
