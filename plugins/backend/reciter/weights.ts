import type { Tensor } from './gguf.js'
import type { Vocabulary } from './vocabulary.js'

// Two layers with one attention head each, whose weights are computed here. The token that opens a reply attends to the last
// subject in the prompt (first layer) and to the last aspect (second layer), and copies their codes. The output layer turns the
// codes into the first piece of a recital, and each piece into the next one.

export const SIZE = 128
export const FEED = 32
export const LAYERS = ['subject', 'aspect'] as const
export const ROPE_BASE = 1e6

// The meaning of the dimensions of an embedding.
const NOISE = 87 // dimensions 0..86: a random direction for each token
const END = 87 // set for the last piece of a recital: the sum of their many random directions would resemble other tokens
const FILLER = 88
const CODES = 89
const STRONG = 122
const SINK = 123
const FLAGS = { aspect: 124, subject: 125 }
const CONSTANT = 126
const QUERY = 127
export const MOST_CODES = STRONG - CODES

// Every embedding has this squared length, so that the RMS norm scales all tokens by the same factor, 6.28.
const SQUARED_LENGTH = 3.25
const SCALE = Math.sqrt(SIZE / SQUARED_LENGTH)

// Weights of the output layer, large enough that the right piece wins at any allowed temperature.
const EDGE = 9
const START = 13

export function makeWeights (vocabulary: Vocabulary): Tensor[] {
  const rows = vocabulary.tokens.length
  const embedding = embed(vocabulary)
  return [
    matrix('token_embd.weight', embedding, rows),
    matrix('output.weight', unembed(vocabulary, embedding), rows),
    norm('output_norm.weight'),
    ...LAYERS.flatMap((kind, layer) => block(`blk.${layer}.`, FLAGS[kind]))
  ]
}

function embed ({ tokens, controls, triggers, ends }: Vocabulary): Float32Array {
  const values = new Float32Array(tokens.length * SIZE)
  const random = gaussian(1)
  const rowOf = (id: number) => values.subarray(id * SIZE, (id + 1) * SIZE)
  for (let id = 0; id < tokens.length; id++) {
    const noise = rowOf(id).subarray(0, NOISE)
    for (let i = 0; i < NOISE; i++) noise[i] = random()
    const length = Math.sqrt(squaredLength(noise))
    for (let i = 0; i < NOISE; i++) noise[i] = (noise[i] ?? 0) / length
    rowOf(id)[CONSTANT] = 0.5
  }
  for (const id of Object.values(controls)) rowOf(id)[SINK] = 1
  rowOf(controls.reply)[QUERY] = 1
  for (const id of ends) rowOf(id)[END] = 1
  for (const { id, code, kind, isStrong } of triggers) {
    const row = rowOf(id)
    row.fill(0, 0, NOISE)
    row[CODES + code] = 1
    row[FLAGS[kind]] = 1
    row[STRONG] = isStrong ? 0.5 : 0
  }
  for (let id = 0; id < tokens.length; id++) rowOf(id)[FILLER] = Math.sqrt(Math.max(0, SQUARED_LENGTH - squaredLength(rowOf(id))))
  return values
}

function unembed ({ tokens, edges, starts, controls, fallback }: Vocabulary, embedding: Float32Array): Float32Array {
  const values = new Float32Array(tokens.length * SIZE)
  const follow = (from: number, to: number) => {
    for (let i = 0; i < NOISE; i++) values[to * SIZE + i] = (values[to * SIZE + i] ?? 0) + EDGE * (embedding[from * SIZE + i] ?? 0)
  }
  for (const [from, to] of edges) follow(from, to)
  values[controls.messageEnd * SIZE + END] = EDGE
  follow(controls.reply, fallback)
  for (const { subject, aspect, first } of starts) {
    for (const id of first) {
      // Subject and aspect together score 2.5, more than the 2 of the subject alone; only one of the two scores 1 or 0.
      values[id * SIZE + CODES + subject] = START * (aspect === null ? 2 : 2.5)
      if (aspect === null) continue
      values[id * SIZE + CODES + aspect] = START * 1.5
      values[id * SIZE + QUERY] = START * -1.5
    }
  }
  return values
}

function block (name: string, flag: number): Tensor[] {
  const zeros = () => new Float32Array(SIZE * SIZE)
  const [query, key, value, output] = [zeros(), zeros(), zeros(), zeros()]
  const set = (weights: Float32Array, row: number, column: number, weight: number) => { weights[row * SIZE + column] = weight }
  // Every score must stay below 65504 in size: a processor with AVX512-FP16 adds them in half precision, and beyond that they
  // become NaN (seen as a reply of one control character when the prompt was cached). These are the scores for the reply's token
  // in the slowest pairs of the rotary embedding: strong triggers 46,000, triggers 0, control tokens -51,000, others -57,000.
  for (let pair = 60; pair < 64; pair++) {
    set(query, 2 * pair, QUERY, 19)
    set(key, 2 * pair, flag, 19)
    set(key, 2 * pair, CONSTANT, -38)
    set(key, 2 * pair, SINK, 1.9)
    set(key, 2 * pair, STRONG, 31)
  }
  // Triggers also get -45,000 times the sine of a small angle that grows with their distance, so that the last one wins.
  for (let pair = 46; pair < 50; pair++) {
    set(query, 2 * pair + 1, QUERY, 17)
    set(key, 2 * pair, flag, 17)
  }
  // All other tokens attend to control tokens, which have no code to copy.
  set(query, 2 * 59, CONSTANT, 6)
  set(key, 2 * 59, SINK, 6)
  for (let code = 0; code < MOST_CODES; code++) {
    set(value, code, CODES + code, 1)
    set(output, CODES + code, code, 1 / SCALE)
  }
  return [
    norm(`${name}attn_norm.weight`),
    matrix(`${name}attn_q.weight`, query), matrix(`${name}attn_k.weight`, key),
    matrix(`${name}attn_v.weight`, value), matrix(`${name}attn_output.weight`, output),
    norm(`${name}ffn_norm.weight`), // the feed-forward part adds nothing, but the format requires it
    matrix(`${name}ffn_gate.weight`, new Float32Array(SIZE * FEED), FEED),
    matrix(`${name}ffn_up.weight`, new Float32Array(SIZE * FEED), FEED),
    { name: `${name}ffn_down.weight`, shape: [FEED, SIZE], data: new Float32Array(SIZE * FEED), type: 'f16' }
  ]
}

function matrix (name: string, data: Float32Array, rows = SIZE): Tensor {
  return { name, shape: [SIZE, rows], data, type: 'f16' }
}

function norm (name: string): Tensor {
  return { name, shape: [SIZE], data: new Float32Array(SIZE).fill(1), type: 'f32' }
}

function squaredLength (row: Float32Array): number {
  return row.reduce((sum, value) => sum + value * value, 0)
}

/** Normally distributed numbers, the same ones for the same seed (mulberry32, Box-Muller). */
function gaussian (seed: number): () => number {
  let state = seed
  const uniform = () => {
    state = (state + 0x6D2B79F5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
}
