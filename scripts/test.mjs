// npm test: lint, types, tests, coverage. `npm test -- FILES` runs only those test files. `npm run test:long` runs the tests that
// usually check a sample of texts with all texts, which takes about two hours on one core.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { ROOT, orExplain, setUp } from './setup.mjs'
import { compile } from './test/compile.mjs'

const THRESHOLDS = { lines: 95, branches: 90, functions: 95 }
const LONG = ['test/linear-time.test.ts', ...[
  'leavings', 'python-escape', 'python-tasks', 'run-walls', 'typescript/canonical', 'typescript/limits'
].map(name => `test/plugins/sandbox/${name}.test.ts`)]
const LONG_SECONDS = 8 * 60 * 60

await orExplain(() => setUp({ dev: true }))

const require = createRequire(import.meta.url)
const binOf = (name, bin) => require.resolve(`${name}/package.json`).replace(/package\.json$/, bin)
const isLong = process.argv.includes('--long')
const named = process.argv.slice(2).filter(arg => arg !== '--long')
const files = isLong && named.length === 0 ? LONG : named

const failed = []
if (files.length === 0) {
  // With the caches, only files that changed since the last run are checked. A fresh clone, as in CI, checks all files.
  const cache = ['--cache', '--cache-strategy', 'content', '--cache-location', '.tap/eslint']
  await step('lint', binOf('eslint', 'bin/eslint.js'), ['--max-warnings', '0', ...cache])
  await step('types', binOf('typescript', 'bin/tsc'), ['--noEmit', '--incremental', '--tsBuildInfoFile', '.tap/types'])
}
await compile()
const { output } = await step('tests', binOf('tap', 'dist/esm/run.mjs'), [
  '--reporter=tap', '--coverage-report=json-summary', `--node-arg=--import=${new URL('test/register.mjs', import.meta.url).href}`,
  ...(isLong ? [`--timeout=${LONG_SECONDS}`] : []), ...(files.length > 0 ? ['--disable-coverage', ...files] : [])
], { quiet: files.length === 0, env: isLong ? { SVC_TEST_LONG: '1' } : {} })
if (files.length === 0) checkCoverage()

// The line of a test is indented once, because tap reports it as a subtest of its file.
const tests = output.split('\n').filter(line => /^ {4}(not )?ok \d.* # time=/.test(line))
const passed = tests.filter(line => line.startsWith('    ok')).length
const notPassed = Math.max(tests.length - passed, failed.length)
if (failed.length > 0) console.log(`\nFailed: ${failed.join(', ')}`)
console.log(`${passed} passed, ${notPassed} failed`)
process.exit(failed.length > 0 || passed === 0 ? 1 : 0)

async function step (name, file, args, { quiet = false, env = {} } = {}) {
  const since = Date.now()
  console.log(`\n== ${name}`)
  let output = ''
  const code = await new Promise((resolve) => {
    const child = spawn(process.execPath, [file, ...args], {
      cwd: ROOT, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit']
    })
    child.stdout.on('data', (part) => {
      output += part
      if (!quiet) process.stdout.write(part)
    })
    child.once('close', resolve)
  })
  if (quiet) report(output, code)
  if (code !== 0) failed.push(name)
  console.log(`== ${name}: ${code === 0 ? 'ok' : 'FAILED'} (${((Date.now() - since) / 1000).toFixed(1)} s)`)
  return { output }
}

function checkCoverage () {
  const { total } = JSON.parse(readFileSync(join(ROOT, '.tap', 'report', 'coverage-summary.json'), 'utf8'))
  const isMet = Object.entries(THRESHOLDS).every(([what, percent]) => total[what].pct >= percent)
  if (!isMet) failed.push('coverage')
  const figures = Object.entries(THRESHOLDS).map(([what, percent]) => `${what} ${total[what].pct} % (${percent} wanted)`)
  console.log(`\n== coverage: ${figures.join(', ')}: ${isMet ? 'ok' : 'FAILED'}`)
}

// Prints one line for each test file, or the whole output if a test failed.
function report (output, code) {
  if (code !== 0) return process.stdout.write(output)
  for (const line of output.split('\n')) if (/^(not )?ok /.test(line)) console.log(line)
}
