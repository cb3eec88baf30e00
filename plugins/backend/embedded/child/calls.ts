import type { LlamaContextSequence, SequenceEvaluateOptions, Token } from 'node-llama-cpp'
import type { ToolCallEvent } from '../../../../agents/types.js'
import type { CallRules } from './constraints.js'
import { read } from './read.js'
import type { Vocabulary } from './vocabulary.js'

/** A reply being written: the prompt, the tokens so far, and how many there may be. */
export interface Draft {
  sequence: LlamaContextSequence
  vocabulary: Vocabulary
  prompt: readonly Token[]
  /** The tokens so far, those that a template forces upon the model included. */
  written: Token[]
  most: number
  settings: SequenceEvaluateOptions
  signal: AbortSignal
}

type Send = (piece: Omit<ToolCallEvent, 'type'>) => void

/** Writes tool calls until the model wants no more. Returns false if there was no room to finish one. */
export async function writeCalls (draft: Draft, rules: CallRules, send: Send): Promise<boolean> {
  for (let index = 0; ; index++) {
    draft.written.push(...rules.opening(index === 0))
    if (!await writeCall(draft, rules, index, send)) return false
    draft.written.push(...rules.closing())
    if (!rules.isParallel || !await wantsAnother(draft, rules)) return true
  }
}

async function writeCall (draft: Draft, { names, middle, grammar }: CallRules, index: number, send: Send): Promise<boolean> {
  const reader = draft.vocabulary.reader({ special: true })
  let head: string | undefined = '' // until the name is known
  const say = (text: string) => {
    if (head === undefined) {
      if (text !== '') send({ index, arguments: text })
      return
    }
    const all = head += text
    const name = names.find(name => all.startsWith(name + middle))
    if (name === undefined) return
    head = undefined
    send({ index, name, arguments: all.slice(name.length + middle.length) })
  }
  // At the end of the grammar, the only token that the model can write is the end token.
  for await (const token of tokensAfter(draft, { grammarEvaluationState: grammar() })) say(reader.take(token))
  say(reader.end())
  return head === undefined && draft.written.length < draft.most
}

// Between two calls a model writes a few tokens at most.
const MOST_BETWEEN = 8

async function wantsAnother (draft: Draft, { again }: CallRules): Promise<boolean> {
  const reader = draft.vocabulary.reader({ special: true })
  const before = draft.written.length
  let text = ''
  let wants = false
  for await (const token of tokensAfter(draft)) {
    text = (text + reader.take(token)).trimStart()
    wants = text.startsWith(again)
    if (wants || !again.startsWith(text) || draft.written.length - before >= MOST_BETWEEN) break
  }
  draft.written.length = before // if they begin a call, the rules write them again; if not, they are not part of the reply
  return wants
}

/** The tokens that the model writes next, until it ends or there is no more room. */
export async function * tokensAfter (
  { sequence, prompt, written, most, settings, signal }: Draft,
  more: SequenceEvaluateOptions = {},
  onPercent: (percent: number) => void = () => {}
): AsyncGenerator<Token> {
  if (written.length >= most) return
  const last = await read(sequence, [...prompt, ...written], signal, onPercent)
  for await (const token of sequence.evaluate(last, { ...settings, ...more })) {
    signal.throwIfAborted()
    written.push(token)
    yield token
    if (written.length >= most) return
  }
}
