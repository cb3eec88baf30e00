import type { Call, Files, Sandbox, TestReport } from '../../types.js'
import { pathsOf } from '../delivery/names.js'
import { type Draft, type DraftFile, definedBy } from '../reply/draft.js'
import type { Conversation } from '../conversation.js'
import type { Candidate, RunExample, Subject } from './candidate.js'
import { type Fault, type Result, type Trial, faultOfRun, load, run } from './trial.js'

export interface Tools { sandbox: Sandbox, signal: AbortSignal, conversation: Conversation }

// How long a started program may run: it may be one that never ends.
const START_MS = 8000

/** Examines a draft without the model: brings it into its final form, then checks, loads, calls and starts it. */
export async function examine (
  draft: Draft,
  origin: Candidate['origin'],
  subject: Subject,
  calls: readonly Call[],
  tools: Tools
): Promise<Candidate> {
  const paths = pathsOf(draft, tools.conversation, subject.entry)
  const main = mainOf(draft, subject)
  const path = paths.get(main) ?? main.profile.fileFor(undefined, main.source)
  const spliced = isPartOf(main, subject)
  const whole = spliced && subject.long ? { [path]: subject.profile.splice(subject.long.source, main.source) } : {}
  const together = (own: Files) => ({ ...subject.otherFiles, ...subject.tests, ...ofProfile(own, subject), ...whole })
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

/** The file that defines the entry; otherwise the last one that is no test file. */
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
 * The final form of the files. Lines are only added (an export, an alias with the requested name), never removed. New files are
 * formatted; files that the user has already are not.
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
    // Test files import the code that they test, so nothing is added to them here.
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

/** The files, with imports added to test files that do not import what they test. */
function withTests (files: Files, paths: ReadonlyMap<DraftFile, string>, main: DraftFile, { otherFiles }: Subject): Files {
  const whole = { ...files }
  const { profile } = main
  const isTest = (file: DraftFile) => file.profile.isTestFile(paths.get(file), file.source)
  const tested = isTest(main)
    ? Object.entries(otherFiles).map(([path, source]) => ({ path, names: definedBy({ statements: profile.statements(source) }) }))
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

/** Checks the files, after adding imports of the standard library that are missing. */
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

/** An unknown capitalised name such as `SpreadsheetApp.getUi()` belongs to a platform: it is reported as missing, like a library. */
function withPlatform (check: Candidate['check'], files: Files, profile: Subject['profile']): Candidate['check'] {
  const names = Object.entries(files).flatMap(([path, source]) => {
    return namesLacking(check, path, profile).filter(name => /^[A-Z]\w/.test(name) && source.includes(`${name}.`))
  })
  return names.length === 0 ? check : { ...check, missing: [...new Set([...check.missing, ...names])] }
}

/** The names that the checker does not know. */
function namesLacking ({ diagnostics }: Candidate['check'], path: string, profile: Subject['profile']): string[] {
  const found = diagnostics
    .filter(({ file, code }) => file === path && profile.isNowhere(code))
    .map(({ message }) => /["'`]([A-Za-z_$][\w$]*)["'`]/.exec(message)?.[1])
  return [...new Set(found.filter(name => name !== undefined))]
}

/** Loads and calls copies that are safe to load. If a line at the top level fails, it tries the definitions alone. */
async function tried (
  files: Files, path: string, calls: readonly Call[], check: Candidate['check'], { profile }: Subject, { sandbox, signal }: Tools
): Promise<Trial & { topFault: Trial['fault'] }> {
  const untried = { results: new Map<string, Result>(), topFault: null }
  if (!profile.runs(path)) return { ...untried, fault: null }
  if (check.missing.length > 0) return { ...untried, fault: readFault(check) }
  // A script is started instead of loaded: without its input, loading it would only fail.
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
  // If the copy left something out, the failing line may depend on that, and says nothing about the program.
  const isOurs = profile.leftOut(files[path] ?? '').length > 0
  return again.fault === null ? { ...again, topFault: isOurs ? null : trial.fault } : { ...trial, topFault: null }
}

/** The fault that is known without running the program: it does not parse, or it needs a library that is not available. */
function readFault ({ diagnostics, missing }: Candidate['check']): Fault | null {
  const wrong = diagnostics.find(({ source, severity }) => source === 'syntax' && severity === 'error')
  if (wrong) return { kind: 'load', message: `${wrong.message} (line ${wrong.line})`, missing: [] }
  return missing.length > 0 ? { kind: 'missing', message: '', missing } : null
}

/** Runs tests. With `prove`, tests that pass are also run against code that does nothing, where they must fail. */
async function tested (
  files: Files,
  tests: readonly string[],
  prove: boolean,
  { profile }: Subject,
  { sandbox, signal }: Tools
): Promise<TestReport | null> {
  return tests.length === 0 ? null : await sandbox.test({ language: profile.id, files, tests: [...tests], prove }, { signal })
}

/** Starts a script as a person would. Servers, windows and programs that wait for input are not started. */
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
