import type { AgentEvent, Backend, Files } from '../types.js'
import { writeWorkspace } from './workspace.js'

/** What the reply may take of the caller's max_tokens, cut at a character where it is more. */
export async function * say (text: string, backend: Backend, maxTokens: number): AsyncGenerator<AgentEvent, void> {
  const fits = async (part: string) => await backend.countTokens([{ role: 'assistant', content: part }], maxTokens) <= maxTokens
  // No encoding has more tokens than bytes.
  if (Buffer.byteLength(text) <= maxTokens || await fits(text)) {
    yield text
    return
  }
  let [low, high] = [0, text.length]
  while (high - low > 16) {
    const middle = (low + high) >> 1
    if (await fits(text.slice(0, middle))) low = middle
    else high = middle
  }
  yield text.slice(0, low)
  yield { type: 'finish', reason: 'length' }
}

/** With --workspace the files are written, too, and the reply says where. */
export async function saved (folder: string | undefined, run: string, files: Files): Promise<string[]> {
  if (folder === undefined || Object.keys(files).length === 0) return []
  const { written, refused } = await writeWorkspace(folder, run, files)
  return [
    ...(written.length > 0 ? [`- Written to the workspace, in \`${run}/\`: ${written.map(path => `\`${path}\``).join(', ')}.`] : []),
    ...refused.map(({ path, reason }) => `- Not written: \`${path}\`: ${reason}.`)
  ]
}
