// Bundles what runs inside a cell. Plain JavaScript, since the service's set-up does it before anything is built; run from
// its sources, the service does it itself.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { STD_ASSERT } from './std-names.mjs'

const HERE = fileURLToPath(new URL('.', import.meta.url))

// What a program imports by these names, it finds here.
const SHIMS = {
  vitest: ['vitest', 'vitest/globals', '@jest/globals', 'mocha'],
  bun: ['bun:test'],
  chai: ['chai'],
  'node-test': ['node:test', 'test'],
  'std-assert': STD_ASSERT
}

// What a program that is run imports by these names, prefixed, is what runner/stand-ins.ts put there.
const STAND_INS = ['fs', 'fs/promises', 'child_process']

export async function bundleRunner (outdir) {
  const { build } = await import('esbuild')
  const options = {
    absWorkingDir: HERE,
    outdir,
    bundle: true,
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
  }
  // What Deno makes of CommonJS files imports node:module, and finds of what the map has for it only what is loaded by then.
  await build({ ...options, entryPoints: { main: 'main.ts' }, banner: { js: "import './node-module.js'" } })
  await build({ ...options, entryPoints: { 'node-module': 'dialects/node-module.ts' } })
  await mkdir(outdir, { recursive: true })
  const { metafile } = await build({ ...options, entryPoints: Object.fromEntries(Object.keys(SHIMS).map(name => [name, `dialects/${name}.ts`])), write: false, metafile: true })
  for (const [file, { exports }] of Object.entries(metafile.outputs)) {
    const name = basename(file, '.js')
    await writeFile(join(outdir, `${name}.js`), shimOf(name, exports))
  }
  const builtins = builtinModules.filter(name => !name.startsWith('_') && !name.includes(':')).map(name => [name, `node:${name}`])
  const shims = Object.entries(SHIMS).flatMap(([file, names]) => names.map(name => [name, `./${file}.js`]))
  for (const name of STAND_INS) {
    const names = Object.keys(await import(`node:${name}`)).filter(name => name !== 'default')
    await writeFile(join(outdir, `${standInOf(name)}.js`), exportsOf(`globalThis[Symbol.for('svc.stand-ins')]['${name}']`, names, ''))
  }
  const standIns = STAND_INS.map(name => [`svc-${name}`, `./${standInOf(name)}.js`])
  const closed = ['node:module', 'module'].map(name => [name, './node-module.js'])
  await writeFile(join(outdir, 'import-map.json'), JSON.stringify({ imports: Object.fromEntries([...builtins, ...shims, ...standIns, ...closed]), scopes: { './': { 'node:module': 'node:module' } } }))
}

// All of the runner is in one file that exports nothing: whatever code can import holds no part of it.
function shimOf (name, exports) {
  return exportsOf(`globalThis[Symbol.for('svc.dialects')]['${name}']`, exports.filter(name => name !== 'default'), exports.includes('default') ? '.default' : undefined)
}

function exportsOf (place, names, main) {
  return `const module = ${place}\nexport const { ${names.join(', ')} } = module\n${main === undefined ? '' : `export default module${main}\n`}`
}

function standInOf (name) {
  return `stand-in-${name.replace('/', '-')}`
}

// An object with `asymmetricMatch` says itself what it equals. That is for what a test expects to say, never for what the
// code under test gave, nor for what it put on a class. Nor are there nodes of a page, which likewise would be asked themselves.
// What is expected is the second of two that are compared, also where the library has it the other way round.
const REPLACED = [
  ['if (asymmetricA && asymmetricB) {\n\t\treturn undefined;\n\t}\n', ''],
  ['if (asymmetricA) {\n\t\treturn a.asymmetricMatch(b, testers);\n\t}\n\tif (asymmetricB) {\n\t\treturn b.asymmetricMatch(a, testers);\n\t}', 'if (asymmetricB) {\n\t\treturn b.asymmetricMatch(a, testers);\n\t}\n\tif (asymmetricA) {\n\t\treturn false;\n\t}'],
  ['equals(value, otherValue, customTesters)', 'equals(otherValue, value, customTesters)'],
  ['equals(item, another, customTesters)', 'equals(another, item, customTesters)'],
  ['expected.some((item) => equals(item, actual, testers))', 'expected.some((item) => equals(actual, item, testers))'],
  ['[...expected].some((item) => equals(item, actual, testers))', '[...expected].some((item) => equals(actual, item, testers))'],
  ['equals(expected, value, [...customTesters, iterableEquality])', 'equals(value, expected, [...customTesters, iterableEquality])'],
  ['type === "fulfilled" && equals(value, result, [...customTesters, iterableEquality])', 'type === "fulfilled" && equals(result, value, [...customTesters, iterableEquality])'],
  ['type === "return" && equals(value, result, [...customTesters, iterableEquality])', 'type === "return" && equals(result, value, [...customTesters, iterableEquality])'],
  ['if (isDomNode(a) && isDomNode(b)) {', 'if (false) {'],
  ['return !!obj && typeof obj === "object" && "asymmetricMatch" in obj && isA("Function", obj.asymmetricMatch);', 'return !!obj && typeof obj === "object" && (matchers.has(obj) || Object.hasOwn(obj, "asymmetricMatch")) && isA("Function", obj.asymmetricMatch);'],
  ['if (typeof expected === "object" && "asymmetricMatch" in expected && typeof expected.asymmetricMatch === "function") {', 'if (isAsymmetric(expected)) {'],
  ['class AsymmetricMatcher {', 'const matchers = new WeakSet();\nclass AsymmetricMatcher {'],
  ['\t\tthis.sample = sample;\n\t\tthis.inverse = inverse;\n', '\t\tthis.sample = sample;\n\t\tthis.inverse = inverse;\n\t\tmatchers.add(this);\n']
]
// A test waits for all that was asserted in it, whether or not its author does, and what failed softly fails it: both are told
// to its task (dialects/task.ts). What a promise resolves to is asked of it in the one way that its own `then` cannot skip.
const ASKED = [
  ['if (test && promise instanceof Promise) {', 'if (test) {\n\t\treturn test.wait(promise, isSoft);\n\t}\n\tif (false) {'],
  ['test.result ||= { state: "fail" };\n\ttest.result.state = "fail";\n\ttest.result.errors ||= [];\n\ttest.result.errors.push(processError(err));', 'test.fail(err);'],
  ['const promise = Promise.resolve(obj).then(', 'const promise = new Promise((resolve) => resolve(obj)).then('],
  ['const promise = Promise.resolve(wrapper).then(', 'const promise = new Promise((resolve) => resolve(wrapper)).then(']
]
const onlyExpectedMatches = {
  name: 'only-expected-matches',
  setup (build) {
    build.onLoad({ filter: /@vitest[\\/]expect[\\/]dist[\\/]index\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8')
      for (const [before, after] of [...REPLACED, ...ASKED]) {
        if (contents.split(before).length !== 2) throw new Error('@vitest/expect is not as it was: see onlyExpectedMatches')
        contents = contents.replace(before, after)
      }
      return { contents, loader: 'js' }
    })
  }
}
