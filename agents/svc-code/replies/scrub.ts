// What has crept into code that was set apart well: line numbers, the signs of a diff, prompts, typographic characters.
import type { Language } from '../../types.js'

export function scrub (source: string, tag: string, language: Language): string {
  return [fromDiff, fromNumbered, fromPrompts, fromEntities, plainCharacters].reduce((text, step) => step(text, tag, language), source).replace(/^\n+|\s+$/g, '')
}

function fromDiff (source: string, tag: string): string {
  const lines = source.split('\n')
  const marked = lines.filter(line => /^(?:[+\- @]|diff |index |\\)/.test(line) || line === '').length
  const plus = lines.filter(line => line.startsWith('+')).length
  if (!(tag === 'diff' || tag === 'patch') && !(plus > 2 && marked === lines.length && lines.some(line => /^@@ |^\+\+\+ /.test(line)))) return source
  return lines.filter(line => !/^(?:\+\+\+ |--- |@@|diff |index |\\ |-)/.test(line)).map(line => line.slice(/^[+ ]/.test(line) ? 1 : 0)).join('\n')
}

function fromNumbered (source: string): string {
  const lines = source.split('\n').filter(line => line.trim() !== '')
  const sign = lines.length === 1 ? /^\s*(\d+)\s*[|│]/ : /^\s*(\d+)(?:\s*[|:│]|\.|\s{2,}|\t)/
  const numbers = lines.map(line => sign.exec(line)?.[1])
  if (numbers.some((number, index) => number === undefined || Number(number) <= (index === 0 ? -1 : Number(numbers[index - 1])))) return source
  return source.split('\n').map(line => line.replace(/^\s*\d+(?:\s*[|:│] ?|\.\s?|\s{2}|\t)/, '')).join('\n')
}

/** A session of an interpreter: what was typed, without what it said. */
function fromPrompts (source: string, _tag: string, language: Language): string {
  const lines = source.split('\n')
  if (language !== 'python' || !/^>>> (?:def|class|import|from|@|async)/m.test(source) || lines[0]?.startsWith('>>>') !== true) return source
  return lines.filter(line => /^(?:>>>|\.\.\.)/.test(line)).map(line => line.slice(4)).join('\n')
}

const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&apos;': "'", '&amp;': '&' }

function fromEntities (source: string): string {
  if (!/&(?:lt|gt);/.test(source) && !/&(?:quot|#39|amp);/.test(source)) return source
  if (/[<>]/.test(source) && /&(?:lt|gt);/.test(source)) return source // a program that escapes HTML itself
  if (/replace(?:All)?\(|escape|html/i.test(source) && !/&(?:lt|gt);/.test(source)) return source
  return source.replace(/&(?:lt|gt|quot|#39|apos|amp);/g, entity => ENTITIES[entity] ?? entity)
}

const QUOTED = /("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|(?:#|\/\/)[^\n]*|\/\*[\s\S]*?\*\/)/

/** Typographic quotes, spaces and operators stand for plain ones, but for where a text or a comment holds them. */
function plainCharacters (source: string): string {
  return source.split(QUOTED).map((part, index) => index % 2 === 1 ? part : part
    .replace(/[“”„‟]/g, '"').replace(/[‘’‚‛]/g, "'").replace(/[\u00a0\u2000-\u200a\u202f\u3000]/g, ' ')
    .replace(/−/g, '-').replace(/（/g, '(').replace(/）/g, ')').replace(/，/g, ',').replace(/：/g, ':')).join('')
}
