// Decides the mode of a request, by clear signs only. In doubt it is `answer`.
import type { AgentRequest } from '../types.js'
import { hasWord, withoutFences } from './languages/requested-language.js'
import { BACKGROUND, FORMAT, PROJECT, RELAY, type Sign } from './signs.js'
import type { Conversation } from './conversation.js'

export type Mode = 'background' | 'relay' | 'format' | 'project' | 'answer'

const TITLE_TOKENS = 24
const MOST_READ = 32_000

/** Whether a request is a background call, which a front-end makes in addition to the conversation: a title, tags, follow-ups. */
export function isBackground ({ messages, max_tokens: maxTokens }: Pick<AgentRequest, 'messages' | 'max_tokens'>): boolean {
  if (maxTokens !== undefined && maxTokens <= TITLE_TOKENS) return true
  const last = messages.findLast(({ role }) => role === 'user')?.content.trimStart().slice(0, 2000).toLowerCase() ?? ''
  return BACKGROUND.some(sign => isThere(sign, last))
}

export function modeOf (request: AgentRequest, conversation: Conversation): Mode {
  if (isBackground(request)) return 'background'
  if (isRelay(request)) return 'relay'
  const prose = withoutFences(conversation.asked.slice(0, MOST_READ)).toLowerCase().trim()
  if (isFormat(prose, conversation)) return 'format'
  return isProject(prose, conversation) ? 'project' : 'answer'
}

/** Whether the caller sends tools or a format of its own, or parses the reply. */
function isRelay ({ messages, tools, tool_choice: choice, response_format: format }: AgentRequest): boolean {
  if (tools !== undefined && tools.length > 0 && choice !== 'none') return true
  if (format !== undefined && format.type !== 'text') return true
  if (messages.at(-1)?.role === 'tool') return true
  const first = messages.find(({ role }) => role === 'user')
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content).join('\n')
  const last = messages.findLast(({ role }) => role === 'user')
  const text = [system, first?.content ?? '', ...(first === last ? [] : [last?.content ?? ''])]
    .map(each => each.slice(0, MOST_READ))
    .join('\n')
    .toLowerCase()
  return RELAY.some(sign => isThere(sign, text))
}

function isThere ({ texts, starts }: Sign, text: string): boolean {
  return texts.some(each => starts ? text.startsWith(each) : text.includes(each))
}

const LONGEST_ORDER = 120

/** Whether a request only asks to format a piece of code: "Format this" and the code. */
function isFormat (prose: string, { codes, messages, asked }: Conversation): boolean {
  const turn = messages.length - 1
  if (prose.length > LONGEST_ORDER || !codes.some(code => code.turn === turn && code.role === 'user') || !asked.includes('\n')) return false
  const words = prose.split(/[^\p{L}]+/u).filter(word => word !== '')
  const start = words.slice(0, 4).join(' ')
  return FORMAT.verbs.some(verb => words.slice(0, 3).some(word => word.startsWith(verb)) || start.startsWith(verb))
    && !words.some(word => OTHER_WORK.has(word))
}

const OTHER_WORK = new Set([
  'and', 'und', 'y', 'et', 'date', 'number', 'string', 'currency', 'function', 'add', 'fix', 'rename', 'explain', 'why', 'test', 'tests',
  'type', 'types', 'output', 'log', 'price', 'text'
])

/** Whether a request asks for a new project: it names a kind of project, after a verb such as "create" in the same sentence. */
function isProject (prose: string, { codes }: Conversation): boolean {
  if (codes.length > 0) return false
  const sentence = prose.slice(0, 400).split(/[.!?\n]/, 1)[0] ?? ''
  const noun = PROJECT.nouns.find(each => hasWord(sentence, each))
  if (noun === undefined) return sentence.startsWith('scaffold ') || sentence.includes(' scaffold ')
  const at = sentence.indexOf(noun)
  const before = sentence.slice(0, at)
  return PROJECT.makers.some(maker => before.includes(maker)) || /^[\p{L}.]{1,20}\s$/u.test(before)
}
