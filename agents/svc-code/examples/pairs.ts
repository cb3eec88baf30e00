// Reads inputs with their outputs, without the name of a function: `"III" -> 3`, and lines labelled Input and Output.
import type { Assertion } from '../languages/profile.js'
import { type Called, example, linesOf } from './called.js'
import { callOf, plain, translated, wholeValue } from './literals.js'
import { callsOf } from './scan.js'
import { ARROWS } from './signs.js'

const INPUT = ['input', 'eingabe', 'entrada', 'entrée', 'in', '输入', '入力', 'ввод', 'wejście', 'ingresso']
const OUTPUT = [
  'output', 'expected output', 'expected', 'ausgabe', 'erwartet', 'salida', 'saída', 'sortie', 'out', 'result', '输出', '出力', 'вывод',
  'wyjście', 'uscita'
]

export function pairExamples (text: string, called: Called): Assertion[] {
  const lines = linesOf(text)
  return [...labelled(lines, called), ...arrows(lines, called)]
}

/** Reads a whole text as arguments: literals, separated by commas, with or without names. */
function argumentsIn (text: string, { profile, name, parameters }: Called): string[] | undefined {
  const [own] = callsOf(text, name)
  const inner = own === undefined ? text : own.source.slice(own.source.indexOf('(') + 1, -1)
  const call = callOf(`f(${inner.trim()})`)
  const args = call?.args.map(arg => translated(arg.type === 'pair' && arg.separator === '=' ? arg.value : arg, profile))
  if (!args || args.length === 0 || !args.every(arg => arg !== undefined)) return undefined
  return parameters === undefined || args.length <= Math.max(parameters.length, 1) ? args : undefined
}

/** The text after a label at the beginning of a line: `Input: nums = [2, 7]`. */
function labelOf (line: string, labels: readonly string[]): string | undefined {
  const text = line.replace(/^[\s>*_#-]+/, '').replace(/^\d{1,3}[.)]\s*/, '').replaceAll('**', '')
  const colon = colonIn(text)
  if (colon < 1 || colon > 30) return undefined
  const label = text.slice(0, colon).toLowerCase().split(/[\d*_`]/, 1)[0]?.trim() ?? ''
  return labels.includes(label) ? plain(text.slice(colon + 1)) : undefined
}

function colonIn (text: string): number {
  const places = [text.indexOf(':'), text.indexOf('：')].filter(at => at >= 0)
  return places.length === 0 ? -1 : Math.min(...places)
}

function labelled (lines: readonly string[], called: Called): Assertion[] {
  return lines.flatMap((line, at) => {
    const input = labelOf(line, INPUT)
    if (input === undefined || input === '') return []
    const next = lines.slice(at + 1, at + 4).find(each => each.trim() !== '') ?? ''
    // Input and output on one line: `input: "a", output: 1`.
    const both = OUTPUT.map(label => new RegExp(`[,;]?\\s(?:and\\s)?${label}\\s?:`, 'i').exec(input)).find(found => found !== null)
    const args = argumentsIn(both ? input.slice(0, both.index) : input, called)
    const wanted = both ? wholeValue(input.slice(both.index + both[0].length), called.profile) : wantedIn(next, called)
    return args && wanted !== undefined ? [example(args, wanted, called)] : []
  })
}

function wantedIn (line: string, { profile }: Called): string | undefined {
  const output = labelOf(line, OUTPUT)
  return output === undefined ? undefined : wholeValue(output, profile)
}

/** Reads lines that consist of arguments, an arrow and a value. */
function arrows (lines: readonly string[], called: Called): Assertion[] {
  return lines.flatMap(line => {
    const text = plain(line.replace(/^[\s>*-]+(?=["'[({\d-])/, ''))
    const sign = ARROWS.filter(each => !['#', '//', '--', '=', ':='].includes(each)).find(each => text.includes(each))
    if (sign === undefined) return []
    const [left = '', right = '', ...more] = text.split(sign)
    if (more.length > 0 || left.includes(`${called.name}(`) || !/^\s*["'[({\d.-]/.test(left)) return []
    const args = argumentsIn(left, called)
    const wanted = wholeValue(right, called.profile)
    return args && wanted !== undefined ? [example(args, wanted, called)] : []
  })
}
