// What the model is told. Small models follow short, plain orders: whole files in plain fences, one thing at a time.
import type { Language, Message } from '../types.js'

export const NAMES: Record<Language, string> = { python: 'Python', typescript: 'TypeScript' }
const TAGS: Record<Language, string> = { python: 'python', typescript: 'typescript' }

export interface Ask {
  language: Language
  /** What the user wants, in the user's words, with what is needed of earlier turns. */
  task: string
  /** What the calling application laid down for all its requests. */
  rules?: string | undefined
  /** The function or class that must be there. */
  entry?: string | undefined
  /** Names that the user's own code defines already. */
  given?: string | undefined
}

export function fenced (language: Language, source: string): string {
  return `\`\`\`${TAGS[language]}\n${source.trimEnd()}\n\`\`\``
}

const STYLE: Record<Language, string> = {
  python: 'Use type hints. Use the standard library only, unless the task names other packages.',
  typescript: 'Write strict TypeScript, export what the task asks for, and avoid `any`. Use no packages, unless the task names them.'
}

function writer (language: Language): string {
  return `You are an expert ${NAMES[language]} programmer. Reply with one sentence on the approach and then the complete program in one fenced block. `
    + `Handle edge cases. ${STYLE[language]} Leave nothing out: no placeholders, no TODO. No tests, no usage examples, no input or output code unless it is asked for.`
}

// A worked example shows the form better than words do.
const SHOWN: Record<Language, [string, string]> = {
  python: [
    'Write a function that limits a number to a range.',
    `Take the larger of the number and the lower bound, then the smaller of that and the upper bound.\n\n${fenced('python', 'def clamp_number(number: float, low: float, high: float) -> float:\n    """The number, moved into the range where it lies outside."""\n    return min(max(number, low), high)')}`
  ],
  typescript: [
    'Write a function that limits a number to a range.',
    `Take the larger of the number and the lower bound, then the smaller of that and the upper bound.\n\n${fenced('typescript', '/** The number, moved into the range where it lies outside. */\nexport function clampNumber(number: number, low: number, high: number): number {\n  return Math.min(Math.max(number, low), high);\n}')}`
  ]
}

/** A whole program for the task. */
export function writeMessages (ask: Ask): Message[] {
  const [question, answer] = SHOWN[ask.language]
  return [
    { role: 'system', content: writer(ask.language) },
    { role: 'user', content: order(question, ask.language) },
    { role: 'assistant', content: answer },
    { role: 'user', content: order(taskOf(ask), ask.language, ask.entry === undefined ? undefined : `The program must define \`${ask.entry}\`.`) }
  ]
}

/** The program once more, mended. What is wrong is said in the words of the tool that found it. */
export function repairMessages (ask: Ask, program: string, wrong: string): Message[] {
  return [
    { role: 'system', content: `You are an expert ${NAMES[ask.language]} programmer who mends programs. Say in one sentence what is wrong, then reply with the complete corrected program in one fenced block. ${STYLE[ask.language]}` },
    { role: 'user', content: order(`${taskOf(ask)}\n\nThis program is not right yet:\n\n${fenced(ask.language, program)}\n\n${wrong}\n\nReply with the whole corrected program.`, ask.language) }
  ]
}

const ASSERTS: Record<Language, (entry: string) => string> = {
  python: entry => `one plain assert a line, such as \`assert ${entry}(...) == ...\`, with literal arguments and the exact expected value`,
  typescript: entry => `one plain assert a line, such as \`assert.deepStrictEqual(${entry}(...), ...);\`, with literal arguments and the exact expected value`
}

/** Tests from the task alone: whoever sees the program writes tests that it passes. */
export function testMessages (ask: Ask, count: number): Message[] {
  const entry = ask.entry ?? 'solution'
  return [
    { role: 'system', content: `You are a careful ${NAMES[ask.language]} tester. You work out by hand what a right program returns. Reply with the tests in one fenced block and nothing else.` },
    { role: 'user', content: order(`${taskOf(ask)}\n\nDon't write the program. Write ${count} test cases for \`${entry}\`: ${ASSERTS[ask.language](entry)}. Cover ordinary inputs and edge cases; leave out what the task does not settle.`, ask.language) }
  ]
}

/** Tests for code that is there: the user wants them as a file. */
export function suiteMessages (ask: Ask, program: string, path: string): Message[] {
  const style = ask.language === 'python'
    ? `pytest functions named \`test_...\` in plain asserts, importing from \`${moduleOf(path)}\``
    : `\`node:test\` and \`node:assert/strict\`, importing from \`./${path.replace(/^.*\//, '')}\``
  return [
    { role: 'system', content: `You are a careful ${NAMES[ask.language]} tester. Reply with one complete test file in one fenced block and nothing else.` },
    { role: 'user', content: order(`${taskOf(ask)}\n\nThis is the code, in \`${path}\`:\n\n${fenced(ask.language, program)}\n\nWrite a test file for it: ${style}. One behaviour a test, with literal inputs and exact expected values; ordinary cases, edge cases and errors that it raises. Test only what the code promises.`, ask.language) }
  ]
}

/** The file list of a project: one line a file, in the order in which they build on each other. */
export function planMessages (ask: Ask, kind: string): Message[] {
  return [
    { role: 'system', content: `You are an experienced ${NAMES[ask.language]} architect. You plan small projects: few files, each with one purpose.` },
    { role: 'user', content: order(`${taskOf(ask)}\n\nPlan the ${kind}. Which files does it need? Reply with one line a file and nothing else, as \`path - purpose - exported signatures\`, files that others build on first. For example:\n${PLANNED[ask.language]}\nLeave out tests, README and configuration: they are made separately. At most 12 files.`, ask.language) }
  ]
}

const PLANNED: Record<Language, string> = {
  python: 'shop/prices.py - prices of goods - price(name: str) -> Decimal; class PriceList',
  typescript: 'src/prices.ts - prices of goods - export function price(name: string): number; export class PriceList'
}

/** What of a project that is there has to change. */
export function changeMessages (ask: Ask, kind: string, files: readonly string[]): Message[] {
  return [
    { role: 'system', content: `You are an experienced ${NAMES[ask.language]} architect. You change small projects: as few files as the change needs.` },
    { role: 'user', content: order(`${taskOf(ask)}\n\nThe ${kind} is there already, with these files:\n${files.join('\n')}\n\nWhich of them must change, and which are new, for what was asked last? Reply with one line a file and nothing else, as \`path - purpose - exported signatures\`, files that others build on first. For example:\n${PLANNED[ask.language]}\nLeave out tests, README and configuration, and every file that stays as it is.`, ask.language) }
  ]
}

/** One file of a project: it sees what the others export, not how. */
export function fileMessages (ask: Ask, file: { path: string, purpose: string, exports: string }, others: readonly string[], before?: string): Message[] {
  const now = before === undefined ? '' : `\n\nThis is the file as it is now. Change what was asked last, keep the rest:\n\n${fenced(ask.language, before)}`
  return [
    { role: 'system', content: writer(ask.language) },
    { role: 'user', content: order(`${taskOf(ask)}\n\nThe project has these files:\n${others.join('\n')}\n\nWrite only this one:\nFile: ${file.path}\nPurpose: ${file.purpose}\nIt exports: ${file.exports === '' ? 'what the others need of it' : file.exports}\n\nImport from the other files as their paths say, and from no files that are not listed; don't repeat their code.${now}`, ask.language) }
  ]
}

export function fileRepairMessages (ask: Ask, path: string, program: string, others: readonly string[], wrong: string): Message[] {
  return [
    { role: 'system', content: `You are an expert ${NAMES[ask.language]} programmer who mends programs. Say in one sentence what is wrong, then reply with the complete corrected file in one fenced block. ${STYLE[ask.language]}` },
    { role: 'user', content: order(`${taskOf(ask)}\n\nThe project has these files:\n${others.join('\n')}\n\nThis one is not right yet:\nFile: ${path}\n\n${fenced(ask.language, program)}\n\n${wrong}\n\nReply with the whole corrected file.`, ask.language) }
  ]
}

export function fileTestMessages (ask: Ask, file: { path: string, purpose: string, exports: string }): Message[] {
  const form = ask.language === 'python'
    ? `Begin with the imports it needs (\`from ${moduleOf(file.path)} import ...\`), then one plain assert a line, such as \`assert f(1) == 2\`.`
    : `Begin with the imports it needs (\`import { ... } from './${file.path}'\`), then one plain assert a line, such as \`assert.deepStrictEqual(f(1), 2);\`.`
  return [
    { role: 'system', content: `You are a careful ${NAMES[ask.language]} tester. You work out by hand what a right program returns. Reply with the tests in one fenced block and nothing else.` },
    { role: 'user', content: order(`${taskOf(ask)}\n\nWrite up to 6 test cases for this module of it, without seeing its code:\nFile: ${file.path}\nPurpose: ${file.purpose}\nIt exports: ${file.exports}\n\n${form} Literal arguments and exact expected values.`, ask.language) }
  ]
}

/** `shop/prices.py` is imported as `shop.prices`. */
export function moduleOf (path: string): string {
  return path.replace(/\.py$/, '').replace(/\/__init__$/, '').replaceAll('/', '.')
}

function taskOf ({ task, rules, given }: Ask): string {
  return [
    ...(rules === undefined ? [] : [`Rules of the application that asks (where they concern code):\n${rules}`]),
    `Task:\n${task}`,
    ...(given === undefined ? [] : [`The code around it defines already: ${given}.`])
  ].join('\n\n')
}

function order (text: string, language: Language, last?: string): string {
  return `${text}\n\nLanguage: ${NAMES[language]}${last === undefined ? '' : `\n${last}`}`
}
