import { builtinModules } from 'node:module'
import type { Files } from '../../../agents/types.js'

// What the runner brings along: see runner/bundle.mjs.
const SHIMS = new Set(['vitest', '@jest/globals', 'chai', 'mocha', 'bun:test'])
const BUILTINS = new Set(builtinModules.filter(name => !name.startsWith('_')))

// Comments and texts are stepped over; what is left of `import` and its like is one. No text is looked through more than once,
// whatever it is: what is not closed goes to the end, and a list of names ends at the next `import`.
const TOKENS = /\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)|\b(import|export)\b(?:\s+(?=\S)(type\s+(?=\S))?)?(?:(?:(?!\b(?:import|export)\b)[\w$*{}\s,])*?[\s}*]from\s*)?(['"])([^'"\n]+)\3|\b(?:import|require)\s*\(\s*(['"])([^'"\n]+)\5\s*[,)]|'(?:\\.?|[^'\\\n])*'?|"(?:\\.?|[^"\\\n])*"?|`(?:\\[\s\S]?|[^`\\])*`?/g

export interface Import {
  specifier: string
  isType: boolean
  kind: 'statement' | 'call' | 'require'
  /** Where the source goes on behind the specifier, which in a call is at its comma or bracket. */
  end: number
}

/** The modules that a source names as texts. */
export function importsOf (source: string): Import[] {
  const found: Import[] = []
  for (const { 0: token, 2: type, 4: specifier, 6: called, index } of source.matchAll(TOKENS)) {
    const name = specifier ?? called
    if (name === undefined) continue
    const kind = called === undefined ? 'statement' : token.startsWith('import') ? 'call' : 'require'
    found.push({ specifier: name, isType: type !== undefined, kind, end: index + token.length - (kind === 'statement' ? 0 : 1) })
  }
  return found
}

/** The source, with the modules that it names as texts named otherwise. */
export function renamed (source: string, nameOf: (specifier: string) => string | undefined): string {
  return source.replace(TOKENS, (all: string, _word, _type, _quote, specifier?: string, _other?: string, called?: string) => {
    const name = specifier ?? called
    const other = name === undefined ? undefined : nameOf(name)
    if (name === undefined || other === undefined) return all
    const at = Math.max(all.lastIndexOf(`'${name}'`), all.lastIndexOf(`"${name}"`)) + 1
    return all.slice(0, at) + other + all.slice(at + name.length)
  })
}

/** The package of a specifier that neither the job, nor Node, nor the sandbox brings. */
export function packageOf (specifier: string): string | undefined {
  if (/^(?:\.{0,2}\/|#|data:|blob:|file:|[A-Za-z]:[\\/])/.test(specifier) || specifier === '.' || specifier === '..') return undefined
  if (specifier.startsWith('node:') || BUILTINS.has(specifier)) return undefined
  if (/^https?:/.test(specifier)) return specifier
  return isShim(specifier) ? undefined : plainName(specifier)
}

const isShim = (specifier: string) => SHIMS.has(specifier) || SHIMS.has(plainName(specifier))

// Without a version, or the file within.
function plainName (specifier: string): string {
  const name = specifier.replace(/^(?:npm|jsr):\/?/, '')
  return /^((?:@[^/]+\/)?[^/@]+)/.exec(name)?.[1] ?? name
}

export function usesNodeTest (source = ''): boolean {
  return importsOf(source).some(({ specifier }) => specifier === 'node:test' || specifier === 'test')
}

const SERVERS = ['http', 'https', 'http2', 'net', 'tls']

/** Node's modules with servers that a job imports. */
export function serversNamed (files: Files): string[] {
  const found = new Set(specifiersOf(files).map(specifier => specifier.replace(/^node:/, '')))
  return SERVERS.filter(name => found.has(name))
}

/** The packages that a job's files import, in the order in which they are first named. */
export function packagesOf (files: Files): string[] {
  return [...new Set(specifiersOf(files).map(packageOf).filter(name => name !== undefined))]
}

/** The package whose absence an error speaks of, among those that the job imports: anybody can say so. */
export function missingAmong (files: Files): (message: string) => string | undefined {
  let imported: Map<string, string | undefined> | undefined
  return message => {
    const trait = traitIn(message)
    if (trait === undefined) return undefined
    imported ??= traitsOf(files) // looked up once, and only if a failure speaks of any
    return imported.get(trait)
  }
}

// By what an error tells which specifier it is about: its package, or no more than where that is from.
function traitIn (message: string): string | undefined {
  if (message.startsWith('npm specifiers were requested')) return 'npm:'
  const [, host] = /^Requires import access to "([\w.-]{1,300})/.exec(message) ?? []
  return host === undefined ? nameIn(message) : `//${host}`
}

function traitsOf (files: Files): Map<string, string | undefined> {
  const traits = new Map<string, string | undefined>()
  for (const specifier of new Set(specifiersOf(files))) {
    const name = absentOf(specifier)
    const host = specifier.split('/', 3)[2]?.split(':', 1)[0]
    for (const trait of [name, host === undefined ? undefined : `//${host}`, specifier.startsWith('npm:') ? 'npm:' : undefined]) {
      if (trait !== undefined && !traits.has(trait)) traits.set(trait, name)
    }
  }
  return traits
}

function nameIn (message: string): string | undefined {
  const [, specifier] = /^(?:Relative import path|Import) "([^"]+)" not (?:prefixed|a dependency)/.exec(message)
    ?? /Could not find (?:package )?"([^"]+)"/.exec(message)
    ?? /(?:Cannot find (?:module|package)|Unable to resolve) ['"]([^'"]+)['"]/.exec(message)
    ?? /((?:npm|jsr):[^\s"']+)/.exec(message)
    ?? /^JSR package manifest for '([^']+)'/.exec(message)
    ?? /remote specifier was requested: "(https?:[^"]+)"|(https?:\/\/[^\s"']+)/.exec(message) ?? []
  return specifier === undefined ? undefined : absentOf(specifier)
}

// Of what the runner brings along there may be a version or a part that it does not.
function absentOf (specifier: string): string | undefined {
  return packageOf(specifier) ?? (isShim(specifier) ? /^(?:npm|jsr):/.test(specifier) ? plainName(specifier) : specifier : undefined)
}

function specifiersOf (files: Files): string[] {
  return Object.entries(files).filter(([path]) => isSource(path)).flatMap(([, text]) => importsOf(text).map(({ specifier }) => specifier))
}

export function isSource (path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path) && !path.endsWith('.d.ts')
}
