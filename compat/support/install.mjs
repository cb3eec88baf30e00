import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROGRAMS, inVenv } from './folders.mjs'

// Not "ci": the lock has no packages of platforms that the registry it was made with did not have. Their versions are exact all the same.
const NPM = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']

/** Puts a program there at its pinned version. Where that cannot be, `lacks` says why. */
export async function install (name, client) {
  return client.package ? await fromNpm(client.package) : await fromPython(name, client.python)
}

async function fromNpm (name) {
  const { dependencies: { [name]: version } } = readJson('package.json')
  if (isThere(name, version)) return { version }
  const { code, output } = await (installed ??= installAll())
  return { version, ...(code !== 0 || !isThere(name, version)) && { lacks: `not installed: ${lastLine(output)}` } }
}

let installed // once for all of them, whether it went well or not

async function installAll () {
  console.error('Installing the programs of compat/programs (the first run does this once; they take 1.6 GB) ...')
  const npm = process.env.npm_execpath
  return npm?.endsWith('.js') ? await run(process.execPath, [npm, ...NPM]) : await run('npm', NPM)
}

function isThere (name, version) {
  return readJson('node_modules/.package-lock.json')?.packages[`node_modules/${name}`]?.version === version
}

/** requirements/NAME.txt pins all that the package needs, itself included. */
async function fromPython (name, { package: wanted, requirements = name }) {
  const list = join('requirements', `${requirements}.txt`)
  const text = readFileSync(join(PROGRAMS, list), 'utf8')
  const version = new RegExp(`^${wanted}(?:\\[\\w+\\])?==(\\S+)`, 'm').exec(text)[1]
  const done = join(PROGRAMS, '.venv', requirements, 'installed.txt')
  if (existsSync(done) && readFileSync(done, 'utf8') === text) return { version }
  console.error(`Installing ${wanted} ${version} (the first run does this once) ...`)
  for (const [command, ...args] of [
    [process.platform === 'win32' ? 'python' : 'python3', '-m', 'venv', '--clear', join('.venv', requirements)],
    [inVenv(requirements, 'python'), '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary=:all:', '--no-deps', '-r', list]
  ]) {
    const { code, output } = await run(command, args)
    if (code !== 0) return { version, lacks: `not installed: ${lastLine(output)}` }
  }
  writeFileSync(done, text)
  return { version }
}

function run (command, args) {
  return new Promise(resolve => {
    let output = ''
    const child = spawn(command, args, { cwd: PROGRAMS, stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' && command === 'npm' })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', part => { output += part })
    child.once('error', error => resolve({ code: 1, output: error.message }))
    child.once('close', code => resolve({ code, output }))
  })
}

const lastLine = text => text.trim().split('\n').findLast(line => /error/i.test(line)) ?? text.trim().split('\n').at(-1)

function readJson (name) {
  const path = join(PROGRAMS, name)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}
