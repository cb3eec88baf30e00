import { posix } from 'node:path'
import type { Files } from '../../../agents/types.js'
import { importsOf, isSource } from './imports.js'

/**
 * Deno loads JSON only where the import says that it is JSON. Programs are written for bundlers and runners of tests that ask
 * for no such word: they are given it, on the line where the import is, so that everything keeps its place.
 */
export function withJsonTypes (files: Files): Files {
  if (!Object.keys(files).some(path => path.endsWith('.json'))) return files
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, isSource(path) && text.includes('.json') ? typed(path, text, files) : text]))
}

function typed (path: string, source: string, files: Files): string {
  let made = ''
  let at = 0
  for (const { specifier, isType, kind, end } of importsOf(source)) {
    if (isType || kind === 'require' || !/^\.{1,2}\/.*\.json$/.test(specifier) || !Object.hasOwn(files, posix.join(posix.dirname(path), specifier))) continue
    const isSaid = kind === 'call' ? source[end] === ',' : /^\s{0,20}(?:with|assert)\b/.test(source.slice(end, end + 30))
    if (isSaid) continue
    made += source.slice(at, end) + (kind === 'call' ? ', { with: { type: \'json\' } }' : ' with { type: \'json\' }')
    at = end
  }
  return made + source.slice(at)
}
