import type { Files } from '../../../agents/types.js'

// A file with both kinds of words is a module.
const HAS_MODULE_WORDS = /^(?:import|export)\b/m
const EXPORTS_AS_COMMONJS = /\bmodule\.exports\b|\bexports\.\w+\s*=|\(exports,/

/**
 * Marks files as modules by an empty export. With the flag in worker-kind.ts, Deno takes a file for CommonJS if it neither imports
 * nor exports as modules do. That is right only for files that export as CommonJS does. `scripts` are always modules, since only in
 * modules `require` finds the libraries that tests use.
 */
export function withModulesMarked (files: Files, scripts: string[]): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => {
    const isCommonJs = EXPORTS_AS_COMMONJS.test(text) && !scripts.includes(path)
    const isClear = !/\.[jt]sx?$/.test(path) || path.endsWith('.d.ts') || HAS_MODULE_WORDS.test(text) || isCommonJs
    return [path, isClear ? text : `${text}\nexport {}\n`]
  }))
}
