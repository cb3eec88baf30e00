// What may be told of a path without a look at the file.
import type { Language } from '../types.js'

const SOURCE: Record<Language, RegExp> = { python: /\.py$/, typescript: /\.[mc]?tsx?$/ }
// Devices and streams on some system, and names with which JavaScript objects come.
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$|__proto__|constructor|prototype)(?:\..*)?$/i

/** It can be checked and run. */
export function isSource (path: string, language: Language): boolean {
  return SOURCE[language].test(path) && !path.endsWith('.d.ts')
}

export function isTest (path: string): boolean {
  return /(?:^|\/)(?:tests?|__tests__)\/|(?:^|\/)test_[^/]*\.py$|(?:_test|\.test|\.spec)\.\w+$/.test(path)
}

/** Relative, below its folder, and a name on every system. */
export function isPlain (path: string): boolean {
  return path.length <= 200 && path.split('/').every(part => /^[\w@.()[\]-]+$/.test(part) && !/^\.{1,2}$|\.$/.test(part) && !RESERVED.test(part) && part.length <= 100)
}
