import { posix } from 'node:path'
import type { Files } from '../../../agents/types.js'
import { type Import, importsOf, isSource } from './imports.js'

/**
 * Adds `with { type: 'json' }` to imports of JSON. Deno asks for it, while bundlers and test runners do not. It is added on the line of
 * the import, so that all lines keep their numbers.
 */
export function withJsonTypes (files: Files): Files {
  if (!Object.keys(files).some(path => path.endsWith('.json'))) return files
  const added = Object.entries(files).map(([path, text]) => {
    return [path, isSource(path) && text.includes('.json') ? withTypes(path, text, files) : text]
  })
  return Object.fromEntries(added) as Files
}

function withTypes (path: string, source: string, files: Files): string {
  let text = ''
  let at = 0
  for (const found of importsOf(source)) {
    if (!lacksType(found, path, source, files)) continue
    text += source.slice(at, found.end) + (found.kind === 'call' ? ', { with: { type: \'json\' } }' : ' with { type: \'json\' }')
    at = found.end
  }
  return text + source.slice(at)
}

function lacksType ({ specifier, isType, kind, end }: Import, path: string, source: string, files: Files): boolean {
  if (isType || kind === 'require' || !/^\.{1,2}\/.*\.json$/.test(specifier)) return false
  if (!Object.hasOwn(files, posix.join(posix.dirname(path), specifier))) return false
  return kind === 'call' ? source[end] !== ',' : !/^\s{0,20}(?:with|assert)\b/.test(source.slice(end, end + 30))
}
