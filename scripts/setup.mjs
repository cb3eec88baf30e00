// All the set-up that a clone needs: packages from the lock file, and the build. Plain JavaScript, since nothing is
// built yet when it runs. Silent and quick when there is nothing to do.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundleRunner } from '../plugins/sandbox/typescript/runner/bundle.mjs'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))
const at = (...parts) => join(ROOT, ...parts)

const SOURCES = ['app.ts', 'agents/types.ts', 'agents/sandbox.ts', 'agents/values.ts', 'agents/svc-code', 'plugins', 'routes', 'schemas', 'scripts', 'package.json', 'package-lock.json']
const ENTRIES = { app: 'app.ts', 'scripts/svc': 'scripts/svc.ts', 'agents/svc-code/index': 'agents/svc-code/index.ts', 'engine/main': 'plugins/backend/embedded/child/main.ts' }
// Loaded only when they are needed, from where npm put them.
const EXTERNAL = ['jiti', 'gpt-tokenizer', 'pino-pretty', '@fastify/swagger', '@fastify/swagger-ui', 'esbuild', 'typescript-native/*', 'node-llama-cpp']

/** Makes the clone ready to run; with `dev`, ready to be tested. */
export async function setUp ({ dev = false } = {}) {
  checkNode()
  if (!lacksPackages(dev) && !isStale()) return
  await alone(async () => {
    if (lacksPackages(dev)) await install(dev)
    if (isStale()) await build()
  })
}

function checkNode () {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  throw new SetUpError(`svc needs Node.js 20.19 or newer, and this is ${process.version}. Install a current one from nodejs.org.`)
}

export class SetUpError extends Error {}

function lacksPackages (dev) {
  const wanted = readJson(at('package-lock.json'))?.packages ?? {}
  const there = readJson(at('node_modules', '.package-lock.json'))?.packages ?? {}
  return Object.entries(wanted).some(([path, { version, optional, devOptional, dev: isDev }]) =>
    path !== '' && !optional && !devOptional && (dev || !isDev) && there[path]?.version !== version)
}

async function install (dev) {
  say(`Installing packages${dev ? '' : ' (the first start does this once)'} ...`)
  // No package needs its install script, so none gets to run one.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', dev ? '--include=dev' : '--omit=dev']
  const npm = process.env.npm_execpath
  const { code, output } = npm?.endsWith('.js') ? await run(process.execPath, [npm, ...args]) : await run('npm', args)
  if (code !== 0) throw new SetUpError(`The packages could not be installed:\n${output.trim()}\nCheck the network and the permissions of ${ROOT}, then try again; "npm ci" shows more.`)
}

function run (command, args) {
  return new Promise(resolve => {
    let output = ''
    const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', part => { output += part })
    child.once('error', error => resolve({ code: 1, output: error.message }))
    child.once('close', code => resolve({ code, output }))
  })
}

/** What the build was made from: each source with its time and size. */
function fingerprint () {
  const files = SOURCES.flatMap(source => statOf(at(source))?.isDirectory()
    ? readdirSync(at(source), { recursive: true }).map(name => join(source, name))
    : [source]).filter(file => /\.(ts|mjs|json)$/.test(file)).sort()
  return JSON.stringify(files.map(file => {
    const { mtimeMs, size } = statOf(at(file)) ?? {}
    return [file, mtimeMs, size]
  }))
}

function isStale () {
  const stamp = at('dist', STAMP)
  return !existsSync(stamp) || readFileSync(stamp, 'utf8') !== fingerprint()
}

// One file for each entry, with what they share in common chunks: hundreds of small modules would take
// longer to load than the rest of the start.
async function build () {
  const stamp = fingerprint()
  const { build } = await import('esbuild')
  const fresh = at(`.dist-${process.pid}`)
  for (const name of readdirSync(ROOT)) if (/^\.dist-\d+$/.test(name) && !runs(Number(name.slice(6)))) rmSync(at(name), { recursive: true, force: true }) // of builds that were cut off
  try {
    await build({
      absWorkingDir: ROOT,
      entryPoints: Object.fromEntries(Object.entries(ENTRIES).filter(([, file]) => existsSync(at(file)))),
      outdir: fresh,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      external: EXTERNAL,
      alias: { 'string-width': at('scripts', 'svc', 'width.ts') },
      minifyWhitespace: true, // less to read at each start; names stay
      minifySyntax: true,
      sourcemap: 'linked',
      sourcesContent: false,
      logLevel: 'silent',
      // The CommonJS packages inside ask for Node's modules by require.
      banner: { js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);" }
    })
    await bundleRunner(join(fresh, 'sandbox', 'typescript'))
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    throw new SetUpError(`The build failed:\n${error.message}`)
  }
  writeFileSync(join(fresh, STAMP), stamp)
  swap(fresh, at('dist'))
}

const STAMP = '.sources.json'
const REPLACED = '.replaced.json'
const KEEP_FOR = 24 * 60 * 60 * 1000

// File by file, what the entries name before the entries: who starts meanwhile finds one build or the other, and a service
// that began with the last one finds what it had not loaded yet, for a day.
function swap (fresh, dist) {
  if (!existsSync(dist)) return renameSync(fresh, dist)
  rmSync(join(dist, STAMP), { force: true })
  const files = filesOf(fresh)
  const isEntry = file => Object.keys(ENTRIES).some(entry => file.replaceAll('\\', '/') === `${entry}.js`)
  const rank = file => file === STAMP ? 3 : isEntry(file) ? 2 : /-[A-Z0-9]{8}\.js$/.test(file) ? 0 : 1
  for (const file of files.sort((a, b) => rank(a) - rank(b))) {
    mkdirSync(dirname(join(dist, file)), { recursive: true })
    renameSync(join(fresh, file), join(dist, file))
  }
  rmSync(fresh, { recursive: true })
  sweep(dist, new Set([...files, REPLACED]))
}

/** Removes what was replaced more than a day ago. */
function sweep (dist, current) {
  const known = readJson(join(dist, REPLACED)) ?? {}
  const replaced = {}
  for (const file of filesOf(dist)) {
    if (current.has(file)) continue
    const since = known[file] ?? Date.now()
    if (Date.now() - since > KEEP_FOR) rmSync(join(dist, file), { force: true })
    else replaced[file] = since
  }
  writeFileSync(join(dist, REPLACED), JSON.stringify(replaced))
}

function filesOf (folder) {
  return readdirSync(folder, { recursive: true }).filter(file => statOf(join(folder, file))?.isFile())
}

/** Two starts at once share one set-up. */
async function alone (work) {
  const lock = at('.svc-setup.lock')
  const holder = join(lock, 'pid')
  for (let told = false; ; told = true) {
    try {
      mkdirSync(lock)
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw new SetUpError(`${ROOT} cannot be written to (${error.code}), and its packages or build are missing or out of date. Run "npm run build" there as its owner.`)
    }
    if (!isAlive(holder, lock)) { rmSync(lock, { recursive: true, force: true }); continue }
    if (!told) say('Waiting for another set-up to finish ...')
    await sleep(200)
  }
  try {
    writeFileSync(holder, String(process.pid))
    await work()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

function isAlive (holder, lock) {
  const pid = Number(existsSync(holder) ? readFileSync(holder, 'utf8') : NaN)
  if (!pid) return Date.now() - (statOf(lock)?.mtimeMs ?? 0) < 5000 // its holder is about to write, or was cut off there
  return runs(pid)
}

function runs (pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function statOf (path) {
  return statSync(path, { throwIfNoEntry: false })
}

function readJson (path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined // not there, or cut off while it was written: as good as not there
  }
}

function say (line) {
  process.stderr.write(`${line}\n`)
}

export async function orExplain (work) {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error
    say(error.message)
    process.exit(1)
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await orExplain(() => setUp({ dev: process.argv.includes('--dev') }))
}
