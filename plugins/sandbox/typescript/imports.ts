import { builtinModules } from 'node:module'
import type { Files } from '../../../agents/types.js'

// The libraries that the runner brings along: see runner/bundle.mjs.
const BUNDLED = new Set(['vitest', '@jest/globals', 'chai', 'mocha', 'bun:test'])
const BUILTINS = new Set(builtinModules.filter(name => !name.startsWith('_')))

// Matches comments and strings, to skip them, and then imports and exports. It reads any text only once: a comment or string that is not
// closed goes on to the end, and a list of names ends at the next `import`.
const SPECIFIER = /(?:'([^'"\n]+)'|"([^'"\n]+)")/.source
const STATEMENT = /\b(import|export)\b(?:\s+(?=\S)(type\s+(?=\S))?)?(?:(?:(?!\b(?:import|export)\b)[\w$*{}\s,])*?[\s}*]from\s*)?/.source
const TOKENS = new RegExp([
  // eslint-disable-next-line regexp/no-super-linear-move -- a line of slashes is one comment, and is read once
  /\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)/.source,
  STATEMENT + SPECIFIER,
  String.raw`\b(?:import|require)\s*\(\s*${SPECIFIER}\s*[,)]`,
  /'(?:\\.?|[^'\\\n])*'?|"(?:\\.?|[^"\\\n])*"?|`(?:\\[\s\S]?|[^`\\])*`?/.source
].join('|'), 'g')

export interface Import {
  specifier: string
  isType: boolean
  kind: 'statement' | 'call' | 'require'
  /** The index behind the specifier. In a call, this is its comma or bracket. */
  end: number
}

/** The modules that a source imports by a literal name. */
export function importsOf (source: string): Import[] {
  const found: Import[] = []
  for (const { 0: token, 2: type, 3: single, 4: double, 5: calledSingle, 6: calledDouble, index } of source.matchAll(TOKENS)) {
    const called = calledSingle ?? calledDouble
    const name = single ?? double ?? called
    if (name === undefined) continue
    const kind = called === undefined ? 'statement' : token.startsWith('import') ? 'call' : 'require'
    found.push({ specifier: name, isType: type !== undefined, kind, end: index + token.length - (kind === 'statement' ? 0 : 1) })
  }
  return found
}

/** Replaces the literal names of imported modules. Those for which `nameOf` returns undefined stay. */
export function renamed (source: string, nameOf: (specifier: string) => string | undefined): string {
  return source.replace(TOKENS, (all: string, _word, _type, ...names: (string | undefined)[]) => {
    const name = names.slice(0, 4).find(found => found !== undefined)
    const other = name === undefined ? undefined : nameOf(name)
    if (name === undefined || other === undefined) return all
    const at = Math.max(all.lastIndexOf(`'${name}'`), all.lastIndexOf(`"${name}"`)) + 1
    return all.slice(0, at) + other + all.slice(at + name.length)
  })
}

/** The package that a specifier means; undefined where the job, Node or the runner has the module. */
export function packageOf (specifier: string): string | undefined {
  if (/^(?:\.{0,2}\/|#|data:|blob:|file:|[A-Za-z]:[\\/])/.test(specifier) || specifier === '.' || specifier === '..') return undefined
  if (specifier.startsWith('node:') || BUILTINS.has(specifier)) return undefined
  if (/^https?:/.test(specifier)) return specifier
  return isBundled(specifier) ? undefined : plainName(specifier)
}

const isBundled = (specifier: string) => BUNDLED.has(specifier) || BUNDLED.has(plainName(specifier))

// Without version and path.
function plainName (specifier: string): string {
  const name = specifier.replace(/^(?:npm|jsr):\/?/, '')
  return /^((?:@[^/]+\/)?[^/@]+)/.exec(name)?.[1] ?? name
}

export function usesNodeTest (source = ''): boolean {
  return importsOf(source).some(({ specifier }) => specifier === 'node:test' || specifier === 'test')
}

const SERVERS = ['http', 'https', 'http2', 'net', 'tls']

/** Those modules of Node with servers that a job imports. */
export function serversNamed (files: Files): string[] {
  const found = new Set(specifiersOf(files).map(specifier => specifier.replace(/^node:/, '')))
  return SERVERS.filter(name => found.has(name))
}

/** The packages that a job imports, in the order of their first import. */
export function packagesOf (files: Files): string[] {
  return [...new Set(specifiersOf(files).map(packageOf).filter(name => name !== undefined))]
}

/**
 * Finds the package that an error says is missing, among those that the job imports: the code can print the same words about any
 * other name.
 */
export function missingAmong (files: Files): (message: string) => string | undefined {
  let imported: Map<string, string> | undefined
  return message => {
    const named = namedIn(message)
    if (named === undefined) return undefined
    imported ??= importedPackages(files) // computed once, and only if a failure needs it
    return imported.get(named)
  }
}

/** The packages that files import, by all that an error may name them by: its specifier, its name, its host, or `npm:` alone. */
function importedPackages (files: Files): Map<string, string> {
  const packages = new Map<string, string>()
  for (const specifier of new Set(specifiersOf(files))) {
    // Of a library that the runner has, another version or another file may be missing.
    const missing = packageOf(specifier) ?? (isBundled(specifier) ? bundledPart(specifier) : undefined)
    if (missing === undefined) continue
    const [scheme = '', , host = ''] = specifier.split('/', 3)
    const names = [missing, specifier]
    if (/^https?:$/.test(scheme)) names.push(host.split(':', 1)[0] ?? host)
    if (specifier.startsWith('npm:')) names.push('npm:')
    for (const name of names) if (!packages.has(name)) packages.set(name, missing)
  }
  return packages
}

const bundledPart = (specifier: string) => /^(?:npm|jsr):/.test(specifier) ? plainName(specifier) : specifier

// How Deno says that it cannot load a module. The name, or the host, is in one of the groups.
const NOT_FOUND = [
  /^(npm):? specifiers were requested/,
  /^Requires import access to "([\w.-]{1,300})/,
  /^(?:Relative import path|Import) "([^"]+)" not (?:prefixed|a dependency)/,
  /Could not find (?:package )?"([^"]+)"/,
  /(?:Cannot find (?:module|package)|Unable to resolve) ['"]([^'"]+)['"]/,
  /((?:npm|jsr):[^\s"']+)/,
  /^JSR package manifest for '([^']+)'/,
  /(https?:[^\s"']+)/
]

function namedIn (message: string): string | undefined {
  for (const pattern of NOT_FOUND) {
    const [, name] = pattern.exec(message) ?? []
    if (name !== undefined) return name === 'npm' ? 'npm:' : packageOf(name) ?? bundledPart(name)
  }
  return undefined
}

function specifiersOf (files: Files): string[] {
  return Object.entries(files).filter(([path]) => isSource(path)).flatMap(([, text]) => importsOf(text).map(({ specifier }) => specifier))
}

export function isSource (path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path) && !path.endsWith('.d.ts')
}
