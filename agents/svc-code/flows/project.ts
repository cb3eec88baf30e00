import type { AgentEvent, Files, Language } from '../../types.js'
import type { Desk } from '../desk.js'
import { answer } from '../answer.js'
import { saved } from '../finish.js'
import { fitted } from '../fit.js'
import { isSource, isTest } from '../paths.js'
import { type Built, build, reasonOf } from '../project.js'
import { type ProjectKind, layoutOf, projectKind, scaffoldOf } from '../scaffolds/index.js'
import { type Account, account, states } from '../account.js'
import { suitesOf, tryTests } from '../suites.js'
import { count } from '../verdict.js'

const NODE_KINDS = new Set<ProjectKind>(['express', 'fastify', 'nestjs', 'node-cli', 'typescript-library'])
const NAMES: Record<Language, string> = { python: 'Python', typescript: 'TypeScript' }

interface Side { title: string, files: Files, lines: string[], account: Account }

/** A project: planned, written file by file, tested module by module, with all that its framework needs around it. */
export async function * project (desk: Desk): AsyncGenerator<AgentEvent, string> {
  const { task, left } = await fitted(desk.intent.task, desk.backend)
  const given = givenFiles(desk)
  const languages = given === null ? desk.languages : languagesOf(given, desk.languages)
  const sides: Side[] = []
  const failed: string[] = []
  for (const language of languages) {
    try {
      sides.push(yield * side(desk, language, task, given ?? {}, languages.length > 1))
    } catch (error) {
      // What one side came to is not lost with the other.
      if (desk.signal.aborted || sides.length === 0) throw error
      failed.push(`- The ${NAMES[language]} side was not built: ${reasonOf(error)}.`)
    }
  }
  const files: Files = { ...(sides.length > 1 && readmeOf(sides)), ...given, ...Object.assign({}, ...sides.map(({ files }) => files)) as Files }
  const reasons = [...new Set(sides.flatMap(({ account }) => account.reasons)), ...(failed.length > 0 ? ['one side is missing'] : [])]
  return answer({
    approach: sides.map(({ title }) => title).join(' '),
    files,
    notes: left,
    verification: [
      reasons.length === 0 ? verified(sides.flatMap(({ account }) => account.notRun)) : `unverified: not all of it was shown to work (${reasons.join('; ')}).`,
      ...sides.flatMap(({ lines }) => lines), ...failed,
      ...await saved(desk.settings.workspace, desk.run.id, files)
    ]
  })
}

async function * side (desk: Desk, language: Language, task: string, earlier: Files, isOneOfTwo: boolean): AsyncGenerator<AgentEvent, Side> {
  const { intent, request, sandbox, calls, signal, run } = desk
  const kind = projectKind(task, language, isOneOfTwo)
  const folder = isOneOfTwo ? folderOf(language, earlier) : ''
  const name = nameIn(task)
  const given = withoutScaffold(kind, name, summaryOf(task), below(earlier, folder))
  const ask = { language, rules: intent.rules, task: isOneOfTwo ? `${task}\n\nThis is about its ${NAMES[language]} side only.` : task }
  sandbox.warm(language)
  const site = { ask, layout: layoutOf(kind, { name, summary: '', files: given }), wantsExtensions: NODE_KINDS.has(kind), temperature: request.temperature, given }
  const built = yield * build(site, { calls, sandbox, signal, log: run.log })
  const written: Files = { ...given, ...Object.fromEntries(built.parts.flatMap(part => 'source' in part ? [[part.planned.path, part.source]] : [])) }
  const suites = suitesOf(built.parts, language, { taken: given, isVitest: language === 'typescript' && !NODE_KINDS.has(kind) })
  const whole = scaffoldOf(kind, { name, summary: summaryOf(task), files: { ...written, ...suites } })
  const tried = await tryTests(desk, language, { ...written, ...whole.files, ...suites }, Object.keys(suites))
  const files = Object.fromEntries(Object.entries({ ...written, ...suites, ...whole.files }).filter(([path]) => !tried.dropped.includes(path)))
  return {
    title: titleOf(whole, built, given, folder),
    files: Object.fromEntries(Object.entries<string>(files).map(([path, source]) => [folder + path, source])),
    account: account(built, tried, folder),
    lines: states(built, tried, folder, Object.keys(whole.files).filter(path => isSource(path, language) && !isTest(path)))
  }
}

/** Claimed is what was run, and what was not is named in the same breath. */
function verified (notRun: readonly string[]): string {
  if (notRun.length === 0) return 'verified: every file was run in the sandbox, and all tests pass.'
  return `verified: every file that can be run here was run in the sandbox, and all its tests pass. Not run here, and so not claimed: ${notRun.map(path => `\`${path}\``).join(', ')}.`
}

function titleOf ({ title, testCommand }: { title: string, testCommand: string }, { parts }: Built, given: Files, folder: string): string {
  const changed = parts.filter(part => 'source' in part && !part.kept).length
  const place = folder === '' ? '' : ` in \`${folder}\``
  return Object.keys(given).length > 0
    ? `${count(changed, 'file')} of the ${title} project${place} changed or new; its tests are run with \`${testCommand}\`.`
    : `A ${title} project of ${count(changed, 'source file')}${place}; its tests are run with \`${testCommand}\`.`
}

/** The files of the project that the request is about; null where it is about a new one. */
function givenFiles ({ intent }: Desk): Files | null {
  const files = Object.fromEntries(intent.given.flatMap(({ path, source }) => path === undefined ? [] : [[path, `${source.trimEnd()}\n`]]))
  return Object.keys(files).length > 1 ? files : null
}

function languagesOf (files: Files, asked: Desk['languages']): readonly Language[] {
  const there = (['python', 'typescript'] as const).filter(language => Object.keys(files).some(path => isSource(path, language)))
  return there.length > 0 && there.every(language => !asked.includes(language)) ? asked : there.length > 0 ? there : asked
}

/** What a scaffold made is made anew around what the files are now. */
function withoutScaffold (kind: ProjectKind, name: string, summary: string, given: Files): Files {
  const made = scaffoldOf(kind, { name, summary, files: Object.fromEntries(Object.entries(given).filter(([path]) => !MADE.test(path))) }).files
  return Object.fromEntries(Object.entries(given).filter(([path, source]) => !MADE.test(path) || (made[path]?.trim() !== source.trim() && !isListing(path, source))))
}

const MADE = /^(?:README\.md|pyproject\.toml|package\.json)$/

function isListing (path: string, source: string): boolean {
  return path === 'README.md' && /^## Files$/m.test(source)
}

function folderOf (language: Language, earlier: Files): string {
  const folders = language === 'python' ? ['backend/', 'server/', 'api/'] : ['frontend/', 'client/', 'web/']
  return folders.find(folder => Object.keys(earlier).some(path => path.startsWith(folder))) ?? folders[0] ?? ''
}

function below (files: Files, folder: string): Files {
  return Object.fromEntries(Object.entries(files).filter(([path]) => path.startsWith(folder)).map(([path, source]) => [path.slice(folder.length), source]))
}

function readmeOf (sides: readonly Side[]): Files {
  return { 'README.md': `# Project\n\n${sides.map(({ title }) => `- ${title}`).join('\n')}\n\nEach folder has a README of its own with the commands that set it up, run it and test it.\n` }
}

function summaryOf (task: string): string {
  return task.split(/[.:\n]/, 1)[0]?.trim().slice(0, 200) ?? ''
}

/** As the user calls it: what stands in quotes beside "package" and the like, or after "called". */
function nameIn (task: string): string {
  const noun = '(?:package|library|project|app|application|service|api|tool|cli|module|site|bibliothek|paket|projekt|paquete|biblioteca|proyecto|projet|bibliothèque)'
  return new RegExp(`\\b${noun}\\s+(?:called |named |namens )?[\`"']([a-z][\\w-]{1,40})[\`"']`, 'i').exec(task)?.[1]
    ?? new RegExp(`[\`"']([a-z][\\w-]{1,40})[\`"']\\s+${noun}\\b`, 'i').exec(task)?.[1]
    ?? /\b(?:called|named|namens|llamad[ao]|appelée?)\s+[`"']?([a-z][\w-]{1,40})/i.exec(task)?.[1] ?? 'project'
}
