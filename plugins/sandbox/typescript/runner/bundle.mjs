// Bundles what runs inside a worker. It is plain JavaScript because the set-up calls it before anything is built.
import { writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = fileURLToPath(new URL('.', import.meta.url))

// Programs import these libraries by these names.
const LIBRARIES = { vitest: ['vitest', 'vitest/globals'], jest: ['@jest/globals', 'bun:test', 'mocha'], chai: ['chai'] }

// Modules of Node that are replaced for a program: see stand-ins.ts.
const STAND_INS = ['fs', 'fs/promises', 'child_process']

export async function bundleRunner (outdir) {
  const { build } = await import('esbuild')
  const libraries = Object.keys(LIBRARIES).map(name => [name, `testing/${name}.ts`])
  await build({
    absWorkingDir: HERE,
    outdir,
    entryPoints: Object.fromEntries([['main', 'main.ts'], ...libraries]),
    bundle: true,
    splitting: true, // all libraries share one `expect`, which is loaded before the job arrives
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2024',
    external: ['node:*', 'timers', 'timers/promises', 'perf_hooks', 'util'],
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'silent',
    // For the packages that are CommonJS.
    banner: { js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf('file:///');" },
    // Without the last two, a program that defines them would be taken for a web page.
    define: { 'process.env': 'globalThis.process.env', Node: 'undefined', DOMTokenList: 'undefined' }
  })
  const builtins = builtinModules.filter(name => !/^_|:/.test(name)).map(name => [name, `node:${name}`])
  const shims = Object.entries(LIBRARIES).flatMap(([file, names]) => names.map(name => [name, `./${file}.js`]))
  const standIns = STAND_INS.map(name => [`svc-${name}`, `./stand-in-${name.replace('/', '-')}.js`])
  for (const [index, name] of STAND_INS.entries()) await writeFile(join(outdir, standIns[index][1]), await standIn(name))
  const imports = { ...Object.fromEntries([...builtins, ...shims, ...standIns]), test: 'node:test' }
  await writeFile(join(outdir, 'import-map.json'), JSON.stringify({ imports }))
}

async function standIn (name) {
  const names = Object.keys(await import(`node:${name}`)).filter(name => name !== 'default')
  const module = `globalThis[Symbol.for('svc.stand-ins')]['${name}']`
  return `const module = ${module}\nexport const { ${names.join(', ')} } = module\nexport default module\n`
}
