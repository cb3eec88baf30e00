import type { Files } from '../../../agents/types.js'
import { BASICS, OTHER_HOSTS, TEST_GLOBALS, TEST_MODULES } from './ambient.js'
import { importsOf, isSource } from './imports.js'
import { builtinModules } from 'node:module'

export interface Surroundings {
  lib: string[]
  /** Whether @types/node is needed. */
  node: boolean
  declarations: string
}

const WEB = /\b(?:fetch|Request|Response|Headers|FormData|Blob|File|URL|URLSearchParams|URLPattern|TextEncoder|TextDecoder|AbortController|AbortSignal|crypto|document|window|navigator|location|localStorage|sessionStorage|history|alert|requestAnimationFrame|WebSocket|Worker|MessageChannel|BroadcastChannel|EventTarget|Event|CustomEvent|ReadableStream|WritableStream|TransformStream|btoa|atob|[A-Z]\w*Event|(?:HTML|SVG)\w*|Element|Node|NodeList|MutationObserver|IntersectionObserver|ResizeObserver|XMLHttpRequest|Storage|performance|DOMException|JSX)\b/
const NODE = /\b(?:process|Buffer|require|module|exports|__dirname|__filename|global|setImmediate|clearImmediate|NodeJS)\b/
const TESTS = /\b(?:describe|it|test|expect|beforeEach|afterEach|beforeAll|afterAll|suite|vi|jest)\b/
const TEST_LIBRARIES = /^(?:vitest|@jest\/globals|bun:test|mocha|chai)$/
const BUILTINS = new Set(builtinModules)

/** What the files speak of, and so must be declared. Too much costs time only; too little would cost false errors. */
export function surroundingsOf (files: Files): Surroundings {
  const sources = Object.entries(files).filter(([path]) => isSource(path)).map(([, text]) => text)
  const specifiers = sources.flatMap(text => importsOf(text).map(({ specifier }) => specifier))
  const speaksOf = (words: RegExp) => sources.some(text => words.test(text))
  const node = speaksOf(NODE) || specifiers.some(specifier => specifier.startsWith('node:') || BUILTINS.has(specifier))
  // Node's own declarations hold most of the web's names, but not the types of a page.
  const dom = speaksOf(WEB)
  const tests = speaksOf(TESTS) || specifiers.some(specifier => TEST_LIBRARIES.test(specifier))
  const hosts = speaksOf(/\b(?:Deno|Bun)\b/)
  return {
    lib: dom ? ['esnext', 'dom', 'dom.iterable', 'dom.asynciterable'] : ['esnext'],
    node,
    declarations: `${dom || node ? '' : BASICS}${hosts ? OTHER_HOSTS : ''}${tests ? TEST_MODULES + TEST_GLOBALS : ''}`
  }
}
