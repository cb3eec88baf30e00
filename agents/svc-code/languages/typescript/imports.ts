// The modules that a program of TypeScript imports.
import { codeOf } from '../code.js'
import { SYNTAX } from './syntax.js'

const SPECIFIERS = /(?:\bfrom\s{0,20}|\bimport\s{0,20}\(?\s{0,20}|\brequire\s{0,20}\(\s{0,20})["']([^"'\n]{1,200})["']/g

/** String literals are blank in the scanned code, so the specifiers are read from the source, at places that are code. */
export function importsOf (source: string): string[] {
  const code = codeOf(source, SYNTAX)
  return Array
    .from(source.matchAll(SPECIFIERS), match => code[match.index] === source[match.index] ? match[1] ?? '' : '')
    .filter(name => name !== '')
}
