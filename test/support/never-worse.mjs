/* eslint-disable regexp/no-super-linear-backtracking, regexp/no-super-linear-move -- it reads replies of our own bench, a line at a time */
// Is the service ever worse than the model behind it? Counted over the records of an everyday run and the log of its scripted model.
//   node test/support/never-worse.mjs --json out.json --backend http://127.0.0.1:PORT
// out.json is what the run's `--json` wrote; the scripted model must still hold the log of that run.
// Exits with 1 where one of a to d is not 0, and with 2 where nothing could be counted.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

/** What our own words never speak of: how the answer came about, instead of the task. Lower case; part of a word is enough. */
const ABOUT_US = [
  'draft', 'blind test', 'no program came', 'no whole program', 'programs that were compared',
  'replies of the model', 'reply of the model', 'calls of the model', 'call of the model', 'the model\'s repl', 'model call',
  'entwurf', 'entwürfe', 'antworten des modells', 'brouillon', 'borrador'
]
/** Kinds that need no second call. */
const ONE_CALL = ['prose', 'small talk', 'plain knowledge', 'other language or format', 'tools', 'library that is not there']
/** Kinds whose code is passed on as it came, or is a part of somebody's file: no Verification section is due. */
const PASSED_ON = ['tools', 'JSON asked for', 'prompts of clients', 'long file, partial reply']
const LANGUAGES = { py: 'python', python: 'python', python3: 'python', ts: 'typescript', typescript: 'typescript' }
const CLAIMED = ['verified', 'tested']
const RUN_HERE = [...Object.keys(LANGUAGES), 'tsx', 'js', 'mjs', 'javascript', 'jsx', 'node', '']

const FENCE = /^\s*(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/
const PATH = /^[#/*`_\s]*(?:(?:file|path):\s*)?((?:[\w@.()[\]-]+\/)*[\w@.()[\]-]+\.\w+)[*`_:\s/]*$/i
const TEST = /(^|\/)(tests?|__tests__)\/|(^|\/)test_[^/]*$|[._](test|spec)\.\w+$/
const PYTHON_IMPORT = /^\s*(?:import\s+([\w., ]+)|from\s+([\w.]+)\s+import\b)/gm
const SCRIPT_IMPORT = /(?:\bfrom|\bimport|\brequire\()\s*['"]([^'"\n]+)['"]/g
const ELISION = /^\s*(#|\/\/|\/\*|<!--).*(\.{3}|…)/
const COULD_NOT = /^(?:lacks|has) |^no \S+ in it$| printed "/ // the reasons of failed `contains`, `lacks` and `run`

/** The fences of a reply, each with its tag, path and code; the words around them; what the Verification section claims. */
export function read (text) {
  const fences = []
  const words = []
  let open, path, claim
  for (const line of text.replace(/<think>[^]*?<\/think>/, '').split(/\r?\n/)) {
    const [, mark, tag] = line.match(FENCE) ?? []
    if (open) {
      if (mark?.startsWith(open.mark) && !tag) open = undefined
      else open.lines.push(line)
    } else if (mark) {
      fences.push(open = { mark, tag: tag.toLowerCase(), path, lines: [] })
      path = undefined
    } else {
      words.push(line)
      if (line.trim() !== '') path = line.match(PATH)?.[1]
      if (/^#+\s+verification\b/i.test(line)) claim = 'no word'
      else if (claim === 'no word') claim = line.match(/\b(verified|tested|unverified)\b/i)?.[1].toLowerCase() ?? claim
    }
  }
  return { fences, words: words.join('\n'), claim }
}

/** Without what a formatter may change: white space, quotes, semicolons, closing commas, brackets around a long expression. */
const squeezed = text => text.replace(/,(?=\s*([)\]}]|$))|[\s;\\'"`()]/g, '')

const codeOf = ({ fences }) => fences.map(({ lines }) => squeezed(lines.join('\n'))).join('\n')

/** The lines in the first column of a text: calls, routes, guards, definitions. A path or "... the rest" in a comment is none. */
function topLines (lines) {
  const indent = Math.min(...lines.filter(line => line.trim() !== '').map(line => line.search(/\S/)))
  return lines.filter(line => line.search(/\S/) === indent && /\w/.test(line) && !PATH.test(line) && !ELISION.test(line))
}

const times = (text, part) => text.split(part).length - 1

/** The top-level lines that the text has more often than the answer: a call that is gone is found, though its definition is there. */
function lost (lines, draft, answer) {
  const wanted = new Set(topLines(lines).map(squeezed).filter(line => line !== ''))
  return [...wanted].filter(line => times(answer, line) < times(draft, line))
}

/** How alike two texts are, from 0 to 1, by their runs of four characters. */
function likeness (one, other) {
  const grams = text => new Set(Array.from({ length: Math.max(0, text.length - 3) }, (_, i) => text.slice(i, i + 4)))
  const [a, b] = [grams(one), grams(other)]
  return a.size + b.size === 0 ? 1 : 2 * [...a].filter(gram => b.has(gram)).length / (a.size + b.size)
}

/** The lines of the delivered draft, or of the first reply where that was delivered, that the answer lacks. */
export function linesLost (answer, log) {
  const replies = log.filter(({ step, calls }) => step !== 'tests' && !calls).map(({ text }) => text)
  if (replies.length === 0) return []
  const given = read(answer)
  const code = codeOf(given)
  const likenesses = replies.map(text => given.fences.length > 0 ? likeness(codeOf(read(text)) || squeezed(text), code) : 0)
  const at = likenesses.indexOf(Math.max(...likenesses)) // the earliest of equals
  const draft = read(replies[at])
  if (draft.fences.length === 0) { // all of it counts, be it prose or bare code, but for a line of a tag, such as [PYTHON]
    return lost(draft.words.split('\n').filter(line => !/^\W\w+\W$/.test(line)), squeezed(draft.words), squeezed(answer))
  }
  // What stands before the program of a later draft is not sent: how to install, how to start.
  const counted = at === 0 ? draft.fences : draft.fences.filter(({ tag }) => RUN_HERE.includes(tag))
  // Tests that were added to the reply repeat lines of the program; they stand for none of it.
  const isAlike = (left, right) => likeness(codeOf({ fences: [left] }), codeOf({ fences: [right] })) > 0.5
  const isOwn = fence => counted.some(each => each.path === fence.path || isAlike(each, fence))
  const shown = codeOf({ fences: given.fences.filter(fence => !TEST.test(fence.path ?? '') || isOwn(fence)) })
  return counted.flatMap(({ lines }) => lost(lines, codeOf({ fences: counted }), shown))
}

/** The phrases of ABOUT_US that neither the user (as the first call has it) nor the model said. */
export function talkAboutUs (answer, log) {
  const asked = (log[0]?.body.messages ?? []).filter(({ role }) => role === 'user').map(({ content }) => JSON.stringify(content))
  const before = [...asked, ...log.map(({ text }) => text)].join('\n').toLowerCase()
  const words = read(answer).words.toLowerCase()
  return ABOUT_US.filter(phrase => words.includes(phrase) && !before.includes(phrase))
}

let pythons
const ofPython = name => (pythons ??= execFileSync('python3', ['-c', 'import sys; print(*sys.stdlib_module_names)'], { encoding: 'utf8' })
  .trim().split(' ')).includes(name)

/** Does the reply hold a whole Python or TypeScript program that needs only the standard library and its own files? */
export function holdsProgram ({ fences, words }) {
  const session = lines => lines.some(line => line.startsWith('>>>'))
  const programs = fences.filter(({ tag, lines, path }) => LANGUAGES[tag] && lines.length > 1 && !TEST.test(path ?? '') && !session(lines))
  const size = programs.reduce((sum, { lines }) => sum + lines.join('\n').length, 0)
  const around = words.split(/^#+\s+verification/im)[0].length
  if (programs.length === 0 || (size <= around && !programs.some(({ path }) => path))) return false
  const own = new Set(fences.flatMap(({ path }) => path ? path.replace(/\.\w+$/, '').split('/') : []))
  return programs.every(({ tag, lines }) => IMPORTS[LANGUAGES[tag]](lines.join('\n')).every(({ name, known }) => known || own.has(name)))
}

const IMPORTS = {
  python: code => [...code.matchAll(PYTHON_IMPORT)].flatMap(([, plain, from]) => from ?? plain.split(','))
    .map(name => name.trim().split(/[ .]/)[0]).map(name => ({ name, known: name === '' || ofPython(name) })),
  typescript: code => [...code.matchAll(SCRIPT_IMPORT)]
    .map(([, name]) => ({ name, known: /^(\.|node:)/.test(name) || builtinModules.includes(name) }))
}

/** The figures: a to d as lists of what is wrong, e and f as shares. */
export function count (records, logs) {
  const each = records.map(record => ({ ...record, log: logs.get(record.id) ?? [], reply: read(record.text) }))
  const found = why => each.map(record => ({ id: record.id, why: why(record) })).filter(({ why }) => why.length > 0)
  const cut = new Set(each.filter(({ finish, text }) => finish === 'length' || text.trim() === '').map(({ id }) => id))
  const programs = each.filter(({ kind, reply }) => !PASSED_ON.includes(kind) && holdsProgram(reply))
  const easy = each.filter(({ kind }) => ONE_CALL.includes(kind))
  return {
    lost: found(({ id, text, log }) => cut.has(id) ? [] : linesLost(text, log)),
    empty: found(({ text, toolCalls }) => text.trim() === '' && toolCalls.length === 0 ? ['nothing came'] : []),
    talk: found(({ text, log }) => talkAboutUs(text, log)),
    falsely: found(({ reply, wrong }) => CLAIMED.includes(reply.claim) ? wrong.filter(reason => COULD_NOT.test(reason)) : []),
    section: share(programs, ({ reply }) => reply.claim !== undefined),
    once: share(easy, ({ calls }) => calls === 1),
    kinds: ONE_CALL.map(kind => ({ kind, ...share(easy.filter(record => record.kind === kind), ({ calls }) => calls === 1) }))
  }
}

function share (list, holds) {
  const others = list.filter(record => !holds(record)).map(({ id }) => id)
  return { of: list.length, right: list.length - others.length, others }
}

function print ({ lost, empty, talk, falsely, section, once, kinds }) {
  const row = (name, value) => console.log(`${name.padEnd(58)}${value}`)
  const shown = ({ right, of }) => of === 0 ? 'none of them' : `${right} of ${of} (${(100 * right / of).toFixed(0)} %)`
  const listed = (name, list) => {
    row(name, list.length)
    for (const { id, why } of list) console.log(`     ${id}: ${why.slice(0, 3).join(' | ').slice(0, 120)}`)
  }
  listed('a  replies that lack a top-level line', lost)
  listed('b  empty answers', empty)
  listed('c  answers that talk about drafts, calls or replies', talk)
  listed('d  verified or tested, and wrong', falsely)
  row('e  runnable programs with a Verification section', shown(section))
  if (section.others.length > 0) console.log(`     without: ${section.others.join(' ')}`)
  row('f  one call for what needs no second', shown(once))
  for (const kind of kinds) row(`     ${kind.kind}`, `${shown(kind)}${kind.others.length > 0 ? `: ${kind.others.join(' ')}` : ''}`)
}

async function main () {
  const options = { json: { type: 'string' }, backend: { type: 'string', default: 'http://127.0.0.1:18090' } }
  const { values: { json, backend } } = parseArgs({ options })
  if (json === undefined) throw new Error('--json FILE is needed: what the everyday run wrote with its own --json.')
  const records = JSON.parse(readFileSync(json, 'utf8'))
  const logs = new Map()
  for (const { id, calls } of records) {
    const log = await (await fetch(new URL(`/_log?case=${encodeURIComponent(id)}`, backend))).json()
    if (log.length !== calls) throw new Error(`${id}: ${calls} calls in ${json}, ${log.length} in the model's log, not of the same run.`)
    logs.set(id, log)
  }
  const figures = count(records, logs)
  print(figures)
  process.exitCode = [figures.lost, figures.empty, figures.talk, figures.falsely].some(list => list.length > 0) ? 1 : 0
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main().catch(error => {
    console.error(error.message)
    process.exitCode = 2
  })
}
