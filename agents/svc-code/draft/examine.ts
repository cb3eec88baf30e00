import type { Call, Files, Sandbox, TestReport } from '../../types.js'
import { pathsOf } from '../delivery/names.js'
import { type Draft, type DraftFile, definedBy } from '../reply/draft.js'
import type { Talk } from '../talk.js'
import type { Candidate, RunExample, Subject } from './candidate.js'
import { type Fault, type Result, type Trial, faultOfRun, load, run } from './trial.js'

export interface Tools { sandbox: Sandbox, signal: AbortSignal, talk: Talk }

// A program that was not made for it should not keep the others waiting.
const START_MS = 8000

/** Looks at a draft without a model: it is given its final form, checked, loaded, called, started. */
export async function examine (
  draft: Draft,
  origin: Candidate['origin'],
  subject: Subject,
  calls: readonly Call[],
  tools: Tools
): Promise<Candidate> {
  const paths = pathsOf(draft, tools.talk, subject.entry)
  const main = mainOf(draft, subject)
  const path = paths.get(main) ?? main.profile.fileFor(undefined, main.source)
  const spliced = isPartOf(main, subject)
  const whole = spliced && subject.long ? { [path]: subject.profile.splice(subject.long.source, main.source) } : {}
  const together = (own: Files) => ({ ...subject.beside, ...subject.tests, ...ofProfile(own, subject), ...whole })
  const written = withTests(await finalForm(paths, main, subject, tools), paths, main, subject)
  const { files, check } = await checked(written, together, subject, tools)
  const runnable = together(files)
  const isOfTests = main.profile.isTestFile(path, main.source)
  const [trial, report, own] = await Promise.all([
    tried(runnable, path, calls, check, subject, tools),
    tested(runnable, Object.keys(subject.tests), true, subject, tools),
    tested(runnable, testsIn(draft, paths), isOfTests, subject, tools)
  ])
  const candidate: Candidate = {
    draft, origin, main, path, paths, files, spliced, check, ...trial, report, own, started: [], drafts: 1, repaired: false
  }
  return { ...candidate, started: await started(candidate, runnable, subject, tools) }
}

/** The file that defines what was asked for; else the last one that is no test. */
export function mainOf ({ files }: Draft, { profile, entry }: Pick<Subject, 'profile' | 'entry'>): DraftFile {
  const own = files.filter(file => file.profile === profile)
  const programs = own.filter(({ path, source }) => !profile.isTestFile(path, source))
  const main = programs.findLast(file => entry !== undefined && definedBy(file).includes(entry))
    ?? programs.at(-1)
    ?? own.at(-1)
    ?? files.at(-1)
  if (!main) throw new Error('a draft without a file was examined')
  return main
}

/**
 * Lines are only added: an export, the name that was asked for. A new file is formatted; of one that was there only what was asked for
 * changes.
 */
async function finalForm (
  paths: ReadonlyMap<DraftFile, string>,
  main: DraftFile,
  subject: Subject,
  { sandbox, signal }: Tools
): Promise<Files> {
  const files: Record<string, string> = {}
  for (const [file, path] of paths) {
    const { profile, source } = file
    // What tests are for is imported by them, not copied into them.
    const wanted = file === main && !profile.isTestFile(path, source) ? { entry: subject.entry, prelude: subject.prelude } : {}
    const plain = isPartOf(file, subject) ? source : profile.mend(source, wanted)
    const text = `${plain.trimEnd()}\n`
    const formatted = subject.isEdit || !profile.runs(path)
      ? undefined
      : await sandbox.format({ language: profile.id, files: { [path]: text }, fix: false }, { signal })
    files[path] = formatted?.[path] ?? text
  }
  return files
}

/** A test file always imports what it tests. */
function withTests (files: Files, paths: ReadonlyMap<DraftFile, string>, main: DraftFile, { beside }: Subject): Files {
  const whole = { ...files }
  const { profile } = main
  const isTest = (file: DraftFile) => file.profile.isTestFile(paths.get(file), file.source)
  const tested = isTest(main)
    ? Object.entries(beside).map(([path, source]) => ({ path, names: definedBy({ statements: profile.statements(source) }) }))
    : [{ path: paths.get(main) ?? '', names: definedBy(main) }]
  for (const [file, path] of paths) {
    if (!isTest(file)) continue
    whole[path] = tested.reduce((text, { path: of, names }) => file.profile.importing(text, of, names), files[path] ?? file.source)
  }
  return whole
}

function isPartOf (file: DraftFile, { long }: Subject): boolean {
  if (long === undefined || file.profile !== long.profile) return false
  const names = new Set(definedBy(file))
  const left = definedBy(long).filter(name => !names.has(name)).length
  return file.elided || left >= 3 || (left > 0 && file.source.length < long.source.length * 0.4)
}

function ofProfile (files: Files, { profile }: Subject): Files {
  return Object.fromEntries(Object.entries(files).filter(([path]) => profile.runs(path)))
}

function testsIn ({ files }: Draft, paths: ReadonlyMap<DraftFile, string>): string[] {
  return files.flatMap(file => {
    const path = paths.get(file)
    return path !== undefined && file.profile.isTestFile(path, file.source) && file.profile.runs(path) ? [path] : []
  })
}

/** What the tools say; imports that lack and that nobody needs a model for are added first. */
async function checked (
  files: Files,
  together: (files: Files) => Files,
  subject: Subject,
  { sandbox, signal }: Tools
): Promise<{ files: Files, check: Candidate['check'] }> {
  const { profile } = subject
  const look = async (own: Files): Promise<Candidate['check']> => {
    const all = together(own)
    if (Object.keys(all).length === 0) return { diagnostics: [], missing: [] }
    const { diagnostics, missing } = await sandbox.check({ language: profile.id, files: all }, { signal })
    return { diagnostics: diagnostics.filter(({ file }) => Object.hasOwn(own, file)), missing }
  }
  const check = await look(files)
  const lacking = new Map(Object.keys(files).map(path => [path, namesLacking(check, path, profile)]))
  const completed = Object.fromEntries(Object
    .entries(files)
    .map(([path, source]) => [path, profile.runs(path) ? profile.withImports(source, lacking.get(path) ?? []) : source]))
  const isSame = Object.entries(completed).every(([path, source]) => files[path] === source)
  const last = isSame ? check : await look(completed)
  return { files: completed, check: withPlatform(last, completed, profile) }
}

/** `SpreadsheetApp.getUi()`: what is found nowhere and is called like a platform's own is missing here, as a library is. */
function withPlatform (check: Candidate['check'], files: Files, profile: Subject['profile']): Candidate['check'] {
  const names = Object.entries(files).flatMap(([path, source]) => {
    return namesLacking(check, path, profile).filter(name => /^[A-Z]\w/.test(name) && source.includes(`${name}.`))
  })
  return names.length === 0 ? check : { ...check, missing: [...new Set([...check.missing, ...names])] }
}

/** The names that a checker quotes as found nowhere. */
function namesLacking ({ diagnostics }: Candidate['check'], path: string, profile: Subject['profile']): string[] {
  const found = diagnostics
    .filter(({ file, code }) => file === path && profile.isNowhere(code))
    .map(({ message }) => /["'`]([A-Za-z_$][\w$]*)["'`]/.exec(message)?.[1])
  return [...new Set(found.filter(name => name !== undefined))]
}

/** Loaded and called on copies that are safe to load; where a line at the top level fails, on the definitions alone. */
async function tried (
  files: Files, path: string, calls: readonly Call[], check: Candidate['check'], { profile }: Subject, { sandbox, signal }: Tools
): Promise<Trial & { topFault: Trial['fault'] }> {
  const untried = { results: new Map<string, Result>(), topFault: null }
  if (!profile.runs(path)) return { ...untried, fault: null }
  if (check.missing.length > 0) return { ...untried, fault: readFault(check) }
  // What a script does is seen when it is started: without its input, a part of it would only fail.
  if (calls.length === 0 && profile.natureOf(files[path] ?? '', path) === 'script') return { ...untried, fault: readFault(check) }
  const copies = Object.fromEntries(Object
    .entries(files)
    .map(([name, source]) => [name, profile.isTestFile(name, source) ? source : profile.loadable(source)]))
  const job = (of: Files) => calls.length === 0
    ? load(sandbox, { language: profile.id, files: of }, { file: path, expression: profile.nothing.expression }, signal)
    : run(sandbox, { language: profile.id, files: of }, calls.map(call => ({ ...call, file: path })), signal)
  const trial = await job(copies)
  const bare = trial.fault?.kind === 'load' || trial.fault?.kind === 'limit' ? profile.bare(files[path] ?? '') : undefined
  if (bare === undefined || bare.trim() === (copies[path] ?? '').trim()) return { ...trial, topFault: null }
  const again = await job({ ...copies, [path]: bare })
  // A line that leans on what we left out says nothing about the program.
  const isOurs = profile.leftOut(files[path] ?? '').length > 0
  return again.fault === null ? { ...again, topFault: isOurs ? null : trial.fault } : { ...trial, topFault: null }
}

/** What is known without running it: it does not parse, or it needs a library that is not here. */
function readFault ({ diagnostics, missing }: Candidate['check']): Fault | null {
  const wrong = diagnostics.find(({ source, severity }) => source === 'syntax' && severity === 'error')
  if (wrong) return { kind: 'load', message: `${wrong.message} (line ${wrong.line})`, missing: [] }
  return missing.length > 0 ? { kind: 'missing', message: '', missing } : null
}

/** `prove`: what passes is claimed, so it must fail where the code does nothing. */
async function tested (
  files: Files,
  tests: readonly string[],
  prove: boolean,
  { profile }: Subject,
  { sandbox, signal }: Tools
): Promise<TestReport | null> {
  return tests.length === 0 ? null : await sandbox.test({ language: profile.id, files, tests: [...tests], prove }, { signal })
}

/** A script is started as a person would start it; what listens, draws or waits for people is not. */
async function started (
  candidate: Candidate,
  files: Files,
  { profile, runs }: Subject,
  { sandbox, signal }: Tools
): Promise<Candidate['started']> {
  const { main, path, fault } = candidate
  const source = files[path] ?? ''
  if (fault?.kind === 'missing' || !profile.runs(path) || candidate.spliced || profile.natureOf(main.source, path) !== 'script') return []
  if (runs.length === 0 && (profile.readsInput(source) || profile.readsArguments(source))) return []
  const examples: readonly (RunExample | undefined)[] = runs.length > 0 ? runs : [undefined]
  const reports: { example: RunExample | undefined, report: Candidate['started'][number]['report'] }[] = []
  for (const example of examples) {
    const program = { language: profile.id, files, entry: path, args: example?.args ?? [], ...(example && { stdin: example.stdin }) }
    const report = await sandbox.run(program, { signal, limits: { wallMs: START_MS } })
    reports.push({ example, report })
    if (faultOfRun(report) !== null) break
  }
  return reports
}
