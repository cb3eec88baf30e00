import { clauses, isMeant } from './language.js'
import { KINDS, PARTS_OF, WHOLE } from './words.js'

// Who wants a whole application says so early; the rest of a long message is matter.
const MOST = 3000

/** The frameworks that a text names as wanted, as the kinds of project that go with them. The order is that of KINDS. */
export function kindsNamed (text: string): string[] {
  const prose = clauses(text.slice(0, MOST))
  return KINDS.filter(([, words]) => prose.some(clause => isMeant(clause, words))).map(([kind]) => kind)
}

const MAKES = /\b(?:write|create|make|build|implement|generate|develop|code|program|design|bootstrap|start|set up|setup|give me|i need|i want|we need|show me|schreib\w*|erstell\w*|bau\w*|entwickl\w*|entwirf|ich brauche|crea|crear|construye|desarrolla|haz|necesito|crée\w*|créer|construis|développe\w*|fais|j'ai besoin d[e'’]?)\s*/i
const ENDS = /[.,;:!?()\n]|\s[-–—]\s|\b(?:with|that|which|for|where|to|using|via|and|or|in|on|from|by|called|named|so|as|whose|when|mit|für|die|das|der|zum|zur|und|namens|auf|con|para|que|de|en|y|llamad[ao]|avec|pour|qui|dans|et|appelée?)\b/i
const EXISTING = /^(?:my|our|this|that|these|the existing|an existing|existing|mein\w*|unser\w*|mi|nuestr[oa]|mon|ma|notre)\b/i
const ONE_FILE = /\b(?:single|one|1)[- ]file\b|\b(?:in|as) (?:a |one |just one )?(?:single )?(?:file|script)\b|\bhello[- ,]*world\b|\b(?:snippet|minimal example)\b|\bin einer (?:einzigen )?datei\b|\ben un solo archivo\b|\bdans un seul fichier\b/i

/**
 * "A FastAPI service with two endpoints" is a project, "a FastAPI endpoint that ..." one file: a framework is named, and
 * what is to be made of it, the head of what follows the verb, is a whole that runs by itself. Whoever wants it in one file says so.
 */
export function wholeOfFramework (prose: string): 'project' | 'code' | undefined {
  const kinds = kindsNamed(prose)
  if (kinds.length === 0 || !clauses(prose.slice(0, MOST)).some(clause => isWhole(head(clause), kinds))) return undefined
  return ONE_FILE.test(prose) ? 'code' : 'project'
}

/** The words that say what is to be made: "a small Express API" of "please build a small Express API with users". */
function head (clause: string): string {
  const verb = MAKES.exec(clause)
  const after = (verb ? clause.slice(verb.index + verb[0].length) : clause.trimStart()).replace(/^(?:me|us|mir|uns|-?moi|nous)\s+/i, '')
  if (verb === null && !/^(?:an?|the|ein\w*|una?|une?)\s/i.test(after)) return ''
  const plain = after.slice(0, 300).replace(/\b(front|back)-end\b/gi, '$1end').replace(/\bcommand[- ]line (?:tool|app\w*|program)\b/gi, 'cli').replace(/\.js\b/gi, 'js').replace(/\bd[e'’]\s?/i, '')
  const end = ENDS.exec(plain)
  return end ? plain.slice(0, end.index) : plain
}

function isWhole (phrase: string, kinds: readonly string[]): boolean {
  if (phrase === '' || EXISTING.test(phrase)) return false
  // "une application Flask" says last what "a Flask application" says first.
  const names = new Set(KINDS.flatMap(([, words]) => words).map(word => word.replace(/\W/g, '')))
  const words = phrase.toLowerCase().split(/[^\p{L}\d]+/u).filter(word => word !== '' && !names.has(word))
  const last = words.at(-1) ?? ''
  return WHOLE.includes(last) && !kinds.some(kind => PARTS_OF[kind]?.includes(last))
}
