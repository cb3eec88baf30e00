import { posix } from 'node:path'
import type { CheckReport, Files } from '../../../agents/types.js'
import { packageOf } from './imports.js'

export interface Found { file: string, pos: number, code: number, text: string, isError: boolean, isSyntax: boolean }

const NO_MODULE = new Set([2307, 2792, 7016, 2875, 2882])
// A bundler takes these in, and the compiler knows nothing of them.
const BUNDLED = /^\.{1,2}\/.*\.(?:vue|svelte|css|s[ac]ss|less|svg|png|jpe?g|gif|webp)$/
// Nobody reads more of them.
const MAX_TOLD = 1000
// Where the types of a package are not known, nothing that it calls has types either.
const ECHOES = new Set([7005, 7006, 7019, 7026, 7031, 7034])

/** What the checker found, without the noise of packages that are not there. */
export function report (found: Found[], files: Files): CheckReport {
  const missing = new Set<string>()
  const kept = found.filter(({ code, text, isError, file }) => {
    if (!isError) return false
    const [, specifier] = NO_MODULE.has(code) ? /(?:module (?:path )?|import of )'([^']+)'/.exec(text) ?? [] : []
    if (specifier !== undefined && BUNDLED.test(specifier) && Object.hasOwn(files, posix.join(posix.dirname(file), specifier))) return false
    const name = specifier === undefined ? undefined : packageOf(specifier)
    if (name !== undefined) missing.add(name)
    return name === undefined
  })
  const told = (missing.size === 0 ? kept : kept.filter(({ code }) => !ECHOES.has(code))).slice(0, MAX_TOLD)
  const starts = new Map<string, number[]>()
  const startsOf = (file: string): number[] => {
    const known = starts.get(file) ?? lineStarts(files[file] ?? '')
    starts.set(file, known)
    return known
  }
  return {
    diagnostics: told.map(({ file, pos, code, text, isSyntax }) => ({
      file, ...placeOf(startsOf(file), pos), code: `TS${code}`, message: text, severity: 'error', source: isSyntax ? 'syntax' : 'types'
    })),
    missing: [...missing],
    unchecked: []
  }
}

function lineStarts (text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function placeOf (starts: number[], pos: number): { line: number, column: number } {
  let low = 0
  for (let high = starts.length; high - low > 1;) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= pos) low = middle
    else high = middle
  }
  return { line: low + 1, column: Math.max(0, pos - (starts[low] ?? 0)) + 1 }
}
