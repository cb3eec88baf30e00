import t from 'tap'
import { FrameReader } from '../../../plugins/sandbox/frames.js'

const NONCE = 'a'.repeat(32)
const LIMITS = { outputBytes: 100, frameBytes: 60, framesBytes: 120, frames: 9 }
const frame = (body: object) => `\n${NONCE} ${JSON.stringify(body)}\n`

function read (text: string, chunk: number, limits = LIMITS) {
  const reader = new FrameReader(NONCE, limits)
  const bytes = Buffer.from(text)
  let isWithin = true
  for (let at = 0; at < bytes.length && isWithin; at += chunk) isWithin = reader.push(bytes.subarray(at, at + chunk))
  return { reports: reader.reports, rest: reader.rest, isWithin }
}

void t.test('frames are found between what is printed, however the bytes arrive', async t => {
  const text = `one\n${frame({ n: 1 })}two é${frame({ n: 2 })}${frame({ n: 3 })}three\n${NONCE.slice(1)} {}\n`
  for (const chunk of [1, 2, 3, 7, 50, 1000]) {
    t.same(read(text, chunk, { ...LIMITS, outputBytes: 1000 }), {
      reports: [{ body: { n: 1 }, output: 'one\n' }, { body: { n: 2 }, output: 'two é' }, { body: { n: 3 }, output: '' }],
      rest: `three\n${NONCE.slice(1)} {}\n`,
      isWithin: true
    }, `${chunk} bytes at a time`)
  }
})

void t.test('what is printed, one frame, and all frames are bounded', async t => {
  t.equal(read('x'.repeat(500), 10).isWithin, false)
  t.ok(read('x'.repeat(500), 10).rest.length <= 140)
  t.equal(read('x'.repeat(90), 10).isWithin, true)
  t.equal(read(frame({ text: 'x'.repeat(100) }), 10).isWithin, false)
  t.equal(read(`\n${NONCE} ${'x'.repeat(100)}`, 10).isWithin, false, 'a frame without an end')
  t.equal(read(frame({ text: 'x'.repeat(30) }).repeat(5), 10).isWithin, false)
  t.equal(read(`\n${NONCE} 1\n`.repeat(9), 10).isWithin, true)
  t.equal(read(`\n${NONCE} 1\n`.repeat(10), 10).isWithin, false, 'too many')
})

void t.test('a frame that is no JSON is none', async t => {
  t.same(read(`\n${NONCE} {"a":\n`, 100).reports, [{ body: undefined, output: '' }])
})
