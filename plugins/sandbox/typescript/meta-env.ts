import type { Files } from '../../../agents/types.js'
import { isSource } from './imports.js'

// Comments and texts are stepped over, but for what a template computes.
const TOKENS = /\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)|'(?:\\.?|[^'\\\n])*'?|"(?:\\.?|[^"\\\n])*"?|`(?:\\[\s\S]?|[^`\\])*`?|\bimport\.meta\.env\b/g
const COMPUTED = /\$\{[^`{}]*/g
const NAME = /\bimport\.meta\.env\b/g
const OURS = 'globalThis[Symbol.for(\'svc.env\')]'

/** Vite's and vitest's `import.meta.env`, which a module of Deno's has not: see runner/environment.ts. */
export function withMetaEnv (files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, isSource(path) && text.includes('import.meta.env') ? renamed(text) : text]))
}

function renamed (source: string): string {
  return source.replace(TOKENS, token => {
    if (token.startsWith('`')) return token.replace(COMPUTED, code => code.replace(NAME, OURS))
    return token === 'import.meta.env' ? OURS : token
  })
}
