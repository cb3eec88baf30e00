import { posix } from 'node:path'
import type { Files } from '../../../agents/types.js'
import { isSource, packageOf, renamed } from './imports.js'
import { configOf } from './tsconfig.js'

// As Deno looks for the file of an import without an ending.
const ENDINGS = ['', '.ts', '.tsx', '.mts', '.js', '.mjs', '.jsx', '.json', '/index.ts', '/index.tsx', '/index.mts', '/index.js', '/index.mjs', '/index.jsx']
const MAX_LOOKS = 10_000

/** The files, with what their tsconfig.json has names for put as the files that are meant: Deno's own map of names is fixed before a job is known. */
export function withoutAliases (files: Files): Files {
  const aliases = Object.entries(configOf(files).aliases).sort(([a], [b]) => prefixOf(b).length - prefixOf(a).length)
  if (aliases.length === 0) return files
  let looks = 0
  const sources = Object.entries(files).map(([path, text]) => [path, isSource(path) ? renamed(text, specifier => looks++ < MAX_LOOKS ? meant(specifier, path, aliases, files) : undefined) : text])
  return Object.fromEntries(sources) as Files
}

function meant (specifier: string, from: string, aliases: [string, string[]][], files: Files): string | undefined {
  if (packageOf(specifier) === undefined && !specifier.startsWith('#')) return undefined
  for (const [alias, targets] of aliases) {
    const part = partOf(specifier, alias)
    if (part === undefined) continue
    const path = targets.map(target => fileOf(posix.normalize(target.replace('*', () => part)), files)).find(path => path !== undefined)
    if (path !== undefined) return urlOf(posix.relative(posix.dirname(from), path))
  }
  return undefined
}

const prefixOf = (alias: string) => alias.split('*')[0] ?? alias

// What stands for the star; nothing where there is none.
function partOf (specifier: string, alias: string): string | undefined {
  const [before = '', after] = alias.split('*')
  if (after === undefined) return specifier === alias ? '' : undefined
  const isIt = specifier.length >= before.length + after.length && specifier.startsWith(before) && specifier.endsWith(after)
  return isIt ? specifier.slice(before.length, specifier.length - after.length) : undefined
}

function fileOf (path: string, files: Files): string | undefined {
  const typed = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2')
  return [...ENDINGS.map(ending => path + ending), typed].find(name => Object.hasOwn(files, name))
}

function urlOf (path: string): string {
  return (path.startsWith('../') ? path : `./${path}`).replace(/[%#?'"\\\n]/g, character => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
