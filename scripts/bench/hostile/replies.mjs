// The worst replies of a language model's server: a content type and an iterator of parts, which may be endless.
const MIB = 1024 * 1024
const event = delta => `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`
const END = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
const whole = content => `{"choices":[{"index":0,"message":{"role":"assistant","content":${content}},"finish_reason":"stop"}]}`

const times = (unit, bytes) => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)))
const once = text => ({ parts: () => [text][Symbol.iterator]() })
const streamed = text => once(text + END)
const json = text => ({ ...once(text), type: 'application/json' })

/** The same part repeated without end, in large pieces, so that most of the time is spent in the service. */
function endless (part) {
  return { * parts () { for (const many = times(part, 64 * 1024) || part; ;) yield many } }
}

export const REPLIES = {
  short: streamed(event({ content: 'ok' })),

  'endless content, a word each': endless(event({ content: 'word '.repeat(4) })),
  'endless content, 4 KiB each': endless(event({ content: 'word '.repeat(800) })),
  'endless reasoning': endless(event({ reasoning_content: 'hmm ' })),
  'endless comments': endless(': keep-alive\n'),
  'endless empty fragments': endless(event({ content: '' })),
  'endless empty lines': endless('\n'),
  'endless carriage returns': endless(`${'\n'.repeat(60_000)}\r`),
  'an endless line': endless('data: x'.padEnd(1024, 'x')),
  'an endless event of many lines': endless('data: 1\n'),
  'an endless <think>': endless(event({ content: '<think>' })),

  'one event of 4 MB': streamed(event({ content: times('word ', 3.9 * MIB) })),
  'one event of 4 MB, one letter': streamed(event({ content: times('a', 3.9 * MIB) })),
  'an event of brackets': streamed(`data: ${times('[', 3.9 * MIB)}\n\n`),
  'an event of [],[],': streamed(`data: {"choices":[${times('[],', 3.9 * MIB)}[]]}\n\n`),
  'an event of {},{},': streamed(`data: {"choices":[${times('{},', 3.9 * MIB)}{}]}\n\n`),
  'many events of [],[],': streamed(times(`data: {"choices":[${times('[],', 900)}[]]}\n\n`, 8 * MIB)),
  'an error of 4 MB': streamed(`data: {"error":{"message":${JSON.stringify(times('truncate request <', 3.9 * MIB))}}}\n\n`),
  '100,000 fragments': streamed(times(event({ content: 'ab ' }), 8 * MIB)),
  '1 MB of newlines': streamed(times(event({ content: '\n'.repeat(4000) }), MIB)),
  '1 MB of slashes': streamed(times(event({ content: '/'.repeat(4000) }), MIB)),

  'JSON: 8 MB of text': json(whole(JSON.stringify(times('word ', 7.9 * MIB)))),
  'JSON: 8 MB of \\u0041': json(whole(`"${times('\\u0041', 7.9 * MIB)}"`)),
  'JSON: 8 MB of brackets': json(times('[', 7.9 * MIB)),
  'JSON: 8 MB of {},{},': json(`[${times('{},', 7.9 * MIB)}{}]`),
  'JSON: without end': { ...endless(' '), type: 'application/json' }
}
