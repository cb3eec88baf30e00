import { builtinModules } from 'node:module'
import type { Files } from '../../../agents/types.js'
import { BASICS, OTHER_HOSTS, TEST_GLOBALS, TEST_MODULES } from './ambient.js'
import { importsOf, isSource } from './imports.js'

/** What the checker needs to know beside the job's files. */
export interface Declarations {
  lib: string[]
  /** Whether @types/node is needed. */
  node: boolean
  text: string
}

const WEB = wordsIn(String.raw`
  fetch Request Response Headers FormData Blob File URL URLSearchParams URLPattern TextEncoder TextDecoder AbortController AbortSignal
  crypto document window navigator location localStorage sessionStorage history alert requestAnimationFrame WebSocket Worker
  MessageChannel BroadcastChannel EventTarget Event CustomEvent ReadableStream WritableStream TransformStream btoa atob [A-Z]\w*Event
  HTML\w* SVG\w* Element Node NodeList MutationObserver IntersectionObserver ResizeObserver XMLHttpRequest Storage performance
  DOMException JSX
`)
const NODE = /\b(?:process|Buffer|require|module|exports|__dirname|__filename|global|setImmediate|clearImmediate|NodeJS)\b/
const TESTS = /\b(?:describe|it|test|expect|beforeEach|afterEach|beforeAll|afterAll|suite|vi|jest)\b/
const TEST_LIBRARIES = /^(?:vitest|@jest\/globals|bun:test|mocha|chai)$/
const BUILTINS = new Set(builtinModules)

/** Finds out what the files use by the words in them. Too many declarations only cost time; too few would give false errors. */
export function declarationsFor (files: Files): Declarations {
  const sources = Object.entries(files).filter(([path]) => isSource(path)).map(([, text]) => text)
  const specifiers = sources.flatMap(text => importsOf(text).map(({ specifier }) => specifier))
  const uses = (words: RegExp) => sources.some(text => words.test(text))
  const node = uses(NODE) || specifiers.some(specifier => specifier.startsWith('node:') || BUILTINS.has(specifier))
  // Node's declarations have most names of the web, but not the types of a page.
  const dom = uses(WEB)
  const tests = uses(TESTS) || specifiers.some(specifier => TEST_LIBRARIES.test(specifier))
  const hosts = uses(/\b(?:Deno|Bun)\b/)
  return {
    lib: dom ? ['esnext', 'dom', 'dom.iterable', 'dom.asynciterable'] : ['esnext'],
    node,
    text: `${dom || node ? '' : BASICS}${hosts ? OTHER_HOSTS : ''}${tests ? TEST_MODULES + TEST_GLOBALS : ''}`
  }
}

function wordsIn (list: string): RegExp {
  return new RegExp(`\\b(?:${list.trim().split(/\s+/).join('|')})\\b`)
}
