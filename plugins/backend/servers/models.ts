import { type Json, text } from '../json.js'
import type { Candidate } from './kind.js'

/** The owner of the models in the list. Most servers give their own name. */
export function ownerOf ({ listed }: Candidate): string | null {
  return text(listed[0]?.owned_by)
}

/** The entry with the wanted name, else the first model that can chat. */
export function choose (entries: Json[], wanted: string | undefined, key = 'id'): Json | undefined {
  const asked = entries.find(entry => isCalled(text(entry[key]), wanted))
  return asked ?? entries.find(entry => !/embed|rerank|whisper|tts/i.test(text(entry[key]) ?? '')) ?? entries[0]
}

/** Whether a model has the wanted name. For Ollama, `qwen3` means `qwen3:latest`. */
export function isCalled (name: string | null, wanted: string | undefined): boolean {
  return name !== null && wanted !== undefined && (name === wanted || name === `${wanted}:latest`)
}

/** A model's name, quoted so that it is safe to paste into a shell: it comes from the server. */
export function quoted (name: string | null): string {
  if (name === null) return 'MODEL'
  return /^[\w./:@+-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`
}
