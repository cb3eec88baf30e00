// Questions about paths that can be answered without reading the file.
import type { Files } from '../types.js'

// Names of devices and streams on some systems, and names that every JavaScript object has.
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$|__proto__|constructor|prototype)(?:\..*)?$/i

const TEST_FOLDERS = new Set(['test', 'tests', '__tests__'])

/** Whether a file contains tests, in any language. */
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

/** Whether a path is relative, stays below its folder, and is a valid name on every system. */
export function isPlain (path: string): boolean {
  return path.length <= 200
    && path
      .split('/')
      .every(part => /^[\w@.()[\]-]+$/.test(part) && !/^\.{1,2}$|\.$/.test(part) && !RESERVED.test(part) && part.length <= 100)
}
