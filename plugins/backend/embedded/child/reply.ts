import { randomInt } from 'node:crypto'
import type { LlamaContextSequence, Token } from 'node-llama-cpp'
import type { FinishReason } from '../../../../agents/types.js'
import type { ChatOrder, Outcome } from '../messages.js'
import { Reasoning } from '../../reasoning.js'
import type { Prompt } from './prompt.js'
import { StopTexts } from './stop-texts.js'
import type { Vocabulary } from './vocabulary.js'

export type ReplyEvent = { type: 'fragment' | 'reasoning', text: string } | { type: 'reading', percent: number }

// As llama.cpp's own server has them where a request says nothing.
const TOP_K = 40
const MIN_P = 0.05

/**
 * Writes one reply. Not by the library's own completion: that cuts prompts that are too long in silence, punishes
 * repetition, which programs live on, and adds a second beginning-of-text to prompts that have one.
 */
export async function write (sequence: LlamaContextSequence, vocabulary: Vocabulary, prompt: Prompt, { temperature, top_p, seed, stop = [], max_tokens = Infinity }: ChatOrder, signal: AbortSignal, send: (event: ReplyEvent) => void): Promise<Outcome> {
  const last = await read(sequence, prompt.tokens, signal, percent => send({ type: 'reading', percent }))
  const reasoning = new Reasoning(prompt.isReasoning)
  const stops = new StopTexts([...prompt.stops, ...stop])
  const say = (text: string) => {
    if (text === '') return
    for (const part of reasoning.take(text)) {
      const shown = part.type === 'fragment' ? stops.take(part.text) : part.text
      if (shown !== '') send({ type: part.type, text: shown })
    }
  }

  let finish: FinishReason = 'stop'
  let completion = 0
  let reasoned = 0
  const reader = vocabulary.reader()
  const settings = temperature === 0 ? { temperature } : { temperature, topP: Math.max(top_p, 1e-6), topK: TOP_K, minP: MIN_P, seed: seed ?? randomInt(2 ** 32) }
  for await (const token of sequence.evaluate(last, settings)) {
    signal.throwIfAborted()
    completion++
    say(reader.take(token))
    if (reasoning.isOpen) reasoned++
    if (stops.isReached) break
    if (completion >= max_tokens) {
      finish = 'length'
      break
    }
  }
  say(reader.end())
  for (const { type, text } of reasoning.end()) {
    const shown = type === 'fragment' ? stops.take(text) : text
    if (shown !== '') send({ type, text: shown })
  }
  const held = stops.end()
  if (held !== '') send({ type: 'fragment', text: held })
  return { type: 'done', prompt: prompt.tokens.length, completion, reasoning: reasoned, finish }
}

// A long prompt takes a processor minutes. It is read in pieces of about this many milliseconds, so that an abort is
// heard in between, and others get their turn.
const PIECE_MS = 400

/** Brings the sequence to where all but the last token of the prompt have been read, and gives what is left: that one. */
async function read (sequence: LlamaContextSequence, tokens: readonly Token[], signal: AbortSignal, onPercent: (percent: number) => void): Promise<Token[]> {
  const most = tokens.length - 1
  await sequence.adaptStateToTokens(tokens.slice(0, most), false)
  let piece = 128
  for (let at = sequence.nextTokenIndex; at < most; at = sequence.nextTokenIndex) {
    signal.throwIfAborted()
    const since = performance.now()
    await sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(at, Math.min(at + piece, most)))
    const took = performance.now() - since
    piece = Math.round(Math.min(Math.max(piece * PIECE_MS / took, 16), 2048))
    if (took > PIECE_MS / 2) onPercent(Math.floor(100 * sequence.nextTokenIndex / most))
  }
  signal.throwIfAborted()
  return tokens.slice(most)
}
