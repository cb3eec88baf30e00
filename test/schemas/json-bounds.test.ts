import fc from 'fast-check'
import t from 'tap'
import { MOST_LEVELS, MOST_VALUES, beyondBounds } from '../../schemas/json-bounds.js'

const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`

/** How many values one holds, itself among them. */
function count (value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, inner) => sum + count(inner), 1)
}

void t.test('200 levels and 100,000 values pass, one more does not', async t => {
  t.same([MOST_LEVELS, MOST_VALUES], [200, 100_000])
  t.equal(beyondBounds(nested(200)), undefined)
  t.equal(beyondBounds(`[${nested(200)}]`), 'nests deeper than 200 levels')
  for (const [full, over] of [['1,'.repeat(99_998), 2], ['[],'.repeat(99_998), '{}'], ['{},'.repeat(99_998), 'null'], ['"a,[{",'.repeat(99_998), '" "'], ['[1],'.repeat(49_999), '[]']] as const) {
    t.equal(beyondBounds(`[${full}${over}]`), undefined)
    t.equal(beyondBounds(`[${full} ${over} , ${over}]`), 'holds more than 100,000 values', full.slice(0, 20))
  }
})

void t.test('any JSON is counted as it is, however it is written', async t => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 1, '\t', ' \n '), (value, space) => {
    const text = JSON.stringify(value, undefined, space)
    const rest = MOST_VALUES - 1 - count(value) // beside it and the array around it
    t.equal(beyondBounds(`[${text}${',0'.repeat(rest)}]`), undefined, text)
    t.equal(beyondBounds(`[${text}${',0'.repeat(rest + 1)}]`), 'holds more than 100,000 values', text)
  }), { numRuns: 40 })
})

void t.test('what stands in a string is not counted, wherever its quotes and backslashes are', async t => {
  const one = '['.repeat(201)
  fc.assert(fc.property(fc.array(fc.oneof(fc.constantFrom('\\"', '\\\\', '\\n', one, '\\u0022', '中', '😀'), fc.nat(200).map(n => 'x'.repeat(n)), fc.nat(200).map(n => '\\\\'.repeat(n)))), parts => {
    const text = JSON.stringify([parts.join(''), `${parts.join('')}\\`])
    t.equal(beyondBounds(text), undefined, text)
    t.equal(beyondBounds(`[${text},${one}]`), 'nests deeper than 200 levels')
    const raw = `["${parts.join('')}"]`
    t.equal(beyondBounds(raw), undefined, raw)
    t.equal(beyondBounds(`[${raw},${one}]`), 'nests deeper than 200 levels')
  }), { numRuns: 300 })
})

void t.test('what is no JSON is left to the parser', async t => {
  for (const text of ['', ' ', '"', '"\\', '"abc', ']]]]', '}', ',,,', '[', 'x'.repeat(300), `"${'\\'.repeat(301)}`]) t.equal(beyondBounds(text), undefined, text)
})
