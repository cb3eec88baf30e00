// Compiles the TypeScript once for all test files, instead of again in the process of each. `.tap/compiled` mirrors the sources, and
// only files that changed since the last run are compiled.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const COMPILED = join(ROOT, '.tap', 'compiled')
const SOURCES = ['app.ts', 'agents', 'plugins', 'routes', 'schemas', 'scripts', 'test']

/** The path of the JavaScript that is compiled from a source file. */
export function compiledOf (file) {
  return join(COMPILED, `${relative(ROOT, file)}.js`)
}

export async function compile () {
  const { transform } = await import('esbuild')
  const files = SOURCES.flatMap(source => sourcesIn(join(ROOT, source)))
  removeAllBut(new Set(files.map(compiledOf)))
  await Promise.all(files.map(async (file) => {
    const compiled = compiledOf(file)
    const { atime, mtime } = statSync(file)
    if (existsSync(compiled) && statSync(compiled).mtimeMs === mtime.getTime()) return
    // The source map holds only the file name of the source, because the code is loaded under the URL of the source.
    const { code } = await transform(readFileSync(file), {
      loader: 'ts', format: 'esm', target: 'node20.19', sourcefile: basename(file), sourcemap: 'inline', sourcesContent: false
    })
    mkdirSync(dirname(compiled), { recursive: true })
    writeFileSync(compiled, code)
    utimesSync(compiled, atime, mtime)
  }))
}

function sourcesIn (path) {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path]
  return readdirSync(path, { recursive: true }).filter(name => /(?<!\.d)\.ts$/.test(name)).map(name => join(path, name))
}

function removeAllBut (wanted) {
  if (!existsSync(COMPILED)) return
  for (const name of readdirSync(COMPILED, { recursive: true })) {
    const file = join(COMPILED, name)
    if (name.endsWith('.js') && !wanted.has(file)) rmSync(file)
  }
}
