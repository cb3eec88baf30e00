import { execFileSync, spawnSync } from 'node:child_process'
import { accessSync, chmodSync, constants, mkdirSync, openSync, closeSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { usable } from '../../scripts/svc/folders.js'
import { ROOT, commandLine } from '../support/cli.js'
import { tempFolder, write } from '../support/folders.js'

const NOBODY = 65534

void t.test('a folder that a flag names and that cannot be used ends the start, with the flag, the path and what to do', async t => {
  const cli = commandLine(t)
  const file = join(write(tempFolder(t), { file: '' }), 'file')
  const cases = [['--workspace', file], ['--workspace', join(file, 'below')], ['--models-dir', file], ['--agents-dir', file], ['--agents-dir', join(file, 'below')]]
  for (const [flag = '', path = ''] of cases) {
    const { code, err, out } = await cli.here(['start', '--port', '0', flag, path])
    t.equal(code, 1)
    t.ok(err.startsWith(`svc did not start. ${flag} ${path} `), err)
    t.match(err, /is a file|leads through one/)
    t.notMatch(err, /^ +at |Error:/m)
    t.notMatch(out, /listens/)
  }
  t.match(await cli.here(['start', '--port', '0', '--model', 'qwen2.5-coder-7b', '--pull', '--models-dir', join(file, 'x')]), { code: 1, err: /--models-dir .*is a file, or leads through one/ })
  for (const command of [['model', 'pull', 'hf:a/b:Q4_K_M'], ['model', 'list']]) t.match(await cli.here([...command, '--models-dir', file]), { code: 1, err: /^--models-dir .*is a file/ })
})

void t.test('a folder that another user owns is told likewise', { skip: process.getuid?.() !== 0 && 'only root can start it as another user' }, async t => {
  const folder = tempFolder(t)
  chmodSync(folder, 0o755)
  const [open, closed] = [join(folder, 'open'), join(folder, 'closed')]
  mkdirSync(open)
  chmodSync(open, 0o777)
  mkdirSync(closed, { mode: 0o700 })
  const run = (args: string[]) => spawnSync(process.execPath, [join(ROOT, 'dist', 'scripts', 'svc.js'), ...args], { uid: NOBODY, gid: NOBODY, cwd: folder, encoding: 'utf8', env: { HOME: open, PATH: process.env.PATH ?? '', XDG_RUNTIME_DIR: open, SVC_BACKEND_SEARCH: 'none' }, timeout: 60_000 })
  if (run(['--version']).status !== 0) return t.pass('that user may not read this checkout')
  for (const flag of ['--workspace', '--models-dir', '--agents-dir']) {
    const { status, stderr } = run(['start', '--port', '0', flag, closed])
    t.equal(status, 1, flag)
    t.equal(stderr, `svc did not start. ${flag} ${closed} may not be used by this user: give a folder that may, or change its permissions.\n`)
  }
})

void t.test('a folder that does not answer is given up at a deadline', { skip: process.platform === 'win32' && 'needs a FIFO' }, async t => {
  const fifo = join(tempFolder(t), 'fifo')
  execFileSync('mkfifo', [fifo])
  t.teardown(() => closeSync(openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK))) // lets the thread go
  await t.rejects(usable('--workspace', '/mnt/gone', async () => { await readFile(fifo) }, 100), { message: /^--workspace \/mnt\/gone did not answer within 0\.1 s.*Give another folder/ })
})

void t.test('the demo needs no folder for models: it is kept in a temporary folder, which is removed with the service', async t => {
  const cli = commandLine(t)
  const home = join(write(tempFolder(t), { file: '' }), 'file')
  const temporary = tempFolder(t)
  const { command, port } = await cli.start(['--model', 'demo'], { env: { HOME: home, XDG_CACHE_HOME: '', LOCALAPPDATA: home, SVC_MODELS_DIR: '', TMPDIR: temporary, TEMP: temporary } })
  await command.until(() => command.logged(/the demo model is kept in a temporary folder/))
  await command.until(() => readdirSync(temporary).some(name => name.startsWith('svc-demo-')))
  t.equal((await cli.run(['stop', '--port', String(port)])).code, 0)
  t.same(readdirSync(temporary).filter(name => name.startsWith('svc-demo-')), [])
})

void t.test('a home that cannot be used is no fault where nothing is to be kept there', async t => {
  const cli = commandLine(t)
  const home = join(write(tempFolder(t), { file: '' }), 'file')
  for (const HOME of [home, '']) {
    const { url } = await cli.start([], { env: { HOME, XDG_CACHE_HOME: '', LOCALAPPDATA: home, SVC_MODELS_DIR: '' } })
    t.equal((await fetch(`${url}/health`)).status, 200)
  }
  t.throws(() => accessSync(join(ROOT, '.cache')), 'nor is anything written where it was started')
})
