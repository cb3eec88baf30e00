import type { AgentRequest, Language, Message } from '../types.js'
import { wholeOfFramework } from './frameworks.js'
import { languageIn } from './language.js'
import { isTest } from './paths.js'
import { type Block, blocksOf } from './replies/blocks.js'
import { unfenced } from './replies/wrappings.js'

/** What is asked for. Where that is in doubt, it is chat: one plain call. */
export type Kind = 'background' | 'chat' | 'code' | 'project' | 'tests' | 'fix' | 'format' | 'plan'

export interface Intent {
  kind: Kind
  /** What the user wants, in the user's words; for a follow-up with what it follows. */
  task: string
  /** Code that the user gave, or that an earlier answer holds where the request is about that. */
  given: Block[]
  /** What the calling application lays down, where it concerns code. */
  rules: string | undefined
}

const TITLE_TOKENS = 24
const MOST_RULES = 2000

/** A call that a front-end makes on its own account: Open WebUI's `### Task:` prompts, the titles of Continue and chat-ui. */
export function isFrontEndTask ({ messages, max_tokens: maxTokens }: AgentRequest): boolean {
  if (maxTokens !== undefined && maxTokens <= TITLE_TOKENS) return true
  const asked = messages.findLast(message => message.role === 'user')?.content.trimStart().slice(0, 2000) ?? ''
  return asked.startsWith('### Task:') || /^(?:(?:please )?(?:generate|create|write|provide|suggest) (?:a |an )?(?:(?:short|concise|brief|descriptive|\d+[- ]words?)[, ]+)*(?:chat |conversation )?title\b|summari[sz]e (?:the|this) (?:conversation|chat) (?:in|into|as))/i.test(asked)
}

// Applications that bring their own tools or reply format parse what comes back: nothing but a plain answer will do.
const FORMAT = /<\/?(?:tool_call|function_calls?|tool_use|execute_command|read_file|write_to_file|apply_diff|replace_in_file|attempt_completion|invoke|antml)|\bSEARCH\/REPLACE\b|<{5,} ?SEARCH|\*\*\* Begin Patch|\byou (?:have|are given) access to (?:a set of |the following )?tools\b|\btool[- ]use\b|\b(?:respond|reply|answer|output) (?:only |exclusively |strictly )*(?:with|in|as) (?:a |valid |raw )*(?:json|xml|yaml|unified diff)\b|\bjson schema\b/i

export function intentOf (request: AgentRequest): Intent {
  const { messages } = request
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content).join('\n\n').trim()
  const turns = messages.filter(({ role }) => role === 'user' || role === 'assistant')
  const asked = turns.findLast(({ role }) => role === 'user')?.content.trim() ?? ''
  const rules = system === '' || system.length > MOST_RULES ? undefined : system
  if (isFrontEndTask(request)) return { kind: 'background', task: asked, given: [], rules: undefined }
  if (FORMAT.test(system) || messages.some(({ role }) => role === 'tool')) return { kind: 'chat', task: asked, given: [], rules }
  const own = codeIn(asked)
  const earlier = own.length > 0 ? [] : earlierCode(turns.slice(0, turns.findLastIndex(({ role }) => role === 'user')))
  const before = turns.slice(0, turns.findLastIndex(({ role }) => role === 'user')).findLast(({ role }) => role === 'user')?.content.trim()
  const first = kindOf(asked, own, earlier)
  // "Do it with Fastify instead" asks for what was asked for before.
  const kind = first === 'chat' && own.length === 0 && before !== undefined && isFollowUp(asked) && !QUESTION.test(asked) ? kindOf(before, codeIn(before), []) : first
  const follows = own.length === 0 && before !== undefined && kind !== 'chat' && isFollowUp(asked)
  const given = own.length > 0 ? own : follows || (kind !== 'code' && kind !== 'project') ? earlier : []
  const task = follows ? withEarlier(asked, turns) : asked
  if ((kind === 'code' || kind === 'fix') && isProject(given)) return { kind: 'project', task, given, rules }
  return { kind, task, given: kind === 'project' && isProject(given) ? given : given.filter(({ path }) => own.length > 0 || path === undefined || !isTest(path)), rules }
}

const MAKE = '(?:write|create|make|build|implement|complete|finish|generate|develop|code|program|add|extend|refactor|rewrite|convert|translate|port|turn|change|modify|rename|optimi[sz]e|simplify|improve|return|compute|calculate|count|sum|find|flatten|sort|merge|parse|check|validate|reverse|remove|filter|group|express|define|design and implement|read|load|fetch|send|list|print|display|map|transform|encode|decode|draw|plot|simulate|solve|detect|extract|split|join|match|search|download|upload|schedule|encrypt|hash|delete|insert|do it (?:with|in|using)|train|collect|use|scaffold|set up|setup|give me|i need|i want|need|show me (?:a|an|the|some) (?:code|function|class|script|implementation)|schreib\\w*|erstell\\w*|bau\\w*|implementier\\w*|programmier\\w*|mach\\w*|füge|ergänz\\w*|berechne\\w*|gib mir|ich brauche|escrib[ea]\\w*|crea\\w*|haz|implementa\\w*|construye|genera\\w*|necesito|calcula\\w*|écri[st]?\\w*|crée\\w*|créer|fais|implémente\\w*|génère\\w*|construis|calcule\\w*|j\'ai besoin)'
const MAKES = new RegExp(`(?:^|[.!?\\n:,;]\\s*|\\b(?:please|can you|could you|would you|help me|let's|now|then|and|also|actually|just|bitte|kannst du|könntest du|puedes|podrías|por favor|peux-tu|pouvez-vous|s'il te plaît)\\s+(?:to\\s+|do it\\s+|just\\s+|please\\s+)?)${MAKE}(?![\\w-])`, 'i')
const QUESTION = /^(?:what|why|how(?! about adding)|when|where|which|who|is|are|does|do(?! it\b)|did|should|explain|describe|compare|tell me|what's|difference|was|warum|wie|wieso|welche|erklär\w*|beschreib\w*|qué|por qué|cómo|cuál|explica\w*|¿|pourquoi|comment|quel\w*|qu'est-ce|explique\w*|est-ce)\b/i
const PROJECT = /\b(?:scaffold\w*|boilerplate|skeleton|monorepo|(?:whole|entire|complete|full|new|small|little|simple|multi-file|python|typescript|node|node\.js) (?:\w+ ){0,2}(?:project|package|library|application|app)|(?:react|vue|next\.js|fastapi|flask|django|express|fastify|nestjs) (?:\w+ ){0,2}(?:project|package|library)|project (?:structure|layout|skeleton)|full-?stack|projekt\w*|paket|bibliothek|proyecto|paquete|biblioteca|projet|bibliothèque)\b/i
const PLAN = /\b(?:architect\w*|system design|design doc\w*|high[- ]level design|implementation plan|road ?map|architektur|plane?|arquitectura|planifica\w*|planifie\w*)\b/i
const WANTS_PLAN = /\bhow (?:would|should) (?:you|i|we) (?:structure|design|architect|organi[sz]e)|\b(?:make|give|write|draft|outline|create) (?:me )?(?:an? |the )?(?:\w+ )?plan\b|\bwhich files\b|\bplan (?:the|a|an|out|how)\b/i
const NO_CODE = /\b(?:no code|without code|don't write (?:any )?code|do not write (?:any )?code|(?:just|only) (?:the |a )?(?:plan|design|architecture|outline)|kein\w* code|nur (?:der|den|ein\w*) plan|sin código|sans code)\b/i
const TESTS = /\b(?:(?:unit[- ]?)?tests?|test[- ]?(?:cases?|suite)|test coverage|pytest|unittest|vitest|jest|testfälle|pruebas?|casos de prueba|cas de test)\b/i
const FIX = /\b(?:fix\w*|bugs?|debug\w*|broken|fails?|failing|failed|crash\w*|error|errors|exception|traceback|wrong (?:result|output|answer)|doesn'?t work|does not work|not working|isn'?t working|repair\w*|correct (?:this|the|my|it)|what'?s wrong|repari\w*|behebe\w*|fehler\w*|korrigier\w*|funktioniert nicht|arregla\w*|corrig\w*|no funciona|falla|répare\w*|ne (?:marche|fonctionne) pas|erreur)\b/i
const FORMATS = /\b(?:(?:re)?format(?:s|ted|ting|ter)?|lint\w*|pretti(?:er|fy)|pep ?-?8|black|formatier\w*|formatea\w*|formate[rz]?)\b/i
const THINGS = /\b(?:function|method|class|module|script|component|hook|endpoint|decorator|middleware|regex|algorithm|program|generator|iterator|cache|parser|api|cli|bot|query|tool|page|form|service|controller|model|schema|handler|route|view|plugin|worker|test|endpunkt|funktion|klasse|skript|programm|función|clase|función|programa|fonction|classe|programme|composant)\b/i

function kindOf (asked: string, own: readonly Block[], earlier: readonly Block[]): Kind {
  const prose = own.reduce((text, { source }) => text.replace(source, '\n'), asked.replace(/(```|~~~)[\s\S]*?(?:\1|$)/g, '\n').slice(0, 20_000)).trim()
  const there = own.length > 0 || earlier.length > 0
  const makes = MAKES.test(prose)
  if (WANTS_PLAN.test(prose) || (PLAN.test(prose) && (NO_CODE.test(prose) || !makes))) return 'plan'
  if (NO_CODE.test(prose)) return 'chat'
  if (there && FORMATS.test(prose) && prose.length < 400 && !/\bformat\w*\s+(?:a|an|the)\s+(?:date|number|string|currency|price|time|phone)/i.test(prose) && own.length > 0) return 'format'
  if (QUESTION.test(prose) && !makes && !(FIX.test(prose) && own.length > 0)) return 'chat'
  if (own.length > 0 && isWholeCode(own) && TESTS.test(prose) && !FIX.test(prose) && /\b(?:write|add|create|generate|need|give|more|cover|schreib\w*|erstell\w*|ergänz\w*|escrib\w*|crea\w*|écri\w*|génère\w*|ajoute\w*)\b|\btests? (?:for|this)\b/i.test(prose)) return 'tests'
  if (earlier.length > 0 && /^(?:(?:now|please|and|also|then|jetzt|bitte|ahora|maintenant) )*(?:write|add|create|generate|give me|schreib\w*|escribe|écris|ajoute) (?:\w+ ){0,3}(?:unit[- ]?)?(?:tests?|test cases|pruebas|testfälle)\b/i.test(prose)) return 'tests'
  if ((own.length > 0 && isWholeCode(own) && FIX.test(prose)) || (earlier.length > 0 && FIX.test(prose) && !makes) || (own.some(({ source }) => /Traceback|Error:/.test(source)) && there && FIX.test(prose))) return 'fix'
  const whole = own.length === 0 ? wholeOfFramework(prose) : undefined
  if (whole !== undefined) return whole
  const project = PROJECT.exec(prose)
  if (project && (makes || /scaffold/i.test(project[0])) && !/\b(?:function|class|hook|middleware|component|module)\b/i.test(prose.slice(0, project.index))) return 'project'
  if (makes || own.some(({ source }) => isStub(source)) || (earlier.length > 0 && isFollowUp(asked))) return 'code'
  if (!asked.endsWith('?') && (THINGS.test(prose) || /\b(?:given|returns?|compute|implement)\b/i.test(prose) || isStub(asked))) return 'code'
  return 'chat'
}

/** A signature with a docstring or a comment, to be completed. */
function isStub (text: string): boolean {
  return /^[ \t]*(?:async )?def \w+\([\s\S]*?\)[^\n]*:\s*(?:\n\s*(?:"""[\s\S]*?"""|'''[\s\S]*?''')\s*)?(?:pass|\.\.\.)?\s*(?![\s\S])/m.test(text) || /^(?:export )?(?:async )?function [\w$]+\s*\([^)]*\)[^{\n]*$/m.test(text)
}

/** Code that does something already, rather than a signature to be completed. */
function isWholeCode (blocks: readonly Block[]): boolean {
  return blocks.some(({ source }) => !isStub(source) && source.trim().split('\n').length > 0 && /[=(]/.test(source))
}

function codeIn (text: string): Block[] {
  const fenced = blocksOf(text).filter(({ tag }) => !/^(?:text|txt|output|console|bash|sh|shell)$/.test(tag))
  if (fenced.length > 0) return fenced
  const isPython = /^[ \t]*(?:(?:async )?def \w+\(|from [\w.]+ import |class \w+.*:\s*$)/m.test(text)
  return unfenced(text, isPython ? 'python' : 'typescript').filter(({ source }) => source.includes('\n') || /[({]/.test(source))
}

/** The code of the latest answer that holds some, else of the user's latest message that does. */
function earlierCode (turns: readonly Message[]): Block[] {
  for (const role of ['assistant', 'user'] as const) {
    const found = turns.filter(turn => turn.role === role).map(({ content }) => codeIn(content)).findLast(blocks => blocks.some(({ path }) => path === undefined || !isTest(path)))
    if (found) return found
  }
  return []
}

/** Several programs, each with its place: what is asked of them concerns them together. */
function isProject (blocks: readonly Block[]): boolean {
  return new Set(blocks.flatMap(({ path }) => path !== undefined && !isTest(path) && /\.(?:py|[mc]?tsx?|vue)$/.test(path) ? [path] : [])).size > 1
}

const FOLLOWS = /^(?:(?:ok(?:ay)?|great|thanks?(?: you)?|nice|good|perfect|and|now|also|but|then|actually|please|can you|could you|gut|danke|jetzt|und|bitte|ahora|gracias|y|maintenant|merci|et)[,!. ]+)*(?:(?:make|turn|convert|translate|rename|rewrite|refactor|change|update|extend|improve|optimi[sz]e|simplify|add|remove|use|do|handle|support|replace|split|type|document|fix|it\b|this\b|that\b|same\b|in (?:typescript|python)\b|with\b|without\b|mit\b|ohne\b|con\b|sin\b|avec\b|sans\b|mach\b|füge\b|ändere\b|nutze\b|hazlo\b|añade\b|cambia\b|fais\b|ajoute\b|change\b)|.{0,80}\b(?:it|this|that|them|the (?:function|class|code|method|script|module|file)|instead|es|das|die funktion|lo|la función|le|la fonction|stattdessen|en su lugar)\b)/i

function isFollowUp (asked: string): boolean {
  const prose = asked.replace(/(```|~~~)[\s\S]*?(?:\1|$)/g, '\n').trim()
  return prose.length < 600 && FOLLOWS.test(prose)
}

/** "Now add types" means little without what came before. */
function withEarlier (asked: string, turns: readonly Message[]): string {
  const before = turns.filter(({ role }) => role === 'user').slice(0, -1).map(({ content }) => content.trim()).slice(-3)
  return [...before, asked].join('\n\nThen the user asked:\n')
}

/** The side that a given block is on, where it tells. */
export function sideOf (block: Block): Language | undefined {
  const found = languageIn(`${block.path ?? ''}\n\`\`\`${block.tag}\n${block.source}\n\`\`\`\n${block.source}`)
  return found.type === 'known' ? found.languages[0] : undefined
}
