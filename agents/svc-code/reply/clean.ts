// Removes reasoning, marks of chat templates and terminal colours from a reply, while it is being written.

/** The tags that begin reasoning at the beginning of a reply, and those that end it. */
const THOUGHTS: readonly [open: string, close: readonly string[]][] = [
  ...[
    'think', 'thinking', 'thought', 'reasoning', 'reflection', 'scratchpad'
  ].map((name): [string, string[]] => [`<${name}>`, [`</${name}>`]]),
  ['[THINK]', ['[/THINK]']],
  ['<|channel|>analysis', ['<|channel|>final<|message|>', '<|channel|>final']],
  ['<|begin_of_thought|>', ['<|end_of_thought|>']]
]
/** Marks at which a reply ends: after them the model would write the user's part. */
const ENDS = [
  '<|im_end|>', '<|im_start|>', '<|eot_id|>', '<|end|>', '<|endoftext|>', '<|end_of_text|>', '<|start_header_id|>', '<|user|>',
  '<|return|>',
  '<end_of_turn>', '<start_of_turn>', '<｜end▁of▁sentence｜>', '<|eom_id|>'
]
const CLOSES = THOUGHTS.flatMap(([, close]) => close)
const MARKS = [...ENDS, ...CLOSES]
/** Marks that may be around a whole reply. */
const AROUND = ['<s>', '</s>', '[INST]', '[/INST]', '<bos>', '<eos>', '<|assistant|>', 'assistant\n']
// eslint-disable-next-line no-control-regex -- colours of a terminal begin with ESC
const COLOUR = /\u001b\[[\d;]{0,20}[A-Za-z]/g
const INVISIBLE = /[\u200b\u200e\u200f\u2060\ufeff]/g

export interface Cleaned {
  text: string
  /** The model wrote nothing but reasoning. */
  onlyThought: boolean
}

/** Cleans a reply piece by piece. Text that it has returned is never taken back. */
export class Cleaner {
  #state: 'begins' | 'thinks' | 'speaks' | 'over' = 'begins'
  #close: readonly string[] = []
  #rest = ''
  #thought = false
  #said = ''
  #thoughts = ''
  #tail = ''

  /** Takes a piece of the reply, and returns the text that is certainly a part of it. */
  push (piece: string): string {
    this.#rest += piece
    const out = this.#step(false)
    this.#said += out
    return out
  }

  end (): string {
    const out = this.#step(true)
    this.#said += out
    return out
  }

  /** Whether the reply is inside reasoning now. */
  get thinks (): boolean { return this.#state === 'thinks' }

  #step (last: boolean): string {
    if (this.#state === 'begins') this.#begin(last)
    if (this.#state === 'thinks') this.#think(last)
    return this.#state === 'speaks' ? this.#speak(last) : ''
  }

  #begin (last: boolean): void {
    const text = this.#rest = this.#rest.trimStart()
    const open = THOUGHTS.find(([mark]) => text.toLowerCase().startsWith(mark.toLowerCase()))
    if (open) {
      this.#state = 'thinks'
      this.#thought = true
      this.#close = open[1]
      this.#rest = text.slice(open[0].length)
    } else if (last || !isBeginning(text, [...THOUGHTS.map(([mark]) => mark), ...AROUND])) {
      const around = AROUND.find(mark => text.startsWith(mark))
      this.#state = 'speaks'
      this.#rest = around === undefined ? text : text.slice(around.length).trimStart()
    }
  }

  // Only the end of the earlier reasoning is searched again, because it may be long.
  #think (last: boolean): void {
    const text = this.#tail + this.#rest
    const found = this.#close.map(mark => ({ mark, at: text.toLowerCase().indexOf(mark.toLowerCase()) })).find(({ at }) => at >= 0)
    if (found) {
      this.#state = 'begins'
      this.#rest = text.slice(found.at + found.mark.length)
      this.#begin(last)
      return
    }
    if (this.#thoughts.length < MOST_THOUGHT) this.#thoughts += this.#rest
    this.#tail = text.slice(-LONGEST_MARK)
    this.#rest = ''
    if (!last) return
    // Reasoning that was never closed may contain the answer.
    const fence = this.#thoughts.search(/^(?:```|~~~)/m)
    this.#state = 'speaks'
    this.#rest = fence < 0 ? '' : this.#thoughts.slice(fence)
  }

  #speak (last: boolean): string {
    // A carriage return may be the first half of a line break.
    const half = !last && this.#rest.endsWith('\r') ? '\r' : ''
    const raw = this.#rest.slice(0, this.#rest.length - half.length)
    const text = (this.#said === '' ? raw.trimStart() : raw).replace(/\r\n?/g, '\n').replace(COLOUR, '').replace(INVISIBLE, '')
    const end = firstOf(text, ENDS)
    if (end >= 0) {
      this.#state = 'over'
      this.#rest = ''
      return withoutEnd(text.slice(0, end))
    }
    const held = last ? 0 : heldAtEnd(text)
    this.#rest = text.slice(text.length - held) + half
    return last ? withoutEnd(text) : text.slice(0, text.length - held)
  }

  /** The whole reply, after its end. If it has only a closing tag of reasoning, the text before that tag was reasoning. */
  whole (): Cleaned {
    const at = Math.max(...CLOSES.map(mark => this.#said.lastIndexOf(mark)))
    const mark = isSaid(this.#said, at) ? CLOSES.find(each => this.#said.startsWith(each, at)) : undefined
    const text = mark === undefined ? this.#said : this.#said.slice(at + mark.length).trimStart()
    return { text, onlyThought: (this.#thought || mark !== undefined) && text.trim() === '' }
  }
}

// How much reasoning is kept, to search it for an answer.
const MOST_THOUGHT = 256 * 1024
const LONGEST_MARK = 40

export function clean (reply: string): Cleaned {
  const cleaner = new Cleaner()
  cleaner.push(reply)
  cleaner.end()
  return cleaner.whole()
}

/** Whether a text may be the beginning of one of the marks. */
function isBeginning (text: string, marks: readonly string[]): boolean {
  return text === '' || marks.some(mark => mark.length > text.length && mark.toLowerCase().startsWith(text.toLowerCase()))
}

function firstOf (text: string, marks: readonly string[]): number {
  const found = marks.map(mark => text.indexOf(mark)).filter(at => at >= 0)
  return found.length === 0 ? -1 : Math.min(...found)
}

/** How many characters at the end may belong to a mark that is not complete yet. */
function heldAtEnd (text: string): number {
  const bare = text.trimEnd()
  const around = AROUND.find(mark => mark !== 'assistant\n' && bare.endsWith(mark))
  if (around !== undefined && text.length - bare.length < LONGEST_MARK) return text.length - bare.length + around.length
  for (let length = Math.min(text.length, LONGEST_MARK); length > 0; length--) {
    const tail = text.slice(text.length - length)
    if (tail.startsWith('\u001b') && !isLetter(tail.at(-1) ?? '')) return length
    if ([...MARKS, ...AROUND].some(mark => mark.length > length && mark.startsWith(tail))) return length
  }
  return 0
}

/** Whether a mark is a real one: inside code it is only mentioned. */
function isSaid (text: string, at: number): boolean {
  if (at < 0 || text[at - 1] === '`') return false
  return (text.slice(0, at).match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0) % 2 === 0
}

function isLetter (char: string): boolean {
  return char.toLowerCase() !== char.toUpperCase()
}

function withoutEnd (text: string): string {
  const bare = text.trimEnd()
  const mark = AROUND.find(each => bare.endsWith(each) && each !== 'assistant\n')
  return mark === undefined ? text : bare.slice(0, bare.length - mark.length).trimEnd()
}
