// Bundles what runs inside a cell. Plain JavaScript, since the service's set-up does it before anything is built; run from
// its sources, the service does it itself.
import { writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = fileURLToPath(new URL('.', import.meta.url))

// What a program imports by these names, it finds in the file of that name.
const LIBRARIES = { vitest: ['vitest', 'vitest/globals'], jest: ['@jest/globals', 'bun:test', 'mocha'], chai: ['chai'] }

// What a program that is run imports by these names, prefixed, is what runner/stand-ins.ts put there.
const STAND_INS = ['fs', 'fs/promises', 'child_process']

export async function bundleRunner (outdir) {
  const { build } = await import('esbuild')
  const libraries = Object.keys(LIBRARIES).map(name => [name, `testing/${name}.ts`])
  await build({
    absWorkingDir: HERE,
    outdir,
    entryPoints: Object.fromEntries([['main', 'main.ts'], ...libraries]),
    bundle: true,
    splitting: true, // one `expect` for all of them, loaded by the time that a job comes
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2024',
    external: ['node:*', 'timers', 'timers/promises', 'perf_hooks', 'util'],
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'silent',
    banner: { js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf('file:///');" }, // the packages that are CommonJS ask for Node's modules by it
    define: { 'process.env': 'globalThis.process.env', Node: 'undefined', DOMTokenList: 'undefined' } // no page, whatever is put on globalThis
  })
  const builtins = builtinModules.filter(name => !name.startsWith('_') && !name.includes(':')).map(name => [name, `node:${name}`])
  const shims = Object.entries(LIBRARIES).flatMap(([file, names]) => names.map(name => [name, `./${file}.js`]))
  const standIns = STAND_INS.map(name => [`svc-${name}`, `./stand-in-${name.replace('/', '-')}.js`])
  for (const [index, name] of STAND_INS.entries()) await writeFile(join(outdir, standIns[index][1]), await standIn(name))
  await writeFile(join(outdir, 'import-map.json'), JSON.stringify({ imports: { ...Object.fromEntries([...builtins, ...shims, ...standIns]), test: 'node:test' } }))
}

async function standIn (name) {
  const names = Object.keys(await import(`node:${name}`)).filter(name => name !== 'default')
  return `const module = globalThis[Symbol.for('svc.stand-ins')]['${name}']\nexport const { ${names.join(', ')} } = module\nexport default module\n`
}
