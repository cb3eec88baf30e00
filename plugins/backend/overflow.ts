/** The length of a conversation that was too long, and the size of the context, as far as a server's error states them. */
export interface Overflow { tokens: number | null, context: number | null }

// Error messages from the sources of these servers and from their users' bug reports.
const TEXTS = [
  /exceed_context_size|context_length_exceeded|context_window_exceeded/i,
  /exceeds? the (?:available |model's (?:maximum )?|maximum )?context/i, // llama.cpp, Ollama, SGLang
  /context (?:size|length|window) (?:has been |was |is )?exceeded/i, // llama.cpp and Lemonade in the middle of a reply
  /maximum context length|maximum model length/i, // vLLM
  /longer than the model's context length/i, // SGLang
  /context length of only|tokens to keep from the initial prompt|reached context length/i, // LM Studio
  /prompt (?:is )?too long|exceeds? max(?:imum)? context/i, // Ollama, MLX
  /model requires more context|truncate.{0,200}context length/i
]

const TOKENS = [
  /"n_prompt_tokens":\s*(\d+)/,
  /\((\d+) in the messages/,
  /(?:request|prompt|input)[^.]{0,200}? (?:has|contains at least|is|of)? ?\(?(?:length )?(\d{1,15})(?: input)? tokens/i,
  /requested (\d+) tokens/i,
  /keep the first (\d+) tokens/i,
  /n_keep: (\d+)/,
  /length \(?(\d+)\)? (?:is longer|exceeds)/i,
  /too long: (\d+) tokens/i
]
const CONTEXTS = [
  /"n_ctx":\s*(\d+)/,
  /maximum context length (?:is |of |\()(\d+)/i,
  /context size \((\d+)/i,
  /context length of only (\d+)/i,
  /n_ctx: (\d+)/,
  /maximum model length of (\d+)/i,
  /context length \((\d+)/i,
  /reached context length of (\d+)/i,
  /context window of (\d+)/i
]

// Only the beginning of an error is searched: the reason comes first, and the rest may quote the whole conversation.
const BEGINNING = 16 * 1024

/** Reads an error message; undefined if it is not about the length of the conversation. */
export function readOverflow (refusal: string): Overflow | undefined {
  const text = refusal.slice(0, BEGINNING)
  if (!TEXTS.some(pattern => pattern.test(text))) return undefined
  return { tokens: first(TOKENS, text), context: first(CONTEXTS, text) }
}

function first (patterns: RegExp[], text: string): number | null {
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.[1]
    if (found !== undefined) return Number(found)
  }
  return null
}
