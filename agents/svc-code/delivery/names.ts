// Names for the files of a reply: as the reply or the user names them, otherwise after the functions or classes that they define.
import { isPath } from '../reply/fences.js'
import { isPlain } from '../paths.js'
import { type Draft, type DraftFile, definedBy, isVersionOf } from '../reply/draft.js'
import type { Conversation } from '../conversation.js'

const COMMENTS = ['#', '//', '*', '"""', '/*']
const MOST_LOOKED_AT = 20_000

/** A path for each file of a draft, all different. */
export function pathsOf (draft: Draft, conversation: Conversation, entry: string | undefined): Map<DraftFile, string> {
  const paths = new Map<DraftFile, string>()
  const programs = draft.files.filter(file => !isTests(file))
  const replyText = draft.pieces.map(piece => piece.type === 'text' ? piece.raw : '').join('\n')
  const hints = { asked: pathsIn(conversation.asked), reply: pathsIn(replyText) }
  for (const file of programs) {
    const named = fit(file.path)
      ?? earlierPath(file, conversation)
      ?? (programs.length === 1
        ? hinted(file, [...hints.asked, ...commented(file), ...hints.reply])
        : hinted(file, [...commented(file), ...before(file, draft)]))
    paths.set(file, free(named ?? ownName(file, entry), paths))
  }
  for (const file of draft.files.filter(isTests)) {
    const main = [...paths].find(([other]) => other.profile === file.profile)?.[1]
    const named = fit(file.path) ?? [...hints.reply, ...hints.asked].find(path => suits(path, file) && file.profile.isTestFile(path, ''))
    paths.set(file, free(named
      ?? file.profile.testPath(main ?? subjectOf(file, conversation) ?? file.profile.fileFor(undefined, file.source)), paths))
  }
  return paths
}

function isTests ({ profile, path, source }: DraftFile): boolean {
  return profile.isTestFile(path, source)
}

/** The path, made relative; undefined if it has unusual characters or leads elsewhere. */
function fit (path: string | undefined): string | undefined {
  const plain = path?.replaceAll('\\', '/').replace(/^(?:[A-Za-z]:)?(?:\.?\/)+/, '')
  return plain !== undefined && isPlain(plain) ? plain : undefined
}

function earlierPath (file: DraftFile, { codes }: Conversation): string | undefined {
  return codes.findLast(code => code.path !== undefined && isVersionOf(file, code))?.path
}

/** The path of the code that the tests are for. */
function subjectOf ({ profile }: DraftFile, { latest }: Conversation): string | undefined {
  const code = latest.findLast(each => each.profile === profile && !isTests(each))
  return code && (code.path ?? profile.fileFor(definedBy(code).at(-1), code.source))
}

function hinted (file: DraftFile, paths: readonly string[]): string | undefined {
  const found = paths.find(path => suits(path, file) && !file.profile.isTestFile(path, ''))
  return found !== undefined && isShadow(found, file) ? undefined : fit(found)
}

/** Whether the name would hide a module that the file imports: a file that imports `flask` must not be named `flask.py`. */
function isShadow (path: string, { profile, source }: DraftFile): boolean {
  const name = stem(path)
  return profile.importsOf(source).some(module => module.replaceAll('/', '.').split('.', 1)[0] === name)
}

function stem (path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name.slice(0, name.indexOf('.'))
}

/** Whether the ending of a path goes with the language and the tag of the fence. */
function suits (path: string, file: DraftFile): boolean {
  const ending = path.slice(path.lastIndexOf('.'))
  if (!file.profile.endings.includes(ending)) return false
  const own = endingOf(file)
  return own === ending || file.tag === '' || family(own) === family(ending)
}

/** Endings that count as the same: `.js`, `.mjs` and `.jsx` do, `.ts` and `.js` do not. */
function family (ending: string): string {
  const plain = ending.replace(/^\.[mc]/, '.')
  return plain.endsWith('x') ? plain.slice(0, -1) : plain
}

function endingOf ({ tag, profile }: DraftFile): string {
  return profile.endings.find(ending => ending === `.${tag}`) ?? profile.endingFor(tag)
}

/** A word without punctuation at its end, and without `./` at its beginning. */
function bareWord (word: string): string {
  let end = word.length
  while (end > 0 && '.:!?'.includes(word[end - 1] ?? ' ')) end--
  return word.slice(word.startsWith('./') ? 2 : 0, end)
}

/** The paths in a text, in order. */
export function pathsIn (text: string): string[] {
  return text
    .slice(0, MOST_LOOKED_AT)
    .split(/[\s`"'()<>,;*]+/)
    .map(bareWord)
    .filter(word => word.includes('.') && isPath(word))
}

/** The paths that the file's first comments name: `# usage: python wordcount.py`. */
function commented ({ source }: DraftFile): string[] {
  const lines = source.slice(0, 2000).split('\n').slice(0, 12).map(line => line.trim())
  return pathsIn(lines.filter(line => COMMENTS.some(mark => line.startsWith(mark))).join('\n'))
}

/** The paths in the line of text before the file. */
function before (file: DraftFile, { pieces }: Draft): string[] {
  const index = pieces.findIndex(piece => piece.type === 'file' && piece.file === file)
  const piece = pieces[index - 1]
  return piece?.type === 'text' ? pathsIn(piece.raw.trimEnd().split('\n').at(-1) ?? '') : []
}

function ownName (file: DraftFile, entry: string | undefined): string {
  const defined = definedBy(file)
  const name = entry !== undefined && defined.includes(entry) ? entry : file.profile.mainOf(file.statements)
  const path = file.profile.fileFor(name, file.source)
  return path.slice(0, path.lastIndexOf('.')) + endingOf(file)
}

function free (path: string, taken: ReadonlyMap<DraftFile, string>): string {
  const paths = new Set(taken.values())
  const dot = path.lastIndexOf('.')
  for (let number = 1; ; number++) {
    const other = number === 1 ? path : `${path.slice(0, dot)}${number}${path.slice(dot)}`
    if (!paths.has(other)) return other
  }
}
