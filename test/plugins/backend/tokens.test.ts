import t from 'tap'
import { countMessageTokens, countTextTokens } from '../../../plugins/backend/tokens.js'

void t.test('texts are counted as the encoding does, whole or in pieces', async t => {
  t.equal(await countTextTokens(''), 0)
  t.equal(await countTextTokens('hello world'), 2)
  t.equal(await countTextTokens('<|endoftext|>') > 1, true, 'what looks like a control token is text')
  const sentence = 'The quick brown fox jumps over the lazy dog. '
  const one = await countTextTokens(sentence)
  const many = await countTextTokens(sentence.repeat(1000))
  t.ok(Math.abs(many - one * 1000) <= 1000, `${many} for a thousand times ${one}`)
})

void t.test('a text without a break is counted in time that grows with its length alone', async t => {
  for (const character of ['a', '7', '漢', '😀', ' ', '\n']) {
    const since = performance.now()
    await countTextTokens(character.repeat(64 * 1024))
    const small = performance.now() - since
    await countTextTokens(character.repeat(512 * 1024))
    const large = performance.now() - since - small
    t.ok(large < 8 * Math.max(small, 20) * 4, `${character}: ${small} ms for 64 Ki, ${large} ms for 512 Ki`)
  }
})

void t.test('counting stops once the limit is passed, and others get their turn meanwhile', async t => {
  let turns = 0
  const beat = setInterval(() => { turns++ }, 1)
  const since = performance.now()
  const counted = await countMessageTokens([{ role: 'user', content: '漢'.repeat(4 * 1024 * 1024) }], 32768)
  clearInterval(beat)
  t.ok(counted > 32768 && counted < 100_000, `${counted}`)
  t.ok(performance.now() - since < 5000)
  t.ok(turns > 2, `${turns} turns`)
})
