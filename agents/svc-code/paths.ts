// What may be told of a path without a look at the file.
import type { Files } from '../types.js'

// Devices and streams on some system, and names with which JavaScript objects come.
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$|__proto__|constructor|prototype)(?:\..*)?$/i

const TEST_FOLDERS = new Set(['test', 'tests', '__tests__'])

/** A file of tests, in any language that is known here. */
export function isTest (path: string): boolean {
  const folders = path.split('/')
  const name = folders.pop() ?? ''
  const stem = name.slice(0, Math.max(0, name.lastIndexOf('.')))
  return folders.some(folder => TEST_FOLDERS.has(folder))
    || (name.startsWith('test_') && name.endsWith('.py'))
    || ['_test', '.test', '.spec'].some(end => stem.endsWith(end))
}

export function withoutTests (files: Files): Files {
  return Object.fromEntries(Object.entries(files).filter(([path]) => !isTest(path)))
}

/** Relative, below its folder, and a name on every system. */
export function isPlain (path: string): boolean {
  return path.length <= 200
    && path
      .split('/')
      .every(part => /^[\w@.()[\]-]+$/.test(part) && !/^\.{1,2}$|\.$/.test(part) && !RESERVED.test(part) && part.length <= 100)
}
