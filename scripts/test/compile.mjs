// TypeScript becomes JavaScript once for all test files, not anew in the process of each: `.tap/compiled` mirrors the sources, and
// what did not change since the last time stays as it is.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const COMPILED = join(ROOT, '.tap', 'compiled')
const SOURCES = ['app.ts', 'agents', 'plugins', 'routes', 'schemas', 'scripts', 'test']

/** Where the JavaScript of a source lies. */
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
    // The map names the source by its name alone: the code runs under the source's own URL.
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
