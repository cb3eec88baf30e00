// What programs written as CommonJS ask for: `require`, which here finds what `import` does. The one of Node's would know
// neither the file that asks, since there is one for all, nor TypeScript's endings, nor what tests import.
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { modules } from './testing/modules.js'

const ENDINGS = ['', '.ts', '.tsx', '.js', '.mjs', '.cjs', '.mts', '.cts', '.jsx', '.json', '/index.ts', '/index.tsx', '/index.js']

export function requireIn (folder: string): object {
  const root = `file://${folder}/`
  const plain = createRequire(root)
  // A file that is required has a require of its own, which looks for the endings that it knows how to load.
  const { extensions } = plain
  for (const ending of ['.ts', '.tsx']) extensions[ending] ??= extensions['.js']
  const find = (specifier: string) => /^\.{0,2}\/|^\.{1,2}$/.test(specifier) ? found(new URL(specifier, callerIn(root)), specifier) : specifier
  return Object.assign((specifier: string): unknown => modules.get(specifier) ?? plain(find(specifier)), {
    main: plain.main, cache: plain.cache, extensions: plain.extensions, resolve: (specifier: string) => plain.resolve(find(specifier))
  })
}

/** The file that asks, which CommonJS tells each file by a name of its own. */
export function fileIn (folder: string): string {
  return fileURLToPath(callerIn(`file://${folder}/`))
}

// The file that calls is the first of the job's in the stack.
function callerIn (root: string): string {
  const text = new Error().stack ?? ''
  const at = text.indexOf(root)
  return at < 0 ? root : /^[^\n]*?(?=:\d+:\d+)/.exec(text.slice(at))?.[0] ?? root
}

function found (url: URL, specifier: string): string {
  const path = fileURLToPath(url)
  return ENDINGS.map(ending => path + ending).find(isFile) ?? (/\.[cm]?js$/.test(path) ? [path.replace(/js$/, 'ts')].find(isFile) : undefined) ?? specifier
}

function isFile (path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
