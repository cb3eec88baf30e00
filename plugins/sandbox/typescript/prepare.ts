import type { Files } from '../../../agents/types.js'
import type { CheckedProgram } from '../job.js'
import { withoutAliases } from './aliases.js'
import { withModulesMarked } from './commonjs.js'
import { importsOf, isSource, renamed } from './imports.js'
import { withJsonTypes } from './json-imports.js'
import { replaceMeta } from './words.js'

// Modules that are replaced for a program, by the names that runner/stand-ins.ts gives the replacements.
const FILE_MODULES = ['fs', 'fs/promises']
const STAND_INS = new Map([...FILE_MODULES, 'child_process'].flatMap(name => [[name, `svc-${name}`], [`node:${name}`, `svc-${name}`]]))
// Names by which a program could open a connection or start a process.
const NEEDS = /\b(?:fetch|WebSocket|EventSource|connect|connectTls|listen|listenTls|listenDatagram|serve|resolveDns|Command)\b/g
const IS_MODULE = /^[ \t]*(?:import|export|await|for await)\b|=[ \t]*await\b|\bimport\.meta\b/m
// runner/environment.ts puts an object there, since Deno's modules have no `import.meta.env` as those of Vite and vitest have.
const ENV = 'globalThis[Symbol.for(\'svc.env\')]'

/** The files as Deno can load them, with every line in its place. `scripts` are files that stay modules even without an export. */
export function prepareFiles (files: Files, scripts: string[]): Files {
  return withModulesMarked(withMetaEnv(withJsonTypes(withoutAliases(files))), scripts)
}

/** The same for a program, with the job for the runner. */
export function prepareProgram ({ files: given, entry, args, stdin }: CheckedProgram): { files: Files, job: object } {
  const isCommonJs = isCommonJsEntry(entry, given)
  const sources = Object.entries(given).filter(([path]) => isSource(path)).map(([, text]) => text)
  const modules = new Set(sources.flatMap(importsOf).map(({ specifier }) => specifier.replace(/^node:/, '')))
  const names = new Set(sources.flatMap(text => text.match(NEEDS) ?? []))
  const usesFiles = FILE_MODULES.some(name => modules.has(name)) || sources.some(text => text.includes('Deno.'))
  const whole = withMetaEnv(withJsonTypes(withoutAliases(given)))
  const marked = isCommonJs ? withScriptsKept(whole) : withModulesMarked(whole, [entry])
  const files = Object.fromEntries(Object.entries(marked).map(([path, text]) => {
    if (!isSource(path)) return [path, text]
    // For Deno, our runner is the main module. The spaces keep the columns of what follows.
    const source = path === entry ? replaceMeta(text, 'main', 'true'.padEnd('import.meta.main'.length)) : text
    return [path, renamed(source, specifier => STAND_INS.get(specifier))]
  }))
  const words = { names: [...names], modules: [...modules] }
  const written = usesFiles ? Object.keys(given) : undefined
  return { files, job: { mode: 'run', entry, args, hasStdin: stdin !== undefined, isCommonJs, files: written, ...words } }
}

function withMetaEnv (files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, isSource(path) ? replaceMeta(text, 'env', ENV) : text]))
}

// Node, too, takes a file without an import or export for CommonJS.
function isCommonJsEntry (entry: string, files: Files): boolean {
  if (entry.endsWith('.cjs') || entry.endsWith('.cts')) return true
  const isModulePackage = /"type"\s{0,20}:\s{0,20}"module"/.test(files['package.json'] ?? '')
  return entry.endsWith('.js') && !IS_MODULE.test(files[entry] ?? '') && !isModulePackage
}

/** Leaves JavaScript as it is, since a file that a CommonJS program requires may have no exports. */
function withScriptsKept (files: Files): Files {
  const typed = Object.entries(files).filter(([path]) => !path.endsWith('.js') && !path.endsWith('.cjs'))
  return { ...files, ...withModulesMarked(Object.fromEntries(typed), []) }
}
