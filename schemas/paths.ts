// Removes absolute paths from texts that clients get: they reveal the machine and the name of its user.

const ROOT = String.raw`(?:file:)?(?:\/*[A-Za-z]:[\\/]|\\\\|~[\w.-]*[\\/]|\.\.[\\/]|\/)`
// A folder's name may contain spaces if the path is in quotes, or has the backslashes of Windows.
const QUOTED = String.raw`(?<quote>['"\`])(?<inQuotes>${ROOT}(?:(?!\k<quote>)[^\n])*)\k<quote>`
const WINDOWS = String.raw`(?:file:)?\/*\b[A-Za-z]:[\\/]+(?:[^\\/:*?"'<>|\r\n]+[\\/]+)*[^\\/:*?"'<>|\r\n\s]*`
const UNIX = String.raw`${ROOT}[^\s:'"\`()<>,;|*?]*`
// The rest of a Unix path after a space: /Users/Ann Marie Smith/keys.txt. Where it is really a relative path, its folders are lost.
const CUT_OFF = String.raw`(?: [A-Z][^\s/\\:'"\`()<>,;|*?]*){0,3}(?: [^\s/\\:'"\`()<>,;|*?]+\/[^\s:'"\`()<>,;|*?]*){1,8}`
const START = String.raw`(?:(?<![\w/\\.~])|(?<=\s-\w))`
const WEB = String.raw`\b(?:https?|wss?):\/\/[^\s'"\`<>]*`
const PATH = new RegExp(String.raw`${WEB}|${QUOTED}|${START}(?<bare>${WINDOWS}|${UNIX})(?<cutOff>${CUT_OFF})?`, 'g')

// Paths of URLs, of this service and of backends: they reveal nothing and say what was requested, so they stay.
const INTERFACE = /^\/(?:v1|api|health|props|docs)(?:\/|$)/

const FILE = /[^.]\.\w{1,10}$/

/** The text with every absolute path cut to the name of its file, or to `...` if even that may be a user's name. URLs stay. */
export function withoutPaths (text: string): string {
  const pattern = new RegExp(PATH)
  let cut = ''
  let end = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const { quote, inQuotes, bare, cutOff = '' } = match.groups ?? {}
    cut += text.slice(end, match.index)
    if (quote !== undefined && inQuotes !== undefined) cut += quote + lastOf(inQuotes) + quote
    else if (bare === undefined) cut += match[0]
    else {
      const last = lastOf(bare)
      const isWhole = cutOff === '' || last === bare || FILE.test(last)
      if (isWhole) pattern.lastIndex = match.index + bare.length // the text after it is searched again: it may contain other paths
      cut += isWhole ? last : `${last} ${cutOff.slice(cutOff.lastIndexOf('/') + 1)}`.trimEnd()
    }
    end = pattern.lastIndex
  }
  return cut + text.slice(end)
}

function lastOf (path: string): string {
  if (/^\/[^/\\]*$/.test(path) || (INTERFACE.test(path) && !path.includes('..'))) return path // `/help`, `</div>`
  const parts = partsOf(path.replace(/^file:/, ''))
  const last = parts.at(-1)
  if (last === undefined) return path // slashes alone
  const isHome = /^(?:home|users)$/i.test(parts.at(-2) ?? '')
  const isFile = FILE.test(last) && !isHome
  const isShare = /^(?:\\\\|\/\/|\/*[A-Za-z]:)/.test(path)
  return isFile || (parts.length > (isShare ? 3 : 2) && last !== '..') ? last : '...'
}

function partsOf (path: string): string[] {
  const parts: string[] = []
  for (const part of path.split(/[\\/]+/)) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (path.startsWith('..')) parts.push(part) // in an absolute path, `..` at the root means the root itself
  }
  return parts
}
