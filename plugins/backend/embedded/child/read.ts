import type { LlamaContextSequence, Token } from 'node-llama-cpp'

// Without a graphics card, a long prompt takes minutes. It is read in pieces of about this many milliseconds, so that an abort
// takes effect in between, and other replies get their turn.
const PIECE_MS = 400

/** Reads all but the last token of a prompt into the sequence, and returns that last token. */
export async function read (
  sequence: LlamaContextSequence, tokens: readonly Token[], signal: AbortSignal, onPercent: (percent: number) => void
): Promise<Token[]> {
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
