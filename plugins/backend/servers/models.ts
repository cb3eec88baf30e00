import { type Json, text } from '../json.js'
import type { Question } from './kind.js'

/** Who owns the models that are listed: most servers name themselves. */
export function ownerOf ({ listed }: Question): string | null {
  return text(listed[0]?.owned_by)
}

/** The entry that was asked for, else the first that can be talked with. */
export function choose (entries: Json[], wanted: string | undefined, key = 'id'): Json | undefined {
  const asked = entries.find(entry => isCalled(text(entry[key]), wanted))
  return asked ?? entries.find(entry => !/embed|rerank|whisper|tts/i.test(text(entry[key]) ?? '')) ?? entries[0]
}

/** Ollama takes `qwen3` for `qwen3:latest`. */
export function isCalled (name: string | null, wanted: string | undefined): boolean {
  return name !== null && wanted !== undefined && (name === wanted || name === `${wanted}:latest`)
}

/** A name as it may be pasted into a shell: it was made up by a stranger. */
export function quoted (name: string | null): string {
  if (name === null) return 'MODEL'
  return /^[\w./:@+-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`
}
