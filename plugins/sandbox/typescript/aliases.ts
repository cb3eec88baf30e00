import { posix } from 'node:path'
import type { Files } from '../../../agents/types.js'
import { isSource, packageOf, renamed } from './imports.js'
import { configOf } from './tsconfig.js'

// The order in which Deno searches for the file of an import without an ending.
const ENDINGS = [
  '', '.ts', '.tsx', '.mts', '.js', '.mjs', '.jsx', '.json',
  '/index.ts', '/index.tsx', '/index.mts', '/index.js', '/index.mjs', '/index.jsx'
]
const MAX_IMPORTS = 10_000

/** Replaces the aliases that a tsconfig.json defines with relative paths. Deno's own map of names is fixed before it has a job. */
export function withoutAliases (files: Files): Files {
  const aliases = Object.entries(configOf(files).aliases).sort(([a], [b]) => prefixOf(b).length - prefixOf(a).length)
  if (aliases.length === 0) return files
  let count = 0
  return Object.fromEntries(Object.entries(files).map(([path, text]) => {
    const nameOf = (specifier: string) => count++ < MAX_IMPORTS ? resolved(specifier, path, aliases, files) : undefined
    return [path, isSource(path) ? renamed(text, nameOf) : text]
  }))
}

function resolved (specifier: string, from: string, aliases: [string, string[]][], files: Files): string | undefined {
  if (packageOf(specifier) === undefined && !specifier.startsWith('#')) return undefined
  for (const [alias, targets] of aliases) {
    const part = partOf(specifier, alias)
    if (part === undefined) continue
    const paths = targets.map(target => fileOf(posix.normalize(target.replace('*', () => part)), files))
    const path = paths.find(path => path !== undefined)
    if (path !== undefined) return urlOf(posix.relative(posix.dirname(from), path))
  }
  return undefined
}

const prefixOf = (alias: string) => alias.split('*')[0] ?? alias

// The part that matches the star; undefined where the alias does not match.
function partOf (specifier: string, alias: string): string | undefined {
  const [before = '', after] = alias.split('*')
  if (after === undefined) return specifier === alias ? '' : undefined
  const matches = specifier.length >= before.length + after.length && specifier.startsWith(before) && specifier.endsWith(after)
  return matches ? specifier.slice(before.length, specifier.length - after.length) : undefined
}

function fileOf (path: string, files: Files): string | undefined {
  const typed = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2')
  return [...ENDINGS.map(ending => path + ending), typed].find(name => Object.hasOwn(files, name))
}

function urlOf (path: string): string {
  const escaped = (character: string) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  return (path.startsWith('../') ? path : `./${path}`).replace(/[%#?'"\\\n]/g, escaped)
}
