import { posix } from 'node:path'
import type { CheckReport, Files } from '../../../agents/types.js'
import { packageOf } from './imports.js'

/** A message of the checker about a position in a file. */
export interface Complaint { file: string, pos: number, code: number, text: string, isError: boolean, isSyntax: boolean }

const NO_MODULE = new Set([2307, 2792, 7016, 2875, 2882])
// Bundlers load these files, and the compiler does not know them.
const BUNDLED = /^\.{1,2}\/.*\.(?:vue|svelte|css|s[ac]ss|less|svg|png|jpe?g|gif|webp)$/
// Nobody reads more of them.
const MAX_DIAGNOSTICS = 1000
// Consequences of a missing package: what it calls has no types either.
const ECHOES = new Set([7005, 7006, 7019, 7026, 7031, 7034])

/** The report, without the complaints that follow from missing packages. */
export function report (found: Complaint[], files: Files): CheckReport {
  const missing = new Set<string>()
  const kept = found.filter(({ code, text, isError, file }) => {
    if (!isError) return false
    const [, specifier] = NO_MODULE.has(code) ? /(?:module (?:path )?|import of )'([^']+)'/.exec(text) ?? [] : []
    const isBundled = specifier !== undefined && BUNDLED.test(specifier)
    if (isBundled && Object.hasOwn(files, posix.join(posix.dirname(file), specifier))) return false
    const name = specifier === undefined ? undefined : packageOf(specifier)
    if (name !== undefined) missing.add(name)
    return name === undefined
  })
  const shown = (missing.size === 0 ? kept : kept.filter(({ code }) => !ECHOES.has(code))).slice(0, MAX_DIAGNOSTICS)
  const starts = new Map<string, number[]>()
  const startsOf = (file: string): number[] => {
    const known = starts.get(file) ?? lineStarts(files[file] ?? '')
    starts.set(file, known)
    return known
  }
  return {
    diagnostics: shown.map(({ file, pos, code, text, isSyntax }) => ({
      file, ...positionOf(startsOf(file), pos), code: `TS${code}`, message: text, severity: 'error', source: isSyntax ? 'syntax' : 'types'
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

function positionOf (starts: number[], pos: number): { line: number, column: number } {
  let low = 0
  for (let high = starts.length; high - low > 1;) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= pos) low = middle
    else high = middle
  }
  return { line: low + 1, column: Math.max(0, pos - (starts[low] ?? 0)) + 1 }
}
