import type { Files } from '../../../agents/types.js'

// A file may have both: what it imports or exports makes it a module then.
const HAS_MODULE_WORDS = /^(?:import|export)\b/m
const EXPORTS_AS_COMMONJS = /\bmodule\.exports\b|\bexports\.\w+\s*=|\(exports,/

/**
 * Deno takes for CommonJS what neither imports nor exports as modules do, as cells.ts has it do. That is for files that export
 * as CommonJS does. Tests and scripts stay modules, since only there `require` knows what tests import.
 */
export function withModulesMarked (files: Files, tests: string[]): Files {
  const isCommonJs = (path: string, text: string) => EXPORTS_AS_COMMONJS.test(text) && !tests.includes(path)
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, !/\.[jt]sx?$/.test(path) || path.endsWith('.d.ts') || HAS_MODULE_WORDS.test(text) || isCommonJs(path, text) ? text : `${text}\nexport {}\n`]))
}
