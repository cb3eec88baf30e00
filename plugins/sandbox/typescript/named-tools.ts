import { builtinModules } from 'node:module'
import type { Files } from '../../../agents/types.js'
import { importsOf, isSource } from './imports.js'

const SERVERS = ['http', 'https', 'http2', 'net', 'tls']

/** The modules with servers that a job imports. */
export function serversNamed (files: Files): string[] {
  const found = new Set(builtinsOf(Object.entries(files).filter(([path]) => isSource(path)).map(([, text]) => text)))
  return SERVERS.filter(name => found.has(name))
}

function builtinsOf (sources: string[]): string[] {
  const names = sources.flatMap(text => importsOf(text).map(({ specifier }) => specifier.replace(/^node:/, '')))
  return [...new Set(names)].filter(name => builtinModules.includes(name) && !name.startsWith('_'))
}
