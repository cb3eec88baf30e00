import { randomInt } from 'node:crypto'
import type { LlamaContextSequence, LlamaModel, SequenceEvaluateOptions } from 'node-llama-cpp'
import type { FinishReason, ToolCallEvent } from '../../../../agents/types.js'
import type { ChatOrder, Outcome } from '../messages.js'
import { Reasoning } from '../../reasoning.js'
import { type Draft, tokensAfter, writeCalls } from './calls.js'
import type { Constraints } from './constraints.js'
import type { Prompt } from './prompt.js'
import { StopTexts } from './stop-texts.js'
import type { Vocabulary } from './vocabulary.js'

export type ReplyEvent =
  | { type: 'fragment' | 'reasoning', text: string }
  | { type: 'reading', percent: number }
  | { type: 'tool_call', call: Omit<ToolCallEvent, 'type'> }

export interface Place { sequence: LlamaContextSequence, model: LlamaModel, vocabulary: Vocabulary }

// The defaults of llama.cpp's own server.
const TOP_K = 40
const MIN_P = 0.05

/**
 * Writes one reply. The library's own completion is not used: it silently cuts prompts that are too long, penalises repetition,
 * which programs need, and adds a second beginning-of-text token to prompts that have one.
 */
export async function write (
  { sequence, model, vocabulary }: Place, prompt: Prompt, order: ChatOrder, { whole, calls }: Constraints, signal: AbortSignal,
  send: (event: ReplyEvent) => void
): Promise<Outcome> {
  const { stop = [], max_tokens = Infinity } = order
  const settings = samplingOf(order)
  const draft: Draft = { sequence, vocabulary, prompt: prompt.tokens, written: [], most: max_tokens, settings, signal }
  const reasoning = new Reasoning(prompt.isReasoning)
  const marks = new StopTexts(calls ? [calls.marker] : [])
  const stops = new StopTexts([...prompt.stops, ...stop])
  const show = (type: 'fragment' | 'reasoning', text: string) => {
    const shown = type === 'fragment' ? stops.take(marks.take(text)) : text
    if (shown !== '') send({ type, text: shown })
  }

  let said = ''
  const ends: number[] = [] // the length of the text after each token
  let reasoned = 0
  const say = (text: string) => {
    said += text
    if (text !== '') for (const part of reasoning.take(text)) show(part.type, part.text)
  }
  const reader = vocabulary.reader({ special: calls !== undefined })
  const isCallDue = () => calls?.isDue === true && !reasoning.isOpen
  if (!isCallDue()) {
    const grammar = whole && { grammarEvaluationState: () => reasoning.isOpen ? undefined : whole }
    for await (const token of tokensAfter(draft, grammar, percent => send({ type: 'reading', percent }))) {
      say(reader.take(token))
      if (calls) ends.push(said.length)
      if (reasoning.isOpen) reasoned++
      if (stops.isReached || marks.isReached || isCallDue()) break
    }
  }
  const isFull = () => draft.written.length >= max_tokens
  const done = (finish: FinishReason): Outcome =>
    ({ type: 'done', prompt: prompt.tokens.length, completion: draft.written.length, reasoning: reasoned, finish })
  if (calls && !stops.isReached && (marks.isReached || (calls.isDue && !isFull()))) {
    if (marks.isReached) rewind(draft, model, said, ends, said.lastIndexOf(calls.marker))
    else if (!reasoning.isOpen) for (const { type, text } of reasoning.end()) show(type, text)
    return done(await writeCalls(draft, calls, call => send({ type: 'tool_call', call })) ? 'tool_calls' : 'length')
  }
  say(reader.end())
  for (const { type, text } of reasoning.end()) show(type, text)
  const held = stops.take(marks.end()) + stops.end()
  if (held !== '') send({ type: 'fragment', text: held })
  return done(isFull() && !stops.isReached ? 'length' : 'stop')
}

function samplingOf ({ temperature, top_p, seed }: ChatOrder): SequenceEvaluateOptions {
  if (temperature === 0) return { temperature }
  const known = seed === undefined ? randomInt(2 ** 32) : seed >>> 0
  return { temperature, topP: Math.max(top_p, 1e-6), topK: TOP_K, minP: MIN_P, seed: known }
}

/** Takes back what was written after a place in the text. A token may reach over that place: its first part is written again. */
function rewind ({ written }: Draft, model: LlamaModel, said: string, ends: readonly number[], at: number): void {
  const kept = ends.findLastIndex(end => end <= at) + 1
  written.length = kept
  written.push(...model.tokenize(said.slice(ends[kept - 1] ?? 0, at)))
}
