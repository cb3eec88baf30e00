// The whole set-up of a clone: installs packages from the lock file, and builds. It is plain JavaScript, because nothing is built when
// it runs. It is silent and fast if there is nothing to do.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundleRunner } from '../plugins/sandbox/typescript/runner/bundle.mjs'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))
const at = (...parts) => join(ROOT, ...parts)

const SOURCES = [
  'app.ts', 'agents/types.ts', 'agents/sandbox.ts', 'agents/values.ts', 'agents/svc-code', 'plugins', 'routes', 'schemas', 'scripts',
  'package.json', 'package-lock.json'
]
const ENTRIES = {
  app: 'app.ts',
  'scripts/svc': 'scripts/svc.ts',
  'agents/svc-code/index': 'agents/svc-code/index.ts',
  'engine/main': 'plugins/backend/embedded/child/main.ts'
}
// These packages are not bundled: they are loaded from node_modules when they are needed.
const EXTERNAL = [
  'jiti', 'gpt-tokenizer', 'pino-pretty', '@fastify/swagger', '@fastify/swagger-ui', 'esbuild', 'typescript-native/*', 'node-llama-cpp'
]

/** Prepares the clone for running the service; with `dev`, also for running the tests. */
export async function setUp ({ dev = false } = {}) {
  checkNode()
  if (!lacksPackages(dev) && !isStale()) return
  await withLock(async () => {
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
  // No package needs its install script, so none is run.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', dev ? '--include=dev' : '--omit=dev']
  const npm = process.env.npm_execpath
  const { code, output } = npm?.endsWith('.js') ? await run(process.execPath, [npm, ...args]) : await run('npm', args)
  if (code === 0) return
  throw new SetUpError(`The packages could not be installed:\n${output.trim()}\n`
    + `Check the network and the permissions of ${ROOT}, then try again; "npm ci" shows more.`)
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

/** The state of the sources: the time and size of each file. A build is out of date if it was made from another state. */
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

// Makes one file for each entry, and chunks for shared code: loading hundreds of small modules would take longer than the rest of
// the start.
async function build () {
  const stamp = fingerprint()
  const { build } = await import('esbuild')
  const fresh = at(`.dist-${process.pid}`)
  for (const name of readdirSync(ROOT)) {
    const isAbandoned = /^\.dist-\d+$/.test(name) && !runs(Number(name.slice(6)))
    if (isAbandoned) rmSync(at(name), { recursive: true, force: true })
  }
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
      minifyWhitespace: true, // less to read at each start; names are not changed
      minifySyntax: true,
      sourcemap: 'linked',
      sourcesContent: false,
      logLevel: 'silent',
      // The bundled CommonJS packages load Node's modules by require().
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

// Replaces the build file by file, the entries last: a service that starts meanwhile finds either the old or the new build. Files of the
// old build are kept for a day, for services that have not loaded all of them yet.
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

/** Removes files that were replaced more than a day ago. */
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

/** Does the set-up under a lock: of two starts at the same time, one waits for the other's set-up. */
async function withLock (work) {
  const lock = at('.svc-setup.lock')
  const holder = join(lock, 'pid')
  for (let isReported = false; ; isReported = true) {
    try {
      mkdirSync(lock)
      break
    } catch (error) {
      if (error.code !== 'EEXIST') {
        throw new SetUpError(`${ROOT} cannot be written to (${error.code}), and its packages or build are missing or out of date. `
          + 'Run "npm run build" there as its owner.')
      }
    }
    if (!isAlive(holder, lock)) { rmSync(lock, { recursive: true, force: true }); continue }
    if (!isReported) say('Waiting for another set-up to finish ...')
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
  if (!pid) return Date.now() - (statOf(lock)?.mtimeMs ?? 0) < 5000 // the holder is about to write its pid, or was killed before that
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
    return undefined // not there, or not completely written
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
