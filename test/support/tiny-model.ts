import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Lesson } from '../../plugins/backend/reciter/lesson.js'
import { type ReciterOptions, makeReciter } from '../../plugins/backend/reciter/reciter.js'
import type { Model } from '../../plugins/backend/embedded/embedded-backend.js'

export const PALINDROME = `Compare it with its reverse.

\`\`\`python
def is_palindrome(text: str) -> bool:
    letters = [letter.lower() for letter in text if letter.isalnum()]
    return letters == letters[::-1]
\`\`\``

export const ANSWERS: [[string, string], [string, string]] = [
  ['Say the colours of the rainbow', 'Red, orange, yellow, green, blue, indigo and violet.'],
  ['Count to five', 'One, two, three, four, five: that is all there is to it.']
]

export const ENDLESS = 'Tell me everything'

/** What a tokenizer might tidy up, and must not: a program would be another one. */
export const SPACED = "items\n    .map(x => x)\n    .filter(Boolean) ;  a , b ; c ? d : e ! ; say ' s ' ; it 's ; f( 'm' )"

const LESSONS: readonly Lesson[] = [
  { on: ['is_palindrome'], say: PALINDROME },
  { on: [ANSWERS[0][0]], say: ANSWERS[0][1] },
  { on: [ANSWERS[1][0]], say: ANSWERS[1][1] },
  { on: [ENDLESS], say: { forever: 'and on and on it goes ' } },
  { on: ['Roll a dice'], say: { oneOf: ['one!', 'two!', 'three!', 'four!', 'five!', 'six!'] } },
  { on: ['Think first'], say: '<think>\nHow many are there? Seven.\n</think>\n\nSeven "<think>" tags.' },
  { on: ['With spaces'], say: SPACED },
  { on: ['How is the weather?'], say: 'Let me look.||call: get_weather({"city": "Paris"})' },
  { on: ['12 degrees'], say: 'It is cold in Paris.' },
  { on: ['In other letters'], say: 'Grüße, 世界 👋🏽!' }
]

/** A real model file of half a megabyte that recites, made in the blink of an eye. */
export function tinyModel (options: Partial<ReciterOptions> = {}): Buffer {
  return makeReciter({ name: 'tiny', lessons: LESSONS, fallback: 'I have nothing to recite to that.', corpus: 'lorem ipsum dolor sit amet the word and one two three four five six', merges: 120, ...options })
}

let kept: string | undefined

/** Its path, for all tests of this process. */
export function tinyModelFile (): string {
  if (kept === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'svc-tiny-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    kept = join(folder, 'tiny.gguf')
    writeFileSync(kept, tinyModel())
  }
  return kept
}

/** A model whose file is there. */
export function modelAt (path: string): Model {
  return { kind: 'embedded', name: 'tiny', obtain: async () => path }
}
