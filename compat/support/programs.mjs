import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PROGRAMS } from './folders.mjs'
import { install } from './install.mjs'
import { startModel } from './model.mjs'
import { startService } from './service.mjs'
import { TRIALS } from './trials.mjs'

export const NAMES = readdirSync(PROGRAMS).filter(name => name.endsWith('.mjs')).map(name => name.slice(0, -'.mjs'.length)).sort()

/** Tries each of these programs against the service; gives back how many trials went well, and how many did not. */
export async function tryPrograms (names) {
  const count = { passed: 0, failed: 0 }
  const rows = []
  // A program is in a group of its own, so that a Ctrl+C here does not reach it: it is ended as this process exits.
  if (names.length > 0) for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  for (const name of names) {
    const { default: client } = await import(pathToFileURL(join(PROGRAMS, `${name}.mjs`)).href)
    const { version, lacks: missing } = await install(name, client)
    const { cells = {}, lacks } = missing === undefined ? await tryAll(client) : { lacks: missing }
    if (lacks !== undefined) console.log(`skipped: ${name} (${lacks})`)
    for (const [trial, { word, error }] of Object.entries(cells)) {
      count[error ? 'failed' : 'passed']++
      console.log(`${error ? 'FAILED' : 'ok    '}  ${name}: ${trial}: ${error ? error.message : word}`)
    }
    rows.push([name, version, ...Object.keys(TRIALS).map(trial => lacks ? 'skipped' : cells[trial].error ? 'FAILED' : cells[trial].word)])
  }
  if (rows.length > 0) printTable([['client', 'version', ...Object.keys(TRIALS)], ...rows])
  return count
}

async function tryAll (client) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-compat-'))
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  process.once('exit', remove)
  process.env.XDG_RUNTIME_DIR = made(folder, 'run')
  const model = await startModel()
  const service = await startService('--backend-url', model.url, '--debug')
  const cells = {}
  let shared
  try {
    // What a client needs once: a server of its own, say.
    const begun = await begin(client, { url: service.url, home: made(folder, 'begin') })
    if (begun.lacks) return begun
    shared = begun.shared
    for (const [name, trial] of Object.entries(TRIALS)) {
      const [home, work] = ['home', 'work'].map(each => made(folder, `${name}-${each}`))
      cells[name] = await trial({ name, client, service, model, home, work, shared }).then(word => ({ word }), error => ({ error }))
    }
  } finally {
    shared?.end()
    await service.stop()
    await model.stop()
    process.off('exit', remove)
    remove()
  }
  return { cells }
}

async function begin (client, where) {
  try {
    return { shared: await client.begin?.(where) }
  } catch (error) {
    return { lacks: `not started: ${error.message}` }
  }
}

function made (...path) {
  const folder = join(...path)
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

function printTable (rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map(row => row[column].length)))
  for (const row of rows) console.log(`| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`)
}
