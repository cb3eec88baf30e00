// Reads the expected output of a program that is started: two blocks, input and output, with a line between them that says so.
import type { RunExample } from '../draft/candidate.js'

const SHOWS = ['should print', 'should output', 'must print', 'prints', 'gives', 'output', 'expected output', 'expected', 'should give',
  'should produce', 'i expect', 'becomes', 'result',
  'soll ausgeben', 'ausgabe', 'erwartete ausgabe', 'ergibt', 'gibt aus', 'debe imprimir', 'salida', 'imprime', 'resultado', 'doit afficher',
  'sortie', 'affiche', 'résultat',
  'deve stampare', 'uscita', 'deve imprimir', 'saída', '输出', '应该输出', '出力', 'powinno wypisać', 'должно вывести']
const INPUTS = [
  'input', 'example input', 'sample input', 'stdin', 'eingabe', 'beispiel', 'example', 'entrada', 'ejemplo', 'entrée', 'exemple', 'esempio',
  'exemplo', '输入', '例', 'przykład', 'for example', 'e.g.', 'with input', 'with this input', 'given'
]
const MOST = 6
const LONGEST_LEAD = 80

interface Block { text: string, lead: string }

export function runExamples (text: string): RunExample[] {
  const blocks = blocksOf(text)
  const found: RunExample[] = []
  for (let at = 0; at + 1 < blocks.length && found.length < MOST; at++) {
    const [input, output] = [blocks[at], blocks[at + 1]]
    if (!input || !output || !says(output.lead, SHOWS) || !says(input.lead, INPUTS)) continue
    found.push({ args: [], stdin: `${input.text}\n`, stdout: output.text })
    at++
  }
  return found
}

/** Whether a lead (the line before a block) ends with one of the words: "Example:", "should print". */
function says (lead: string, words: readonly string[]): boolean {
  const text = lead.toLowerCase().replace(/[^\p{L}.]+/gu, ' ').trim()
  return text.length <= LONGEST_LEAD && words.some(word => text === word || text.endsWith(` ${word}`) || text.startsWith(`${word} `))
}

/** The blocks of a text: fences, and paragraphs of data, each with the line before it (its lead). */
function blocksOf (text: string): Block[] {
  const blocks: Block[] = []
  let lead = ''
  let fence: string[] | undefined
  let paragraph: string[] = []
  const end = () => {
    if (paragraph.length === 0) return
    const last = paragraph.at(-1) ?? ''
    // The last line of a paragraph of text is the lead of the next block.
    if (isData(paragraph)) blocks.push({ text: paragraph.join('\n'), lead })
    lead = isData(paragraph) ? '' : last.slice(-LONGEST_LEAD).split(/[.!?]\s/).at(-1) ?? ''
    paragraph = []
  }
  for (const line of text.split('\n')) {
    if (line.trimStart().startsWith('```')) {
      if (fence) blocks.push({ text: fence.join('\n'), lead })
      else end()
      if (fence) lead = ''
      fence = fence ? undefined : []
    } else if (fence) fence.push(line)
    else if (line.trim() === '') end()
    else if (paragraph.length === 0 || isLead(paragraph.at(-1) ?? '') === false) paragraph.push(line)
    else {
      end()
      paragraph.push(line)
    }
  }
  end()
  return blocks
}

function isLead (line: string): boolean {
  return line.trimEnd().endsWith(':') && says(line, [...SHOWS, ...INPUTS])
}

/** Whether lines are data rather than text: none of them is a lead or looks like a sentence. */
function isData (lines: readonly string[]): boolean {
  return lines.every(line => !isLead(line)) && !(lines.length === 1 && (says(lines[0] ?? '', SHOWS) || says(lines[0] ?? '', INPUTS)))
    && !lines.some(line => /[a-z]{2}[.!?]$/.test(line.trim()) || line.trim().split(/\s+/).length > 14)
}
