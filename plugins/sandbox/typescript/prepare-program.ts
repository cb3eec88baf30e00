import type { Files } from '../../../agents/types.js'
import type { CheckedProgram } from '../job.js'
import { withoutAliases } from './aliases.js'
import { withModulesMarked } from './commonjs.js'
import { importsOf, isSource, renamed } from './imports.js'
import { withJsonTypes } from './json-imports.js'
import { withMetaEnv } from './meta-env.js'

// Modules that the runner has others for, which write to memory and start no process: see runner/stand-ins.ts.
const FILE_MODULES = ['fs', 'fs/promises']
const STAND_INS = new Map([...FILE_MODULES, 'child_process'].flatMap(name => [[name, `svc-${name}`], [`node:${name}`, `svc-${name}`]]))
// By these names it could open a connection or start a process.
const REACHING = /\b(?:fetch|WebSocket|EventSource|connect|connectTls|listen|listenTls|listenDatagram|serve|resolveDns|Command)\b/g
const MAIN_WORD = 'import.meta.main'
// Comments and texts are stepped over.
const MAIN = new RegExp([
  // eslint-disable-next-line regexp/no-super-linear-move -- a line of slashes is one comment, and is read once
  /\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)/.source,
  /'(?:\\.?|[^'\\\n])*'?|"(?:\\.?|[^"\\\n])*"?|`(?:\\[\s\S]?|[^`\\])*`?/.source,
  '\\bimport\\.meta\\.main\\b'
].join('|'), 'g')
const IS_MODULE = /^[ \t]*(?:import|export|await|for await)\b|=[ \t]*await\b|\bimport\.meta\b/m

export interface PreparedProgram {
  given: Files
  files: Files
  job: object
}

/** The files as they are loaded, every line of them at its place, and what the runner is told. */
export function prepareProgram ({ files: given, entry, args, stdin }: CheckedProgram): PreparedProgram {
  const isCommonJs = isCommonJsEntry(entry, given)
  const modules = modulesOf(given)
  const usesFiles = modules.some(name => FILE_MODULES.includes(name)) || sourcesOf(given).some(text => text.includes('Deno.'))
  const whole = withMetaEnv(withJsonTypes(withoutAliases(given)))
  const marked = isCommonJs ? withScriptsKept(whole) : withModulesMarked(whole, [entry])
  const files = Object.fromEntries(Object.entries(marked).map(([path, text]) => {
    if (!isSource(path)) return [path, text]
    return [path, renamed(path === entry ? withMainTrue(text) : text, specifier => STAND_INS.get(specifier))]
  }))
  const laid = usesFiles ? Object.keys(given) : undefined
  const job = { mode: 'run', entry, args, hasStdin: stdin !== undefined, isCommonJs, files: laid, names: wordsOf(given), modules }
  return { given, files, job }
}

// The runner is the main module for Deno. What stands behind on the line keeps its column.
function withMainTrue (text: string): string {
  return text.includes(MAIN_WORD) ? text.replace(MAIN, token => token === MAIN_WORD ? 'true'.padEnd(MAIN_WORD.length) : token) : text
}

const sourcesOf = (files: Files) => Object.entries(files).filter(([path]) => isSource(path)).map(([, text]) => text)

function modulesOf (files: Files): string[] {
  return [...new Set(sourcesOf(files).flatMap(importsOf).map(({ specifier }) => specifier.startsWith('node:') ? specifier.slice(5) : specifier))]
}

function wordsOf (files: Files): string[] {
  return [...new Set(sourcesOf(files).flatMap(text => text.match(REACHING) ?? []))]
}

// As Node takes a file without an import or export of its own for CommonJS.
function isCommonJsEntry (entry: string, files: Files): boolean {
  const text = files[entry] ?? ''
  if (entry.endsWith('.cjs') || entry.endsWith('.cts')) return true
  return entry.endsWith('.js') && !IS_MODULE.test(text) && !isModulePackage(files)
}

function isModulePackage (files: Files): boolean {
  return /"type"\s{0,20}:\s{0,20}"module"/.test(files['package.json'] ?? '')
}

/** JavaScript that a CommonJS program requires may have no exports. */
function withScriptsKept (files: Files): Files {
  const typed = Object.entries(files).filter(([path]) => !path.endsWith('.js') && !path.endsWith('.cjs'))
  return { ...files, ...withModulesMarked(Object.fromEntries(typed), []) }
}
