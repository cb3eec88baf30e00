// Programs that only look like programs.
import type { Language } from '../../types.js'
import { statementsOf } from './statements.js'

const ELIDED = /^\s*(?:#|\/\/|\/\*|<!--|\{\/\*)\s*(?:\.{3}|…)?\s*(?:\.{3}|…|(?:the )?rest of (?:the|your|this)\b.*|(?:existing|previous|other|remaining|same|original) (?:code|implementation|methods?|functions?|logic)\b.*|(?:code|implementation|everything else) (?:remains|stays|is) (?:the )?(?:same|unchanged)\b.*|unchanged\b.*|omitted for brevity.*|(?:your|actual) (?:code|logic|implementation) (?:goes )?here.*)/im

/** Parts are left out: `# ... rest of the code stays the same`. */
export function isElided (source: string): boolean {
  return ELIDED.test(source)
}

const EMPTY: Record<Language, RegExp> = {
  python: /^(?:pass|\.\.\.|raise NotImplementedError(?:\(.*\))?|return(?: None| NotImplemented)?)$/,
  typescript: /^(?:throw new (?:Error|TypeError)\(\s*['"`](?:not (?:yet )?implemented|todo|unimplemented)[^)]*\)|return(?: undefined| null)?|null|undefined)$/i
}

/** The function or class that was asked for has no body: `pass`, TODO, "not implemented". */
export function isStub (source: string, language: Language, entry: string | undefined): boolean {
  const statements = statementsOf(source, language).filter(({ kind }) => kind === 'definition' || kind === 'binding')
  const main = entry === undefined ? statements : statements.filter(({ names }) => names.includes(entry))
  const bodies = main.map(({ text }) => language === 'python' ? pythonBody(text) : typescriptBody(text)).filter(body => body !== undefined)
  return bodies.length > 0 && bodies.every(lines => lines.every(line => EMPTY[language].test(line)) && (lines.length === 0 || /todo|implement|pass|\.\.\.|throw|raise/i.test(source)))
}

/** The statements of a function; undefined for what has none. */
function pythonBody (text: string): string[] | undefined {
  if (!/^\s*(?:@[^\n]*\n)*\s*(?:async )?def /.test(text)) return undefined
  const body = text.replace(/^[\s\S]*?\)\s*(?:->[^\n]*?)?:[ \t]*(?:#[^\n]*)?(?=\n|\S)/, '').replace(/^\s*(?:"""[\s\S]*?"""|'''[\s\S]*?''')/, '')
  return body.split('\n').map(line => line.replace(/#.*$/, '').trim()).filter(line => line !== '')
}

function typescriptBody (text: string): string[] | undefined {
  const plain = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/[^\n]*/g, '')
  if (!/\bfunction\b|=>/.test(plain)) return undefined
  const body = /=>(?!\s*\{)([\s\S]*)$/.exec(plain)?.[1] ?? /\{([\s\S]*)\}[;\s]*$/.exec(plain.slice(bodyStart(plain)))?.[1]
  return body?.split(/[;\n]/).map(line => line.trim()).filter(line => line !== '')
}

/** Where the last bracket pair at the outer level opens: the body, after types that hold braces, too. */
function bodyStart (text: string): number {
  let depth = 0
  let start = 0
  for (const match of text.matchAll(/[{}]/g)) {
    if (match[0] === '{' && depth++ === 0) start = match.index
    else if (match[0] === '}') depth--
  }
  return start
}

/** Brackets and texts that were never closed: the reply ended in the middle. */
export function isUnfinished (source: string, language: Language): boolean {
  let depth = 0
  const quotes = language === 'python' ? /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|#[^\n]*|[[({]|[\])}]|"""|'''/g : /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|[[({]|[\])}]|`/g
  for (const [token] of source.matchAll(quotes)) {
    if (/^[[({]$/.test(token)) depth++
    else if (/^[\])}]$/.test(token)) depth--
    else if (token === '"""' || token === "'''" || token === '`') return true
  }
  if (depth > 0) return true
  const last = source.trimEnd().split('\n').at(-1)?.trim() ?? ''
  return language === 'python' ? /[:,\\=+*/(-]$/.test(last) : /[,=+*/(&|?:-]$/.test(last)
}
