// Absolute paths in texts that a client gets. They tell about the machine, and with it about its user.

const ROOT = String.raw`(?:file:)?(?:\/*[A-Za-z]:[\\/]|\\\\|~[\w.-]*[\\/]|\.\.[\\/]|\/)`
// A folder's name may hold spaces where quotes tell the end, or the backslashes of Windows.
const QUOTED = String.raw`(?<quote>['"\`])(?<inQuotes>${ROOT}(?:(?!\k<quote>)[^\n])*)\k<quote>`
const WINDOWS = String.raw`(?:file:)?\/*\b[A-Za-z]:[\\/]+(?:[^\\/:*?"'<>|\r\n]+[\\/]+)*[^\\/:*?"'<>|\r\n\s]*`
const UNIX = String.raw`${ROOT}[^\s:'"\`()<>,;|*?]*`
// What a space cut off from a Unix path: /Users/Ann Marie Smith/keys.txt. Where it was none, a relative path loses its folders.
const CUT_OFF = String.raw`(?: [A-Z][^\s/\\:'"\`()<>,;|*?]*){0,3}(?: [^\s/\\:'"\`()<>,;|*?]+\/[^\s:'"\`()<>,;|*?]*){1,8}`
const START = String.raw`(?:(?<![\w/\\.~])|(?<=\s-\w))`
const PATH = new RegExp(String.raw`\b(?:https?|wss?):\/\/[^\s'"\`<>]*|${QUOTED}|${START}(?<bare>${WINDOWS}|${UNIX})(?<cutOff>${CUT_OFF})?`, 'g')

// Of ours and of backends: they tell nothing, and say what was asked for.
const INTERFACE = /^\/(?:v1|api|health|props|docs)(?:\/|$)/

const FILE = /[^.]\.\w{1,10}$/

/** The text with every absolute path cut down to the name of its file, or to `...` where even that may name a user. URLs stay. */
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
      if (isWhole) pattern.lastIndex = match.index + bare.length // what was taken for the rest of it may hold other paths
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
    else if (path.startsWith('..')) parts.push(part) // above the root is nothing
  }
  return parts
}
