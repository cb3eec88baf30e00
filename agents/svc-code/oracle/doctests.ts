// Sessions of Python's interpreter, in docstrings or pasted.
import type { Example } from '../oracle.js'
import { valueAt } from './literal.js'

export function doctestsIn (text: string, entry: string): Example[] {
  const lines = text.split('\n')
  const examples: Example[] = []
  let setup: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const prompt = /^(\s*)>>> ?(.*)$/.exec(lines[at] ?? '')
    if (!prompt) {
      if ((lines[at] ?? '').trim() === '' && !/^\s*>>>/.test(lines[at + 1] ?? '')) setup = []
      continue
    }
    let source = prompt[2] ?? ''
    while (/^\s*\.\.\. ?/.test(lines[at + 1] ?? '')) source += `\n${(lines[++at] ?? '').replace(/^\s*\.\.\. ?/, '')}`
    const output: string[] = []
    while (at + 1 < lines.length && isOutput(lines[at + 1] ?? '')) output.push((lines[++at] ?? '').trim())
    const example = output.length === 0 ? undefined : exampleOf(source, output.join('\n'), entry, setup)
    if (example) examples.push(example)
    else if (output.length === 0) setup.push(source)
  }
  return examples
}

function isOutput (line: string): boolean {
  return line.trim() !== '' && !/^\s*>>>|"""|'''|^\s*```/.test(line)
}

function exampleOf (source: string, output: string, entry: string, setup: readonly string[]): Example | undefined {
  const expression = (source.split(/\s+#/, 1)[0] ?? '').trim()
  // What earlier lines of the session made is needed only where the expression uses it.
  const needed = setup.filter(line => !line.startsWith('import doctest') && !new RegExp(`^from \\S+ import .*\\b${entry}\\b`).test(line))
  const about = `${needed.join('\n')}\n${expression}`
  if (!new RegExp(`(?<![\\w.])${entry}\\s*\\(`).test(about) || expression.includes('\n')) return undefined
  const before = needed.length > 0 ? { setup: needed.join('\n') } : {}
  const error = /^Traceback \(most recent call last\)[\s\S]*?\n?([A-Z]\w*(?:\.\w+)*(?:Error|Exception|Warning|Exit|Interrupt|Iteration)?)\b(?:: .*)?$/.exec(output)?.[1]
  if (error !== undefined) return { ...before, expression, wanted: { type: 'raises', name: error } }
  const value = valueAt(output, 'python')
  return value && /^\s*(?:#.*)?$/.test(value.rest) ? { ...before, expression, wanted: { type: 'value', source: value.source } } : undefined
}
