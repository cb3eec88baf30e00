import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Command, ROOT, commandLine } from '../support/cli.js'
import { checkout, smallCheckout, stampOf } from '../support/checkout.js'
import { agentFiles, tempFolder, write } from '../support/folders.js'

const SETUP = join('scripts', 'setup.mjs')

void t.test('a clone without a build is built by its first start, and later set-ups are silent and change nothing', async t => {
  const cli = commandLine(t)
  const root = checkout(t)
  t.equal(stampOf(root), undefined)
  const { url } = await cli.start([], { root })
  t.equal((await fetch(`${url}/health`)).status, 200)
  const built = statSync(join(root, 'dist', '.sources.json')).mtimeMs
  const again = await cli.run([], { root, script: SETUP })
  t.same(again, { code: 0, signal: null, out: '', err: '' })
  t.equal(statSync(join(root, 'dist', '.sources.json')).mtimeMs, built)
  t.same(readdirSync(root).filter(name => /^\.(dist|svc)/.test(name)), [], 'nothing is left behind')
})

void t.test('a source that changed, came or went makes a new build at the next command', async t => {
  const cli = commandLine(t)
  const root = smallCheckout(t)
  await cli.run([], { root, script: SETUP })
  const version = async () => (await cli.run(['--version'], { root })).out.trim()
  const first = stampOf(root)
  write(root, { 'package.json': readFileSync(join(root, 'package.json'), 'utf8').replace(/"version": ".*?"/, '"version": "9.9.9"') })
  t.equal(await version(), '9.9.9')
  const second = stampOf(root)
  t.not(second, first)
  write(root, { 'plugins/more.ts': 'export const more = 1\n' })
  await version()
  const third = stampOf(root)
  t.not(third, second)
  rmSync(join(root, 'plugins/more.ts'))
  await version()
  t.not(stampOf(root), third)
})

void t.test('a source that cannot be built: exit 1 with file and line, and the last build is still there', async t => {
  const cli = commandLine(t)
  const root = smallCheckout(t)
  await cli.run([], { root, script: SETUP })
  const first = stampOf(root)
  write(root, { 'routes/health.ts': 'export default async function (' })
  const { code, err } = await cli.run(['status'], { root })
  t.equal(code, 1)
  t.match(err, /The build failed[\s\S]*routes\/health\.ts:1/)
  t.notMatch(err, /^ +at /m, 'no stack')
  t.equal(stampOf(root), first)
  t.same(readdirSync(root).filter(name => /^\.(dist|svc)/.test(name)), [])
})

/** A change that makes other chunks. */
function change (root: string, n: number): void {
  write(root, { 'plugins/identity.ts': `export const header = 'x-svc-instance-${n}'\n` })
}

const filesOf = (root: string) => readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.js'))

void t.test('while a build takes the place of another, whoever starts finds a whole one', async t => {
  const cli = commandLine(t)
  const root = smallCheckout(t)
  await cli.run([], { root, script: SETUP })
  // Looks as often as it can, and at what a start looks for: the entry, and the chunks that it names.
  const watch = write(tempFolder(t), { 'watch.mjs': `import { existsSync, readFileSync } from 'node:fs'
const dist = process.argv[2]
let looks = 0
let chunks = 0
let broken = 0
const end = process.argv[3]
while (!existsSync(end)) {
  looks++
  try {
    for (const [, chunk] of readFileSync(dist + '/scripts/svc.js', 'utf8').matchAll(/from ?"\\.\\.\\/([^"]+)"/g)) existsSync(dist + '/' + chunk) ? chunks++ : broken++
  } catch { broken++ }
}
console.log(JSON.stringify({ looks, chunks, broken }))
` })
  const end = join(tempFolder(t), 'end')
  const watching = new Command([join(watch, 'watch.mjs'), join(root, 'dist'), end], { env: { PATH: process.env.PATH }, cwd: root })
  const stamps = new Set<string | undefined>()
  for (let n = 0; n < 4; n++) {
    change(root, n)
    t.equal((await cli.run([], { root, script: SETUP })).code, 0)
    stamps.add(stampOf(root))
  }
  t.equal(stamps.size, 4, 'each was built')
  writeFileSync(end, '')
  const { looks, chunks, broken } = JSON.parse((await watching.ended).out) as { looks: number, chunks: number, broken: number }
  t.ok(looks > 100)
  t.ok(chunks > looks / 2, 'the entry names chunks')
  t.equal(broken, 0)
})

void t.test('what a running service may still load of its build is there for a day after the next one', async t => {
  const cli = commandLine(t)
  const root = smallCheckout(t)
  await cli.run([], { root, script: SETUP })
  const first = filesOf(root)
  change(root, 1)
  await cli.run([], { root, script: SETUP })
  const second = filesOf(root)
  const gone = first.filter(file => !second.includes(file))
  t.same(gone, [])
  const fresh = second.filter(file => !first.includes(file))
  t.ok(fresh.length > 0, 'the builds have files of their own')

  const notes = join(root, 'dist', '.replaced.json')
  const replaced = JSON.parse(readFileSync(notes, 'utf8')) as Record<string, number>
  t.ok(Object.keys(replaced).length > 0)
  const aged = Object.entries(replaced).map(([file, since]) => [file, since - 25 * 60 * 60 * 1000])
  writeFileSync(notes, JSON.stringify(Object.fromEntries(aged)))
  change(root, 2)
  await cli.run([], { root, script: SETUP })
  for (const file of Object.keys(replaced)) t.notOk(existsSync(join(root, 'dist', file)), file)
  for (const file of fresh) t.ok(existsSync(join(root, 'dist', file)), file)
  t.equal((await cli.run(['--version'], { root })).code, 0)
})

void t.test('what builds that were cut off left behind is swept by the next one, and a living one is left alone', async t => {
  const cli = commandLine(t)
  const root = smallCheckout(t)
  const dead = cli.spawn([], { script: SETUP })
  await dead.ended
  write(root, { [`.dist-${dead.pid}/app.js`]: '', [`.dist-${process.pid}/app.js`]: '' })
  await cli.run([], { root, script: SETUP })
  t.same(readdirSync(root).filter(name => name.startsWith('.dist-')), [`.dist-${process.pid}`])
})

void t.test('a swap that was cut off is not taken for a build', async t => {
  const cli = commandLine(t)
  const root = smallCheckout(t)
  await cli.run([], { root, script: SETUP })
  rmSync(join(root, 'dist', '.sources.json')) // it goes first and comes last
  rmSync(join(root, 'dist', 'scripts', 'svc.js'))
  const { code, out } = await cli.run(['--version'], { root })
  t.equal(code, 0)
  t.match(out, /^\d+\.\d+\.\d+$/m)
})

void t.test('two starts at once share one set-up', async t => {
  const cli = commandLine(t)
  const root = smallCheckout(t)
  const ends = await Promise.all([1, 2, 3].map(() => cli.run([], { root, script: SETUP })))
  for (const { code } of ends) t.equal(code, 0)
  t.ok(stampOf(root))
  t.same(readdirSync(root).filter(name => /^\.(dist|svc)/.test(name)), [])
})

void t.test('the lock of a set-up that died is taken over', async t => {
  const cli = commandLine(t)
  const root = smallCheckout(t)
  const dead = cli.spawn([], { script: SETUP })
  await dead.ended
  write(root, { '.svc-setup.lock/pid': String(dead.pid) })
  t.equal((await cli.run([], { root, script: SETUP })).code, 0)
  t.ok(stampOf(root))
})

// A stand-in for npm, because no test may need a network.
const NPM = {
  works: `require('node:fs').symlinkSync(${JSON.stringify(join(ROOT, 'node_modules'))}, 'node_modules', 'junction')
require('node:fs').writeFileSync('asked.json', JSON.stringify(process.argv.slice(2)))\n`,
  fails: 'console.error("npm error network: no way out"); process.exit(1)\n'
}

void t.test('packages that are missing are installed from the lock file, without their scripts', async t => {
  const cli = commandLine(t)
  const root = smallCheckout(t, { packages: false })
  const npm = join(write(tempFolder(t), { 'npm.js': NPM.works }), 'npm.js')
  const { code, err, out } = await cli.run([], { root, script: SETUP, env: { npm_execpath: npm } })
  t.equal(code, 0)
  t.match(err, /Installing packages/)
  t.equal(out, '')
  const asked = JSON.parse(readFileSync(join(root, 'asked.json'), 'utf8'))
  t.equal(asked[0], 'ci')
  t.ok(asked.includes('--ignore-scripts'))
  t.ok(asked.includes('--omit=dev'))
  t.ok(stampOf(root))
})

void t.test('packages that cannot be installed: exit 1, npm\'s own words and what to check', async t => {
  const cli = commandLine(t)
  const root = smallCheckout(t, { packages: false })
  const npm = join(write(tempFolder(t), { 'npm.js': NPM.fails }), 'npm.js')
  const { code, err } = await cli.run(['start'], { root, env: { npm_execpath: npm } })
  t.equal(code, 1)
  t.match(err, /could not be installed[\s\S]*no way out[\s\S]*network.*npm ci/)
  t.notMatch(err, /^ +at /m, 'no stack')
  t.notOk(existsSync(join(root, '.svc-setup.lock')))
})

void t.test('an agent\'s folder that was removed is gone at the next start, one that came is there', async t => {
  const cli = commandLine(t)
  const dir = write(tempFolder(t), { ...agentFiles('first'), ...agentFiles('second') })
  const modelsOf = async () => (await cli.start(['--agents-dir', dir])).command.logged(/^ready/).models as string[]
  t.same(await modelsOf(), ['svc-code', 'first', 'second'])
  rmSync(join(dir, 'first'), { recursive: true })
  t.same(await modelsOf(), ['svc-code', 'second'])
  write(dir, agentFiles('third'))
  t.same(await modelsOf(), ['svc-code', 'second', 'third'])
})

void t.test('agents beside svc-code need no build: they are served, and gone, with their folder', async t => {
  const cli = commandLine(t)
  const root = checkout(t)
  await cli.run([], { root, script: SETUP })
  const built = stampOf(root)
  write(join(root, 'agents'), {
    ...agentFiles('dropped'),
    'typed/index.ts': 'import type { FastifyInstance } from \'fastify\'\nconst wrong: number = \'a type error\'\nexport default async (fastify: FastifyInstance) => { fastify.agents.register(\'typed\', { class_name: \'typed.agent.Typed\', init_params: { wrong }, description: \'Has a type error\' }) }\n',
    'typed/agent.ts': 'export class Typed { modelInfo () { return { max_input_tokens: 1000, max_output_tokens: 500 } } async * reply (): AsyncGenerator<string> { const text: number = \'typed\'; yield text } }\n'
  })
  const { command, post } = await cli.start([], { root })
  t.same(command.logged(/^ready/).models, ['dropped', 'svc-code', 'typed'])
  t.match(await (await post({ model: 'typed', messages: [{ role: 'user', content: 'x' }] })).json(), { choices: [{ message: { content: 'typed' } }] })
  t.equal(stampOf(root), built, 'no new build')
  rmSync(join(root, 'agents', 'dropped'), { recursive: true })
  rmSync(join(root, 'agents', 'typed'), { recursive: true })
  t.same((await cli.start([], { root })).command.logged(/^ready/).models, ['svc-code'])
})

void t.test('svc-code can be removed like any agent', async t => {
  const cli = commandLine(t)
  const root = checkout(t)
  await cli.run([], { root, script: SETUP })
  rmSync(join(root, 'agents', 'svc-code'), { recursive: true })
  const { url, command } = await cli.start([], { root })
  t.same(command.logged(/^ready/).models, [])
  t.match(await (await fetch(`${url}/v1/models`)).json(), { object: 'list', data: [] })
})
