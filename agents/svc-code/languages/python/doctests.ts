// Reads sessions of Python's interpreter, from docstrings or pasted into a message.
import { literalAt } from '../../examples/literals.js'
import { callsOf } from '../../examples/scan.js'
import type { Assertion } from '../profile.js'

const PROMPT = '>>>'
const MORE = '...'

export function sessionsIn (text: string, names: readonly string[]): Assertion[] {
  const lines = text.split('\n')
  const found: Assertion[] = []
  let setup: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? '').trimStart()
    if (!line.startsWith(PROMPT)) {
      if (line === '' && !(lines[at + 1] ?? '').trimStart().startsWith(PROMPT)) setup = []
      continue
    }
    let source = typed(line)
    while ((lines[at + 1] ?? '').trimStart().startsWith(MORE)) source += `\n${typed((lines[++at] ?? '').trimStart())}`
    const output: string[] = []
    while (at + 1 < lines.length && isOutput(lines[at + 1] ?? '')) output.push((lines[++at] ?? '').trim())
    const example = output.length === 0 ? undefined : exampleOf(source, output, names, setup)
    if (example) found.push(example)
    else if (output.length === 0) setup.push(source)
  }
  return found
}

/** The code that was typed after the prompt. */
function typed (line: string): string {
  return line.slice(PROMPT.length).replace(/^ /, '')
}

function isOutput (line: string): boolean {
  const text = line.trimStart()
  return text !== '' && !['>>>', '"""', "'''", '```'].some(mark => text.startsWith(mark)) && !text.endsWith('"""')
}

function exampleOf (source: string, output: readonly string[], names: readonly string[], setup: readonly string[]): Assertion | undefined {
  const comment = source.search(/\s#/)
  const expression = (comment < 0 ? source : source.slice(0, comment)).trim()
  const calls = (text: string) => names.some(name => !callsOf(text, name).next().done)
  // Earlier lines of the session become the setup, except imports of the program itself.
  const needed = setup.filter(line => !line.startsWith('import doctest')
    && !(line.startsWith('from ') && names.some(name => line.includes(name))))
  if (expression.includes('\n') || !(calls(expression) || needed.some(calls))) return undefined
  const before = needed.length > 0 ? { setup: needed.join('\n') } : {}
  if (output[0]?.startsWith('Traceback ')) {
    const name = /^[A-Za-z_][\w.]*/.exec(output.at(-1) ?? '')?.[0]
    return { ...before, expression, wanted: { type: 'raises', name } }
  }
  const said = output.join('\n')
  const value = literalAt(said, 0)
  const rest = value && said.slice(value.end).trim()
  return value && (rest === '' || rest?.startsWith('#'))
    ? { ...before, expression, wanted: { type: 'value', source: said.slice(0, value.end).trim() } }
    : undefined
}
