import { encodeGguf } from './gguf.js'
import type { Lesson } from './lesson.js'
import { makeVocabulary } from './vocabulary.js'
import { FEED, LAYERS, MOST_CODES, ROPE_BASE, SIZE, makeWeights } from './weights.js'

export interface ReciterOptions {
  name: string
  lessons: readonly Lesson[]
  /** Texts in prompts that select another recital of the same lesson, by the aspect's name. */
  aspects?: Readonly<Record<string, readonly string[]>>
  /** What the model says to anything else. */
  fallback: string
  /** A text like the prompts to come: the tokenizer is trained with it, so that they take few tokens. */
  corpus?: string
  context?: number
  merges?: number
}

const CHAT_TEMPLATE = '{% for message in messages %}'
  + "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
  + "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"

/**
 * A model file of llama's architecture that recites what it was given. Tokenizer, chat template, attention and sampling are
 * those of any other model; only the weights are computed instead of trained. The same input always gives the same file.
 */
export function makeReciter (
  { name, lessons, aspects = {}, fallback, corpus = '', context = 32768, merges = 600 }: ReciterOptions
): Buffer {
  const codes = lessons.length + Object.keys(aspects).length
  if (codes > MOST_CODES) throw new Error(`a reciter has room for ${MOST_CODES} lessons and aspects`)
  const vocabulary = makeVocabulary({ lessons, aspects, fallback, corpus, merges })
  const { tokens, types, merges: pairs, controls } = vocabulary
  return encodeGguf([
    { key: 'general.architecture', type: 'text', value: 'llama' },
    { key: 'general.name', type: 'text', value: name },
    { key: 'general.file_type', type: 'u32', value: 1 },
    { key: 'llama.context_length', type: 'u32', value: context },
    { key: 'llama.embedding_length', type: 'u32', value: SIZE },
    { key: 'llama.block_count', type: 'u32', value: LAYERS.length },
    { key: 'llama.feed_forward_length', type: 'u32', value: FEED },
    { key: 'llama.attention.head_count', type: 'u32', value: 1 },
    { key: 'llama.attention.head_count_kv', type: 'u32', value: 1 },
    { key: 'llama.attention.layer_norm_rms_epsilon', type: 'f32', value: 1e-6 },
    { key: 'llama.rope.dimension_count', type: 'u32', value: SIZE },
    { key: 'llama.rope.freq_base', type: 'f32', value: ROPE_BASE },
    { key: 'llama.vocab_size', type: 'u32', value: tokens.length },
    { key: 'tokenizer.ggml.model', type: 'text', value: 'gpt2' },
    { key: 'tokenizer.ggml.pre', type: 'text', value: 'gpt-2' },
    { key: 'tokenizer.ggml.tokens', type: 'texts', value: tokens },
    { key: 'tokenizer.ggml.token_type', type: 'i32s', value: types },
    { key: 'tokenizer.ggml.merges', type: 'texts', value: pairs },
    { key: 'tokenizer.ggml.bos_token_id', type: 'u32', value: controls.begin },
    { key: 'tokenizer.ggml.eos_token_id', type: 'u32', value: controls.messageEnd },
    { key: 'tokenizer.ggml.padding_token_id', type: 'u32', value: controls.textEnd },
    { key: 'tokenizer.ggml.add_bos_token', type: 'bool', value: false },
    { key: 'tokenizer.chat_template', type: 'text', value: CHAT_TEMPLATE }
  ], makeWeights(vocabulary))
}
