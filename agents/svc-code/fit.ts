import type { Backend } from '../types.js'

// A call also holds the program, the instructions and the reply.
const WORKING_TOKENS = 12_000

/** A task with its earlier turns, the oldest left out where they are too much for small calls. */
export async function fitted (task: string, backend: Backend): Promise<{ task: string, left: string[] }> {
  const turns = task.split('\n\nThen the user asked:\n')
  let kept = turns
  while (kept.length > 1 && await tooLong(kept.join('\n\n'), backend)) kept = kept.slice(1)
  const dropped = turns.length - kept.length
  return {
    task: kept.join('\n\nThen the user asked:\n'),
    left: dropped === 0 ? [] : [`(Earlier turns no longer fit: the oldest ${dropped === 1 ? 'one is' : `${dropped} are`} left out.)`]
  }
}

async function tooLong (text: string, backend: Backend): Promise<boolean> {
  return Buffer.byteLength(text) > WORKING_TOKENS && await backend.countTokens([{ role: 'user', content: text }], WORKING_TOKENS) > WORKING_TOKENS
}
