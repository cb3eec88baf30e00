import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Server } from './children.mjs'
import { atMost, interleave, median, pick, quantile, row } from './figures.mjs'
import { canSee, cpuOf, memoryOf, settled } from './processes.mjs'

const JOBS = 5
// A type checker on the command line takes a second.
const SLOW_JOBS = 2
const AT_ONCE = 10
// After this time idle processes and tools have been ended.
const REST_MS = 33_000
const LANGUAGES = { typescript: 'TypeScript', python: 'Python' }
const PROGRAMS = fileURLToPath(new URL('programs', import.meta.url))

const TS_PROGRAM = 'import { Inventory, median } from "./inventory.ts"\nconsole.log(median([4, 1, 3, 2]), new Inventory().total())\n'
const PY_PROGRAM = 'from inventory import *\nprint(median([4, 1, 3, 2]), Inventory().total())\n'

const GOALS = { 'typescript test': 30, 'python test': 80, 'typescript run': 30, 'python run': 100, 'typescript check': 60, 'python check': 100 }

/** The time of a sandbox job compared with the same job in a plain process, the time of the first job, and the memory at rest. */
export async function sandbox ({ rounds }) {
  const cases = casesOf(findPrograms())
  await (await cold(cases['python test'])).server.stop() // makes the Python snapshot, if there is none yet
  const first = await firsts(cases, rounds)
  const server = await Server.start('sandbox')
  try {
    const before = memory(server)
    for (const language of Object.keys(LANGUAGES)) await server.work({ do: 'warm', language })
    for (const order of Object.values(cases)) await server.work(order.svc)
    const [warm, together] = [await alone(server, cases, rounds), await crowds(server, cases, rounds)]
    for (const order of Object.values(cases)) await server.work(order.svc) // uses everything once more, so that nothing is idle yet
    await settled(server.pid)
    const full = memory(server)
    await sleep(REST_MS)
    const rest = memory(server)
    return report({ warm, first, together, before, full, rest })
  } finally {
    await server.stop()
  }
}

/** Measures each case alone: a job whose process is ready, then the plain process. */
async function alone (server, cases, rounds) {
  const found = {}
  for (const [name, { svc, plain, isSlow }] of Object.entries(cases)) {
    const subjects = { svc: [svc, JOBS], ...(plain && { plain: [plain, isSlow ? SLOW_JOBS : JOBS] }) }
    found[name] = await interleave(Object.keys(subjects), rounds, async subject => {
      const [order, count] = subjects[subject]
      await settled(server.pid)
      const cpu = cpuOf(server.pid)
      const times = []
      for (let i = 0; i < count; i++) {
        times.push(await server.work(order))
        await settled(server.pid)
      }
      return { times, cpu: (cpuOf(server.pid) - cpu) / count }
    })
  }
  return found
}

/** Measures the first job of a new service, including the self-test if code is run. */
async function firsts (cases, rounds) {
  const names = Object.keys(cases)
  return await interleave(names, rounds, async name => {
    const { server, ms, held } = await cold(cases[name])
    await server.stop()
    return { ms, held }
  })
}

async function cold ({ svc }) {
  const server = await Server.start('sandbox')
  await settled(server.pid)
  const { ms, loop } = await server.work({ do: 'together', count: 1, each: svc })
  return { server, ms, held: loop.held }
}

async function crowds (server, cases, rounds) {
  const found = {}
  for (const language of Object.keys(LANGUAGES)) {
    const { svc, plain } = cases[`${language} test`]
    found[language] = await interleave(plain ? ['svc', 'plain'] : ['svc'], Math.min(rounds, 3), async subject => {
      await settled(server.pid)
      const { ms, loop } = await server.work({ do: 'together', count: AT_ONCE, each: subject === 'svc' ? svc : plain })
      return { ms, ...loop }
    })
  }
  return found
}

function memory (server) {
  return canSee ? memoryOf(server.pid) : []
}

function report ({ warm, first, together, before, full, rest }) {
  const rows = []
  const fresh = { ms: pick(first, 'ms'), held: pick(first, 'held') }
  for (const [name, found] of Object.entries(warm)) {
    const times = pick(found, 'times')
    const per = q => mapped(times, rounds => rounds.map(round => quantile(round, q)))
    rows.push(row(`${said(name)}, warm p50`, 'ms', per(0.5), 1), row('  p95', 'ms', mapped(times, rounds => [quantile(rounds.flat(), 0.95)]), 1),
      row('  CPU time, the next worker included', 'ms', pick(found, 'cpu')), row('  first of a fresh service', 'ms', { svc: fresh.ms[name] }),
      row('    p95', 'ms', { svc: [quantile(fresh.ms[name], 0.95)] }), row('    longest that the event loop kept the processor', 'ms', { svc: fresh.held[name] }, 1))
  }
  for (const [language, found] of Object.entries(together)) {
    rows.push(row(`${AT_ONCE} ${LANGUAGES[language]} tests at once`, 'ms', pick(found, 'ms')), row('  delay of the event loop p99', 'ms', pick(found, 'p99'), 1),
      row('    longest', 'ms', pick(found, 'max'), 1), row('    longest that it kept the processor', 'ms', pick(found, 'held'), 1))
  }
  const sum = (tree, kind) => tree.reduce((total, process) => total + process[kind], 0)
  const states = { 'before the first use': before, 'after a job of each kind': full, 'at rest': rest }
  if (canSee) for (const [state, tree] of Object.entries(states)) rows.push(row(`memory ${state}, RSS`, 'MB', { svc: [sum(tree, 'rss')] }), row('  PSS', 'MB', { svc: [sum(tree, 'pss')] }))
  const middle = name => median(warm[name].svc.map(({ times }) => quantile(times, 0.5)))
  return {
    rows,
    goals: [
      ...Object.entries(GOALS).map(([name, limit]) => atMost(`${said(name)}, warm p50`, middle(name), limit, ' ms')),
      ...Object.keys(LANGUAGES).map(language => atMost(`first ${LANGUAGES[language]} test of a fresh service`, median(fresh.ms[`${language} test`]), 1500, ' ms')),
      atMost(`${AT_ONCE} Python tests at once`, median(together.python.svc.map(({ ms }) => ms)), 3000, ' ms'),
      ...(canSee ? [
        atMost('the event loop keeps the processor, whatever is done', Math.max(...Object.values(together).flatMap(({ svc }) => svc.map(({ held }) => held)), ...Object.values(fresh.held).flat()), 20, ' ms'),
        atMost('memory at rest (PSS)', sum(rest, 'pss'), 350, ' MB'),
        atMost('processes before the first use, beside the service', before.length - 1, 0)
      ] : [])
    ],
    notes: canSee ? Object.entries(states).map(([state, tree]) => `${state}: ${tree.map(({ name, rss, pss }) => `${name} ${rss.toFixed(0)}/${pss.toFixed(0)}`).join(', ')} MB (RSS/PSS)`) : ['memory and processor time are shown on Linux only']
  }
}

function said (name) {
  return name.replace(/^\w+/, language => LANGUAGES[language])
}

function mapped (object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]))
}

/** The paths of the programs that do the same without a sandbox; undefined for those that are not installed. */
function findPrograms () {
  const require = createRequire(import.meta.url)
  const { platform, arch } = process
  const near = (name, from) => dirname(require.resolve(`${name}/package.json`, { paths: [dirname(require.resolve(`${from}/package.json`))] }))
  return {
    deno: join(near(`@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`, 'deno'), platform === 'win32' ? 'deno.exe' : 'deno'),
    tsc: join(near(`@typescript/typescript-${platform}-${arch}`, 'typescript-native'), 'lib', platform === 'win32' ? 'tsc.exe' : 'tsc'),
    pyright: join(dirname(require.resolve('pyright/package.json')), 'index.js'),
    python: pythonItself()
  }
}

/** The path of Python itself, because shims of version managers search for it at each start. */
function pythonItself () {
  try {
    return execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined // not installed
  }
}

function casesOf ({ deno, tsc, pyright, python }) {
  const at = name => join(PROGRAMS, name)
  const text = name => readFileSync(at(name), 'utf8')
  const filesOf = names => Object.fromEntries(names.map(name => [name, text(name)]))
  const svc = (operation, language, names, more) => ({ do: 'job', operation, job: { language, files: filesOf(names), ...more } })
  const plain = (command, more) => ({ do: 'plain', command, env: { DENO_NO_UPDATE_CHECK: '1', PYTHONPATH: PROGRAMS, PYTHONDONTWRITEBYTECODE: '1' }, ...more })
  const [ts, tests, py, pyTests] = ['inventory.ts', 'inventory.test.ts', 'inventory.py', 'test_inventory.py']
  const calls = (file, expression) => [{ file, expression: 'median([4, 1, 3, 2])' }, { file, expression }]
  return {
    'typescript format': { svc: svc('format', 'typescript', [ts]), plain: plain([deno, 'fmt', '--no-config', '--ext', 'ts', '-'], { input: text(ts) }) },
    'typescript check': { svc: svc('check', 'typescript', [ts]), plain: plain([tsc, '--ignoreConfig', '--noEmit', '--strict', '--target', 'esnext', '--skipLibCheck', at(ts)]) },
    'typescript test': { svc: svc('test', 'typescript', [ts, tests], { tests: [tests] }), plain: plain([deno, 'test', '--no-config', '--no-check', '--unstable-sloppy-imports', '--allow-read', at(tests)]) },
    'typescript evaluate': {
      svc: svc('evaluate', 'typescript', [ts], { calls: calls(ts, 'new Inventory().total()') }),
      plain: plain([deno, 'run', '--no-config', '--no-check', '--allow-read', '-'], { input: `import { Inventory, median } from '${pathToFileURL(at(ts)).href}'\nconsole.log(median([4, 1, 3, 2]), new Inventory().total())` })
    },
    'typescript run': {
      svc: svc('run', 'typescript', [ts], { files: { ...filesOf([ts]), 'main.ts': TS_PROGRAM }, entry: 'main.ts' }),
      plain: plain([deno, 'run', '--no-config', '--no-check', '--allow-read', '-'], { input: TS_PROGRAM.replace('./inventory.ts', pathToFileURL(at(ts)).href) })
    },
    'python format': { svc: svc('format', 'python', [py]) },
    'python check': { svc: svc('check', 'python', [py]), plain: plain([process.execPath, pyright, '--outputjson', at(py)]), isSlow: true },
    'python test': { svc: svc('test', 'python', [py, pyTests], { tests: [pyTests] }), plain: python && plain([python, '-m', 'unittest', 'test_inventory']) },
    'python evaluate': { svc: svc('evaluate', 'python', [py], { calls: calls(py, 'Inventory().total()') }), plain: python && plain([python, '-c', 'from inventory import *; print(median([4, 1, 3, 2]), Inventory().total())']) },
    'python run': { svc: svc('run', 'python', [py], { files: { ...filesOf([py]), 'main.py': PY_PROGRAM }, entry: 'main.py' }), plain: python && plain([python, '-c', PY_PROGRAM]) }
  }
}
