// Makes the Subject (what the conversation says about the program) and chooses the oracle (how to tell right from wrong). The
// conversation is searched for the names that the draft defines.
import type { Files } from '../../types.js'
import type { RunScope } from '../run-scope.js'
import { expectations } from '../examples/expectations.js'
import { readExamples } from '../examples/read.js'
import type { Profile } from '../languages/profile.js'
import { type Draft, type DraftFile, definedBy, isVersionOf } from '../reply/draft.js'
import type { Code, Conversation } from '../conversation.js'
import type { Subject } from './candidate.js'
import { mainOf } from './examine.js'
import type { Oracle } from './search.js'

export async function subjectOf (
  draft: Draft, { conversation, language, sandbox, signal }: RunScope
): Promise<{ subject: Subject, oracle: Oracle }> {
  const profile = language !== undefined && draft.files.some(file => file.profile === language.profile)
    ? language.profile
    : mainProfile(draft)
  const codes = conversation.latest.filter(code => code.profile === profile)
  const long = longFile(draft, codes)
  const main = mainOf(draft, { profile, entry: undefined })
  const written = draft.files.filter(file => file.profile === profile)
  const defined = [...new Set([...written, ...(long === undefined ? [] : [long])].flatMap(definedBy))]
  const nature = profile.natureOf(main.source, main.path ?? '')
  const { calls, runs } = readExamples(conversation, {
    profile,
    names: namesWithParameters(defined, draft, long, profile),
    isScript: nature === 'script'
  })
  const examples = await expectations(calls, profile, { sandbox, signal })
  const entry = entryOf(main, defined, conversation, examples.map(({ call }) => call.expression))
  // A signature with a docstring only is a task, not existing code.
  const there = codes.filter(code => !profile.isStub(code.source, entry))
  const earlier = there.filter(code => draft.files.some(file => isVersionOf(file, code)))
  const isEdit = earlier.length > 0 || long !== undefined
  const isRenamed = earlier.some(code => !definedBy(code).some(name => definedBy(main).includes(name)))
  const isChange = entry !== undefined && (isRenamed || there.some(code => definedBy(code).includes(entry)))
  const subject: Subject = {
    profile, entry, examples, runs, isEdit, long,
    tests: testsOf(codes, draft), otherFiles: otherFilesOf(codes, draft, profile), prelude: preludeOf(codes, entry)
  }
  return { subject, oracle: oracleOf(subject, nature, main, draft, isChange) }
}

/** The language of most of the draft's code. */
function mainProfile ({ files }: Draft): Profile {
  const sizes = new Map<Profile, number>()
  for (const { profile, source } of files) sizes.set(profile, (sizes.get(profile) ?? 0) + source.length)
  const [largest] = [...sizes].sort((left, right) => right[1] - left[1])
  if (!largest) throw new Error('a draft without a file was read')
  return largest[0]
}

// Models repeat short files in full. For files longer than this (in characters) they often write only the functions that change.
const LONG = 1500

/** The long file of the conversation of which the draft contains changed functions, if any. */
function longFile (draft: Draft, codes: readonly Code[]): Code | undefined {
  return codes.findLast(code => code.source.length > LONG && draft.files.some(file => {
    const names = new Set(definedBy(code))
    return file.elided
      || definedBy(file).some(name => names.has(name))
      || file.profile
        .calledBy(file.source)
        .some(name => names.has(name) || code.statements.some(({ kind, names }) => kind === 'binding' && names.includes(name)))
  }))
}

function namesWithParameters (
  names: readonly string[],
  { files }: Draft,
  long: Code | undefined,
  profile: Profile
): Map<string, string[] | undefined> {
  const sources = [...files.filter(file => file.profile === profile).map(({ source }) => source), ...(long ? [long.source] : [])]
  return new Map(names.map(name => [name, sources.map(source => profile.parametersOf(source, name)).find(found => found !== undefined)]))
}

/** The function or class to test: the one that the examples call, else the one that the user names last, else the main one. */
function entryOf (
  main: DraftFile,
  defined: readonly string[],
  { asked, mentions }: Conversation,
  expressions: readonly string[]
): string | undefined {
  const own = definedBy(main)
  const called = own.find(name => expressions.some(expression => expression.includes(`${name}(`)))
  if (called !== undefined) return called
  const named = own
    .filter(name => name.length > 2 && mentions(name))
    .sort((left, right) => asked.lastIndexOf(left) - asked.lastIndexOf(right))
    .at(-1)
  return named ?? main.profile.mainOf(main.statements) ?? defined.at(-1)
}

function testsOf (codes: readonly Code[], draft: Draft): Files {
  const given = codes.filter(({ role, profile, path, source }) => role === 'user' && profile.isTestFile(path, source))
  const isOwn = (path: string) => draft.files.some(file => file.path === path)
  return Object.fromEntries(given.flatMap(({ path, profile, source }, index) => {
    const name = path ?? profile.testPath(profile.fileFor(`given${index === 0 ? '' : index + 1}`, source))
    return isOwn(name) ? [] : [[name, `${source.trimEnd()}\n`]]
  }))
}

/** Files of the conversation that the draft does not contain, and may import. */
function otherFilesOf (codes: readonly Code[], draft: Draft, profile: Profile): Files {
  const others = codes.filter(code => !profile.isTestFile(code.path, code.source)
    && !draft.files.some(file => file.path === undefined || file.path === code.path ? isVersionOf(file, code) : false))
  return Object.fromEntries(others.flatMap(code => {
    const path = code.path ?? importedAs(code, draft, profile)
    return path !== undefined && profile.runs(path) ? [[path, `${code.source.trimEnd()}\n`]] : []
  }))
}

/** A path for code without one, from the draft's imports: `from split_bill import split_bill` means `split_bill.py`. */
function importedAs (code: Code, { files }: Draft, profile: Profile): string | undefined {
  const names = definedBy(code)
  const users = files.filter(file => file.profile === profile && profile.calledBy(file.source).some(name => names.includes(name)))
  const imported = users.map(({ source }) => profile.localModule(source, names)).find(path => path !== undefined)
  const isTested = users.some(({ path, source }) => profile.isTestFile(path, source))
  return imported ?? (isTested ? profile.fileFor(names.at(-1), code.source) : undefined)
}

/** The user's own helper functions, which a reply may use without repeating them. */
function preludeOf (codes: readonly Code[], entry: string | undefined): string | undefined {
  const given = codes.filter(({ role, profile, path, source }) => role === 'user' && !profile.isTestFile(path, source))
  const kept = given
    .flatMap(({ statements }) => statements)
    .filter(({ kind, names, text }) => ['definition', 'binding', 'import'].includes(kind)
      && !(entry !== undefined && names.includes(entry))
      && text.trim() !== '')
  const isLong = kept.reduce((sum, { text }) => sum + text.length, 0) > LONG
  return !isLong && kept.some(({ kind }) => kind === 'definition') ? kept.map(({ text }) => text).join('\n\n') : undefined
}

function oracleOf (subject: Subject, nature: ReturnType<Profile['natureOf']>, main: DraftFile, draft: Draft, isChange: boolean): Oracle {
  const { examples, runs, tests, entry, profile } = subject
  if (examples.length > 0) return 'calls'
  if (runs.length > 0 || Object.keys(tests).length > 0) return 'output'
  const programs = draft.files.filter(({ path, source }) => !profile.isTestFile(path, source))
  return nature === 'definitions' && entry !== undefined && !isChange && programs.length === 1 && !profile.reachesOut(main.source)
    ? 'calls'
    : 'none'
}
