import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import t from 'tap'
import { countMessageTokens, countTextTokens } from '../../../plugins/backend/tokens.js'
import { WordCounts } from '../../../plugins/backend/words.js'
import { cpuMs } from '../../support/time.js'

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
  let counted = 0
  const took = await cpuMs(async () => { counted = await countMessageTokens([{ role: 'user', content: '漢'.repeat(4 * 1024 * 1024) }], 32768) })
  clearInterval(beat)
  t.ok(counted > 32768 && counted < 100_000, `${counted}`)
  t.ok(took < 5000, `${took} ms`)
  t.ok(turns > 2, `${turns} turns`)
})

const WORDS = ['the', 'The', 'TypeScript', 'don', 's', 'll', 'VE', 'é', 'naïve', 'x1', '_', 'ß', '漢字', 'Привет', 'مرحبا', 'ſ', 'İ', '٣', '½', '😀', '👩‍👩‍👧', '\ud83d', '\ude00']
const SIGNS = ["'", '"', '.', ',', '(', ')', ';', '{', '}', '=>', '//', '#', '-', '`', '|', '<|endoftext|>', '«', '—', '…', '€', '\u0000', '\u007f', '\u0085']
const BLANKS = [' ', '  ', '\t', '\n', '\r\n', '\n\n', '\v', '\f', '\u00a0', '\u2028', '\u3000', '\ufeff']
const DIGITS = ['0', '7', '42', '1234567']

void t.test('words are counted one by one with the figures of the encoder for the whole text', async t => {
  const { countTokens } = await import('gpt-tokenizer/encoding/cl100k_base')
  const { CL100K_TOKEN_SPLIT_REGEX } = await import('gpt-tokenizer/encodingParams/constants')
  const encode = (text: string) => countTokens(text, { disallowedSpecial: new Set() })
  const words = new WordCounts(encode, CL100K_TOKEN_SPLIT_REGEX)
  const expectSame = (text: string) => {
    if (words.count(text) !== encode(text)) t.equal(words.count(text), encode(text), JSON.stringify(text))
  }

  const piece = fc.oneof(fc.constantFrom(...WORDS, ...SIGNS, ...BLANKS, ...BLANKS, ...DIGITS), fc.string({ unit: 'binary', maxLength: 3 }), fc.string({ maxLength: 5 }))
  fc.assert(fc.property(fc.array(piece, { maxLength: 30 }), pieces => words.count(pieces.join('')) === encode(pieces.join(''))), { numRuns: 5000 })
  for (const one of [...WORDS, ...SIGNS, ...BLANKS, ...DIGITS]) {
    for (const other of [...WORDS, ...SIGNS, ...BLANKS, ...DIGITS]) for (const text of [one + other, ` ${one}${other} `, `${other.repeat(70)}${one}`]) expectSame(text)
  }
  for (const source of ['package.json', 'README.md', 'CHANGELOG.md', 'app.ts', 'test/fixtures/prompts.txt', 'scripts/bench/programs/inventory.py']) expectSame(await readFile(source, 'utf8'))
  t.pass('as many for all of them')
})

void t.test('a text of new words is counted like one of cached words', async t => {
  const numbered = Array.from({ length: 20_000 }, (_, i) => `name${i.toString(36)}`).join(' ')
  t.equal(await countTextTokens(numbered), await countTextTokens(numbered))
})
