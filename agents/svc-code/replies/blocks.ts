/** A piece of a reply that was set apart as code. */
export interface Block {
  /** Of the fence, in lower case: `python`, `ts`, ``. */
  tag: string
  path: string | undefined
  source: string
  closed: boolean
}

const FENCE = /^([ \t]*(?:[-*+>]\s+|\d+[.)]\s+)?)(`{3,}|~{3,})[ \t]*(.*)$/
// No path is longer, and a pattern on a line without end takes for ever.
const LONG = 200
const PATH = /([\w@.()[\]-]+\/)*[\w@.()[\]-]+\.(?:py|pyi|[mc]?[jt]sx?|vue|json|toml|txt|md|ya?ml|html|css|cfg|ini|sh)\b/
const STARTS = /^(?:(?:async def|def|class|import|from|export|function|const|let|interface|type)\b|@\w|#|\/\/)/

export function blocksOf (text: string): Block[] {
  const blocks: Block[] = []
  let open: { mark: string, indent: string, tag: string, path: string | undefined, lines: string[] } | undefined
  let heading: string | undefined
  const end = (closed: boolean) => {
    if (open) blocks.push({ tag: open.tag, path: open.path ?? firstLinePath(open.lines), source: dedent(open.lines), closed })
    open = undefined
  }
  for (const line of text.split('\n')) {
    const fence = FENCE.exec(line)
    const [, indent = '', mark = '', info = ''] = fence ?? []
    if (open && fence && mark[0] === open.mark[0] && mark.length >= open.mark.length) {
      if (info.trim() === '') { end(true); continue }
      if (open.mark.length === 3 && mark.length === 3) end(false) // the one before was never closed, or holds this one
      else { open.lines.push(line); continue }
    } else if (open) {
      const glued = mark === '' && open.mark.startsWith('`') ? /^(.*\S)```\s*$/.exec(line) : null
      if (glued?.[1] !== undefined && !glued[1].includes('`')) { open.lines.push(glued[1]); end(true) } else open.lines.push(line)
      continue
    }
    if (!fence) {
      heading = line.trim() === '' ? heading : pathIn(line)
      continue
    }
    const { tag, path, code } = readInfo(info)
    open = { mark, indent, tag, path: path ?? heading, lines: code === undefined ? [] : [code] }
    heading = undefined
  }
  end(false)
  return blocks.filter(({ source }) => source.trim() !== '')
}

/** `python`, `py title="x.py"`, `python:src/x.py`, `src/x.py`, and code that slipped onto the line of the fence. */
function readInfo (info: string): { tag: string, path: string | undefined, code: string | undefined } {
  const text = info.trim().replace(/^\{?\.?/, '')
  const [, tag = '', rest = ''] = /^([\w+#.-]*)[\s:,{]*(.*)$/s.exec(text) ?? []
  if (/^[\w+#-]+$/.test(tag) && STARTS.test(rest)) return { tag: tag.toLowerCase(), path: undefined, code: info.trim().slice(tag.length).trimStart() }
  const path = PATH.exec(text.slice(0, LONG))?.[0]
  return { tag: path !== undefined && text.startsWith(path) ? path.slice(path.lastIndexOf('.') + 1).toLowerCase() : tag.toLowerCase(), path, code: undefined }
}

/** A line that is about one file: `### src/x.ts`, `**x.py**`, `File: x.py`, "`x.py`:". */
function pathIn (line: string): string | undefined {
  const path = line.length > LONG ? undefined : PATH.exec(line)?.[0]
  if (path === undefined) return undefined
  return line.replace(path, '').replace(/\b(?:file|filename|path|in|create|save)\b/gi, '').replace(/[\s#*`:_"'().\d-]/g, '').length <= 6 ? path : undefined
}

function firstLinePath (lines: readonly string[]): string | undefined {
  const first = lines.find(line => line.trim() !== '')?.slice(0, LONG) ?? ''
  const comment = /^\s*(?:#|\/\/|<!--|\/\*)\s*(?:file(?:name)?:?\s*)?(\S+?)\s*(?:-->|\*\/)?\s*$/i.exec(first)?.[1]
  return comment !== undefined && PATH.exec(comment)?.[0] === comment ? comment : undefined
}

export function dedent (lines: readonly string[]): string {
  const indents = lines.filter(line => line.trim() !== '').map(line => /^[ \t\u00a0]*/.exec(line)?.[0].length ?? 0)
  const least = indents.length === 0 ? 0 : Math.min(...indents)
  return lines.map(line => line.slice(Math.min(least, /^[ \t\u00a0]*/.exec(line)?.[0].length ?? 0))).join('\n')
}
