import { builtinModules } from 'node:module'
import type { Files } from '../../../agents/types.js'
import { importsOf, isSource } from './imports.js'

/** What a file of tests speaks of, beside what every test stands on. It is locked for it: see runner/lock-named.ts. */
export interface NamedTools { globals: string[], modules: string[] }

// Deno makes most of these when they are first read, and to lock all would take longer than a small test does. What answers a
// request is seldom called by its name. What goes out to the network (fetch, WebSocket) is replaced by tests and their helpers.
const GLOBALS: [words: RegExp, names: string[]][] = [
  [/\b(?:fetch|Request|Response|Headers|FormData|Blob|File)\b|\.(?:headers|status|json|text|formData|blob|body)\b/, ['Headers', 'Request', 'Response', 'FormData', 'Blob', 'File', 'ReadableStream']],
  [/Stream|\.(?:getReader|getWriter|pipeTo|pipeThrough)\b/, ['ReadableStream', 'ReadableStreamDefaultReader', 'WritableStream', 'WritableStreamDefaultWriter', 'TransformStream', 'CompressionStream', 'DecompressionStream', 'TextEncoderStream', 'TextDecoderStream']],
  [/crypto/i, ['crypto', 'Crypto', 'SubtleCrypto', 'CryptoKey']],
  [/\b(?:atob|btoa)\b/, ['atob', 'btoa']],
  [/CustomEvent|\.detail\b/, ['CustomEvent']],
  [/Message|Channel/, ['MessageChannel', 'MessagePort', 'MessageEvent', 'BroadcastChannel']],
  [/DOMException/, ['DOMException']],
  [/URLPattern/, ['URLPattern']]
]
// Programs set what these hold, or tests have the clock of their own.
const OPEN = new Set(['process', 'console', 'module', 'test', 'timers', 'timers/promises', 'perf_hooks', 'assert', 'assert/strict'])
// What tests call on objects of the program's own classes. Both are there already.
const BASES: [words: RegExp, module: string][] = [
  [/\.(?:on|once|off|emit|addListener|removeListener|listenerCount)\(/, 'events'],
  [/\.(?:pipe|write|read|setEncoding)\(/, 'stream']
]
const SERVERS = ['http', 'https', 'http2', 'net', 'tls']

export function toolsNamed (source = ''): NamedTools {
  return {
    globals: [...new Set(GLOBALS.flatMap(([words, names]) => words.test(source) ? names : []))],
    modules: [...new Set([...builtinsOf([source]).filter(name => !OPEN.has(name)), ...BASES.flatMap(([words, name]) => words.test(source) ? [name] : [])])]
  }
}

/** The modules with servers that a job imports. */
export function serversNamed (files: Files): string[] {
  const found = new Set(builtinsOf(Object.entries(files).filter(([path]) => isSource(path)).map(([, text]) => text)))
  return SERVERS.filter(name => found.has(name))
}

function builtinsOf (sources: string[]): string[] {
  const names = sources.flatMap(text => importsOf(text).map(({ specifier }) => specifier.replace(/^node:/, '')))
  return [...new Set(names)].filter(name => builtinModules.includes(name) && !name.startsWith('_'))
}
