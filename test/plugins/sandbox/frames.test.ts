import t from 'tap'
import { FrameReader } from '../../../plugins/sandbox/frames.js'

const NONCE = 'a'.repeat(32)
const LIMITS = { outputBytes: 100, frameBytes: 60, framesBytes: 120, frames: 9 }
const framed = (text: string) => `\n${NONCE} ${Buffer.byteLength(text)} ${text} ${NONCE}\n`
const frame = (body: object) => framed(JSON.stringify(body))

function read (text: string, chunk: number, limits = LIMITS) {
  const reader = new FrameReader(NONCE, limits)
  const bytes = Buffer.from(text)
  let isWithin = true
  for (let at = 0; at < bytes.length && isWithin; at += chunk) isWithin = reader.push(bytes.subarray(at, at + chunk))
  return { messages: reader.messages, rest: reader.rest, isWithin }
}

void t.test('frames are found in the output, however the bytes arrive', async t => {
  const text = `one\n${frame({ n: 1 })}two é${frame({ n: 2 })}${frame({ n: 3 })}three\n${NONCE.slice(1)} {}\n`
  for (const chunk of [1, 2, 3, 7, 50, 1000]) {
    t.same(read(text, chunk, { ...LIMITS, outputBytes: 1000 }), {
      messages: [{ body: { n: 1 }, output: 'one\n' }, { body: { n: 2 }, output: 'two é' }, { body: { n: 3 }, output: '' }],
      rest: `three\n${NONCE.slice(1)} {}\n`,
      isWithin: true
    }, `${chunk} bytes at a time`)
  }
})

void t.test('the output, each frame and all frames together are limited', async t => {
  t.equal(read('x'.repeat(500), 10).isWithin, false)
  t.ok(read('x'.repeat(500), 10).rest.length <= 140)
  t.equal(read('x'.repeat(90), 10).isWithin, true)
  t.equal(read(frame({ text: 'x'.repeat(100) }), 10).isWithin, false)
  t.equal(read(`\n${NONCE} 100 x`, 10).isWithin, false, 'one that will be too long')
  t.equal(read(`\n${NONCE} 40 ${'x'.repeat(30)}`, 10).isWithin, true, 'a frame without an end')
  t.equal(read(frame({ text: 'x'.repeat(30) }).repeat(5), 10).isWithin, false)
  t.equal(read(framed('1').repeat(9), 10).isWithin, true)
  t.equal(read(framed('1').repeat(10), 10).isWithin, false, 'too many')
})

void t.test('a frame that is no JSON is ignored', async t => {
  t.same(read(framed('{"a":'), 100).messages, [{ body: undefined, output: '' }])
})

void t.test('a frame into which something else was written is never accepted', async t => {
  const body = '{"a":"xxxxxxxx","b":1}'
  const real = framed(body)
  const from = real.indexOf(body)
  const inside = real.indexOf('xxxx') + 4
  const half = real.length - inside - ` ${NONCE}\n`.length
  const others = ['', '9', ' ', '\n', '","b":2,"c":"', '"}\n', `"} ${NONCE.slice(1)}\n`, '"}'.padEnd(half, ' '), `"}${' '.repeat(half - 2)} ${'b'.repeat(32)}\n`, framed('{}').replaceAll('a', 'b')]
  for (const other of others) {
    for (let at = 1; at < real.length; at++) {
      const text = real.slice(0, at) + other + real.slice(at)
      for (const chunk of [5, 1000]) {
        const { messages, isWithin } = read(text + frame({ n: 1 }), chunk, { ...LIMITS, outputBytes: 1000, framesBytes: 1000 })
        const bodies = messages.flatMap(({ body }) => body === undefined ? [] : [JSON.stringify(body)])
        const isInside = at >= from && at <= from + body.length && other !== ''
        t.strictSame(bodies.filter(found => found !== '{"n":1}' && (isInside || found !== body)), [], `${JSON.stringify(other)} at ${at}`)
        if (isWithin) t.equal(bodies.at(-1), '{"n":1}')
      }
    }
  }
})

void t.test('a frame without a length is ignored', async t => {
  for (const length of ['', 'x', '-1', '1e3', '123456789', ' 1']) {
    const { messages, isWithin } = read(`\n${NONCE} ${length} {} ${NONCE}\n${frame({ n: 1 })}`, 7, { ...LIMITS, outputBytes: 1000 })
    t.same([messages.at(-1)?.body, messages.filter(({ body }) => body !== undefined).length, isWithin], [{ n: 1 }, 1, true], length)
  }
})
