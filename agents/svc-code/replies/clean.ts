// What a reply is wrapped in before any code is looked for: reasoning, the tokens of chat templates, terminal colours.

const THINK = '(?:think|thinking|thought|reasoning|reflection|scratchpad)'
const OPEN = new RegExp(`<\\|?${THINK}\\|?>|\\[THINK\\]|<\\|channel\\|>\\s*analysis(?:\\s*<\\|message\\|>)?`, 'gi')
const CLOSE = new RegExp(`</\\|?${THINK}\\|?>|<\\|/?end_?${THINK}\\|>|\\[/THINK\\]|<\\|channel\\|>\\s*final(?:\\s*<\\|message\\|>)?`, 'gi')
// From here on the model speaks for somebody else.
const NEXT_TURN = /<\|im_start\|>\s*(?:user|system)|<\|start_header_id\|>\s*(?:user|system)|<\|user\|>|\n\[INST\]|<start_of_turn>user|\n#+ ?(?:User|Human|Instruction):/
const TOKENS = /<\|[\w/ -]{1,40}\|>|<\/?s>|\[\/?INST\]|<\/?(?:start|end)_of_turn>|<｜[^｜\n]{1,40}｜>|<(?:bos|eos|pad)>/g
// eslint-disable-next-line no-control-regex -- colours of a terminal
const COLOURS = /\u001b\[[\d;]*[A-Za-z]/g

export interface Cleaned {
  text: string
  /** There was reasoning, and nothing after it. */
  onlyThought: boolean
}

export function clean (reply: string): Cleaned {
  const plain = reply.replace(/\r\n?/g, '\n').replace(/^\uFEFF/, '').replace(COLOURS, '').replace(/[\u200b\u200e\u200f\u2060]/g, '')
  const spoken = plain.slice(0, cutAt(plain))
  const { text, thought } = withoutThoughts(spoken)
  const bare = text.replace(TOKENS, '').replace(/^\s*(?:assistant|final)\s*\n/, '').trim()
  return { text: bare, onlyThought: thought && bare === '' }
}

function cutAt (text: string): number {
  const found = text.search(NEXT_TURN)
  return found > 0 ? found : text.length
}

// Tags are lost, doubled and never closed: what comes before the last end is thought, and what follows an open
// beginning is, too.
function withoutThoughts (text: string): { text: string, thought: boolean } {
  const ends = [...text.matchAll(CLOSE)].filter(match => !insideFence(text, match.index))
  const last = ends.at(-1)
  const rest = last ? text.slice(last.index + last[0].length) : text
  const begin = [...rest.matchAll(OPEN)].find(match => !insideFence(rest, match.index))
  if (!begin) return { text: rest, thought: last !== undefined }
  const before = rest.slice(0, begin.index)
  // A thought that never ends may have slid into the answer.
  const slid = before.trim() === '' && last === undefined ? /(?:^|\n)(?=```|~~~)[\s\S]*$/.exec(rest.slice(begin.index))?.[0] : undefined
  return { text: slid ?? before, thought: true }
}

function insideFence (text: string, index: number): boolean {
  return (text.slice(0, index).match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0) % 2 === 1
}
