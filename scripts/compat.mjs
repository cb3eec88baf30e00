// npm run compat: tests popular clients against the service: libraries under this version of Node and a newer one, then programs.
// npm run compat -- codex langchain: only the named ones.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, SetUpError, orExplain, setUp } from './setup.mjs'

const TEST = '.test.mjs'
const ONCE = ['real-model.test.mjs'] // it is about the engine, and heavy
const FOLDER = join(ROOT, 'compat')
const IS_WINDOWS = process.platform === 'win32'
const NEWER_PACKAGE = `node-${IS_WINDOWS ? 'win' : process.platform}-${process.arch}`
const NEWER = join(FOLDER, 'node_modules', NEWER_PACKAGE, 'bin', IS_WINDOWS ? 'node.exe' : 'node')

await orExplain(async () => {
  await setUp()
  if (lacksPackages()) await install()
})

const { NAMES: programs, tryPrograms } = await import('../compat/support/programs.mjs')
const libraries = readdirSync(FOLDER).filter(name => name.endsWith(TEST)).map(name => name.slice(0, -TEST.length)).sort()
const named = process.argv.slice(2)
const unknown = named.filter(name => ![...libraries, ...programs].includes(name))
if (unknown.length > 0) {
  console.error(`There is no client named ${unknown.join(', ')}. There are: ${[...libraries, ...programs].join(', ')}.`)
  process.exit(2)
}
const isWanted = name => named.length === 0 || named.includes(name)

const nodes = [process.execPath, NEWER].filter(node => existsSync(node))
if (nodes.length === 1) {
  console.log(`No newer Node is packed for ${process.platform} on ${process.arch}: the clients run under ${process.version} alone.`)
}

const { dependencies } = readJson('package.json')
let passed = 0
let failed = 0
for (const file of libraries.filter(isWanted).map(name => name + TEST)) {
  for (const result of await Promise.all((ONCE.includes(file) ? nodes.slice(0, 1) : nodes).map(node => test(node, file)))) {
    passed += result.passed
    failed += result.failed
    const state = result.failed === 0 ? 'ok    ' : 'FAILED'
    const counts = `${result.passed} passed, ${result.failed} failed (${result.seconds} s)`
    console.log(`${state}  ${result.version.padEnd(9)} ${clientsOf(file).padEnd(44)} ${counts}`)
    if (result.failed > 0) console.log(result.output)
    for (const [, title, reason] of result.output.matchAll(/^ *ok \d+ - (.*) # SKIP(.*)$/gm)) {
      console.log(`        skipped: ${title} (${reason.trim()})`)
    }
  }
}
const tried = await tryPrograms(programs.filter(isWanted))
passed += tried.passed
failed += tried.failed
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 || passed === 0 ? 1 : 0)

async function test (node, file) {
  const since = Date.now()
  const [{ output: version }, { code, output }] = [await run(node, ['--version']), await run(node, ['--test', '--test-reporter=tap', file])]
  const count = what => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(output)?.[1] ?? 0)
  // If the file crashed, its remaining tests were not counted: that is at least one failure.
  const failed = Math.max(count('fail') + count('cancelled'), code === 0 ? 0 : 1)
  return { version: version.trim(), output, passed: count('pass'), failed, seconds: ((Date.now() - since) / 1000).toFixed(1) }
}

/** The packages that a test file tests, by its imports. */
function clientsOf (file) {
  const source = readFileSync(join(FOLDER, file), 'utf8')
  return Object.entries(dependencies).filter(([name]) => source.includes(`from '${name}'`))
    .map(([name, version]) => `${name} ${version.split('@').at(-1)}`).join(', ') || file
}

function lacksPackages () {
  const there = readJson('node_modules/.package-lock.json')?.packages ?? {}
  const fits = ({ os, cpu }) => (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true)
  return Object.entries(readJson('package-lock.json').packages).some(([path, wanted]) =>
    path !== '' && fits(wanted) && there[path]?.version !== wanted.version)
}

async function install () {
  console.error('Installing the clients (the first run does this once) ...')
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = process.env.npm_execpath
  const { code, output } = npm?.endsWith('.js') ? await run(process.execPath, [npm, ...args]) : await run('npm', args)
  if (code === 0) return
  throw new SetUpError(`The clients could not be installed:\n${output.trim()}\n`
    + 'Check the network, then try again; "npm ci" in compat shows more.')
}

function run (command, args) {
  return new Promise(resolve => {
    let output = ''
    const child = spawn(command, args, { cwd: FOLDER, stdio: ['ignore', 'pipe', 'pipe'], shell: IS_WINDOWS && command === 'npm' })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', part => { output += part })
    child.once('error', error => resolve({ code: 1, output: error.message }))
    child.once('close', code => resolve({ code, output }))
  })
}

function readJson (name) {
  const path = join(FOLDER, name)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}
