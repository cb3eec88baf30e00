// Bundles what runs inside a cell. Plain JavaScript, since the service's set-up does it before anything is built; run from
// its sources, the service does it itself.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { STD_ASSERT } from './std-names.mjs'

const HERE = fileURLToPath(new URL('.', import.meta.url))

// What a program imports by these names, it finds here.
const SHIMS = {
  vitest: ['vitest', 'vitest/globals', '@jest/globals', 'bun:test', 'mocha'],
  chai: ['chai'],
  'node-test': ['node:test', 'test'],
  'std-assert': STD_ASSERT
}

export async function bundleRunner (outdir) {
  const { build } = await import('esbuild')
  await build({
    absWorkingDir: HERE,
    entryPoints: { main: 'main.ts', vitest: 'dialects/vitest.ts', chai: 'dialects/chai.ts', 'node-test': 'dialects/node-test.ts', 'std-assert': 'dialects/std-assert.ts' },
    outdir,
    bundle: true,
    splitting: true, // the shims and the runner share one registry
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2024',
    external: ['node:*'],
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'silent',
    define: { 'process.env': 'globalThis.process.env', Node: 'undefined', DOMTokenList: 'undefined' }, // no page, whatever is put on globalThis
    plugins: [onlyExpectedMatches]
  })
  const builtins = builtinModules.filter(name => !name.startsWith('_') && !name.includes(':')).map(name => [name, `node:${name}`])
  const shims = Object.entries(SHIMS).flatMap(([file, names]) => names.map(name => [name, `./${file}.js`]))
  await mkdir(outdir, { recursive: true })
  await writeFile(join(outdir, 'import-map.json'), JSON.stringify({ imports: Object.fromEntries([...builtins, ...shims]) }))
}

// An object with `asymmetricMatch` says itself what it equals. That is for what a test expects to say, never for what the
// code under test gave. Nor are there nodes of a page, which likewise would be asked themselves.
const REPLACED = [
  ['if (asymmetricA) {\n\t\treturn a.asymmetricMatch(b, testers);', 'if (asymmetricA) {\n\t\treturn false;'],
  ['if (isDomNode(a) && isDomNode(b)) {', 'if (false) {']
]
const onlyExpectedMatches = {
  name: 'only-expected-matches',
  setup (build) {
    build.onLoad({ filter: /@vitest[\\/]expect[\\/]dist[\\/]index\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8')
      for (const [before, after] of REPLACED) {
        if (contents.split(before).length !== 2) throw new Error('@vitest/expect is not as it was: see onlyExpectedMatches')
        contents = contents.replace(before, after)
      }
      return { contents, loader: 'js' }
    })
  }
}
