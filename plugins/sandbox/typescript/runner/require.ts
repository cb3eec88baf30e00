// A global `require` for CommonJS programs, which finds what `import` finds. Node's own would know neither the calling file, nor
// TypeScript's endings, nor the libraries that tests import.
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { modules } from './testing/modules.js'

const ENDINGS = ['', '.ts', '.tsx', '.js', '.mjs', '.cjs', '.mts', '.cts', '.jsx', '.json', '/index.ts', '/index.tsx', '/index.js']

export function requireIn (folder: string): object {
  const root = `file://${folder}/`
  const plain = createRequire(root)
  // Required files have Node's own require, which tries the endings of `extensions`.
  const { extensions } = plain
  for (const ending of ['.ts', '.tsx']) extensions[ending] ??= extensions['.js']
  const isPath = (specifier: string) => /^\.{0,2}\/|^\.{1,2}$/.test(specifier)
  const find = (specifier: string) => isPath(specifier) ? found(new URL(specifier, callerIn(root)), specifier) : specifier
  return Object.assign((specifier: string): unknown => modules.get(specifier) ?? plain(find(specifier)), {
    main: plain.main, cache: plain.cache, extensions, resolve: (specifier: string) => plain.resolve(find(specifier))
  })
}

/** The calling file, for `__filename`. */
export function fileIn (folder: string): string {
  return fileURLToPath(callerIn(`file://${folder}/`))
}

// The calling file is the first of the job's files in the stack.
function callerIn (root: string): string {
  const text = new Error().stack ?? ''
  const at = text.indexOf(root)
  return at < 0 ? root : /^[^\n]*?(?=:\d+:\d+)/.exec(text.slice(at))?.[0] ?? root
}

function found (url: URL, specifier: string): string {
  const path = fileURLToPath(url)
  const typed = /\.[cm]?js$/.test(path) ? [path.replace(/js$/, 'ts')] : []
  return [...ENDINGS.map(ending => path + ending), ...typed].find(isFile) ?? specifier
}

function isFile (path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
