import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdirSync, readdirSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { Language, Program } from '../../../agents/types.js'
import { LocalSandbox } from '../../../plugins/sandbox/sandbox.js'
import { tempFolder, write } from '../../support/folders.js'
import { SILENT, python } from '../../support/python.js'
import { below } from './processes.js'
import { patience, sampled, until } from './support.js'
import { type Bait, SECRETS, TRACES, moduleOf } from './typescript/attempts.js'

t.setTimeout(300_000)

const SECRET = 'the secret of the host'
const VARIABLE = 'SVC_RUN_BAIT'
const LANGUAGES: Language[] = ['python', 'typescript']

// Python's part of what SECRETS and TRACES try: each must raise, or print nothing of the host's.
const IN_PYTHON = (bait: Bait): string => `import os, socket, subprocess, sys, ctypes
text, folder, port, udp, pid = ${JSON.stringify([bait.text, bait.folder, bait.tcp, bait.udp, bait.pid])}
def listed(path): return os.listdir(path)
def linked():
    os.symlink(text, 'link')
    return open('link').read()
def written():
    os.makedirs(folder, exist_ok=True)
    open(folder + '/written', 'w').write('x')
def connected():
    s = socket.socket(); s.connect(('127.0.0.1', port)); s.send(b'x')
def raw():
    import _socket
    s = _socket.socket(); s.connect(('127.0.0.1', port)); s.send(b'x')
def sent(): socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', udp))
def javascript():
    import js
    return js.Deno.readTextFileSync(text)
def modules():
    found = [module for name, module in sys.modules.items() if name.startswith(('js', 'pyodide', '_pyodide')) and module is not None]
    return [name for module in found for name in ('run_js', 'eval_code', 'JsProxy', 'globalThis') if hasattr(module, name)] or None
def reached():
    import gc
    kinds = [type(thing).__name__ for thing in gc.get_objects()]
    return [kind for kind in kinds if kind == 'JsProxy'] or None
attempts = [lambda: open(text).read(), lambda: listed(os.path.dirname(text)), lambda: open('/etc/passwd').read(), lambda: os.environ['${VARIABLE}'], lambda: open('/proc/self/environ').read(),
            lambda: os.kill(pid, 9), lambda: subprocess.run(['/bin/cat', text], capture_output=True).stdout, lambda: os.fork(), lambda: ctypes.CDLL('libc.so.6').getpid(),
            linked, connected, raw, sent, javascript, modules, reached]
for number, attempt in enumerate(attempts):
    try:
        got = attempt()
        print(number, 'nothing' if got is None or got == b'' else got)
    except BaseException as error:
        print(number, 'failed')
written()
`

void t.test('nothing outside of the program can be reached', async t => {
  const dir = tempFolder(t)
  write(dir, { 'bait.txt': SECRET, 'bait.json': JSON.stringify({ secret: SECRET }), 'bait.ts': `export default ${JSON.stringify(SECRET)}\n`, 'worker.ts': `(self as any).postMessage(${JSON.stringify(SECRET)})\n` })
  mkdirSync(join(dir, 'open'))
  let reached = 0
  const tcp = createServer(socket => { reached++; socket.on('error', () => {}); socket.destroy() }).listen(0, '127.0.0.1')
  const udp = createSocket('udp4', () => { reached++ })
  udp.bind(0, '127.0.0.1')
  await Promise.all([once(tcp, 'listening'), once(udp, 'listening')])
  t.teardown(() => { tcp.close(); udp.close() })
  process.env[VARIABLE] = SECRET
  t.teardown(() => { Reflect.deleteProperty(process.env, VARIABLE) })
  const target = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  t.teardown(() => target.kill('SIGKILL'))
  const bait: Bait = { text: join(dir, 'bait.txt'), json: join(dir, 'bait.json'), module: join(dir, 'bait.ts'), folder: join(dir, 'open'), secret: SECRET, tcp: (tcp.address() as AddressInfo).port, udp: udp.address().port, variable: VARIABLE, pid: target.pid ?? 0 }
  const { sandbox } = python(t, 4)

  await t.test('by Python', async t => {
    const report = await sandbox.run({ language: 'python', files: { 'main.py': IN_PYTHON(bait) }, entry: 'main.py' }, patience())
    t.equal(report.exitCode, 0, report.stderr)
    const said = report.stdout.trim().split('\n')
    t.equal(said.length, 16)
    for (const line of said) t.match(line, /^\d+ (?:failed|nothing)$/, line)
  })

  await t.test('by TypeScript', async t => {
    // The walls are those of tests and calls, for which escape.test.ts tries all of them.
    const all = sampled(Object.entries({ ...SECRETS, ...TRACES }), 3)
    const main = `let result: unknown
try { result = await Promise.race([(await import("./attempt.ts")).attempt(), new Promise(r => setTimeout(r, 300, "late"))]) }
catch (e) { result = "failed: " + e }
console.log(String(result))
process.exit(0)`
    let printed = 0
    // Each has a process of its own, since one that ends its process would hide the others.
    await Promise.all(all.map(async ([name, body]) => {
      const files = { 'attempt.ts': moduleOf(body, bait), 'main.ts': main }
      const report = await sandbox.run({ language: 'typescript', files, entry: 'main.ts' }, patience())
      if (report.stdout !== '') printed++
      t.notMatch(JSON.stringify({ ...report, files: {} }), SECRET, name)
      t.notMatch(JSON.stringify(report), /svc-sandbox-/, 'its own folder is not shown')
    }))
    t.ok(printed > all.length / 2, `${printed} of ${all.length}`)
  })

  t.equal(reached, 0, 'a connection was made or a datagram came')
  t.same(readdirSync(bait.folder), [], 'a file was written')
  t.equal(target.exitCode, null)
  t.equal(target.signalCode, null)
})

void t.test('an invalid job is refused with the reason', async t => {
  const { sandbox } = python(t)
  const job: Program = { language: 'python', files: { 'main.py': 'print(1)' }, entry: 'main.py' }
  const much = 'x'.repeat(1024 * 1024 + 1)
  const wrong: [Partial<Program>, RegExp][] = [
    [{ entry: 'other.py' }, /^entry names 'other\.py', and there is no such file$/],
    [{ entry: '__proto__' }, /^entry names '__proto__'/],
    [{ files: {} }, /^files must not be empty$/],
    [{ files: { 'main.py': `# ${much}` } }, /^the files of a program may have 1 MiB together$/],
    [{ stdin: much }, /^stdin may have 1 MiB$/],
    [{ stdin: 'é'.repeat(600_000) }, /^stdin may have 1 MiB$/],
    [{ args: [much] }, /^args may have 1 MiB together$/],
    [{ args: Array.from({ length: 1001 }, () => '') }, /^args must be a list of 1000 texts at most$/],
    [{ args: ['a\0b'] }, /^an argument of a program may not hold a NUL character$/],
    [{ language: 'cobol' as Language }, /^language must be one of/]
  ]
  for (const [change, message] of wrong) await t.rejects(sandbox.run({ ...job, ...change }, patience()), { name: 'InvalidJob', message }, String(message))
  t.match(await sandbox.run({ ...job, files: { 'main.py': 'import sys\nprint(len(sys.argv[1]), len(sys.stdin.read()))' }, args: ['x'.repeat(1024 * 1024)], stdin: 'y'.repeat(1024 * 1024) }, patience()), { stdout: '1048576 1048576\n' }, 'what is within the bounds goes through')
})

const ENDLESS = { python: { files: { 'main.py': 'print("on", flush=True)\nwhile True:\n    try:\n        while True: pass\n    except BaseException: pass' }, entry: 'main.py' }, typescript: { files: { 'main.ts': 'console.log("on")\nfor (;;) ;' }, entry: 'main.ts' } }

for (const language of LANGUAGES) {
  void t.test(`${language}: a program that is aborted ends at once, and leaves nothing behind`, { skip: process.platform !== 'linux' && 'it looks at /proc' }, async t => {
    const sandbox = new LocalSandbox({ log: SILENT })
    t.teardown(() => sandbox.close())
    await sandbox.prove()
    const giving = new AbortController()
    const limits = { wallMs: 600_000, cpuMs: 600_000 }
    const job = sandbox.run({ language, ...ENDLESS[language] }, { signal: giving.signal, limits })
    await sleep(1000)
    giving.abort(new Error('given up'))
    await t.rejects(job, { message: 'given up' })
    await sandbox.close()
    await until(() => !below(process.pid).some(({ name }) => name.includes('/deno')))
  })
}

void t.test('one program finds nothing of another', async t => {
  const { sandbox } = python(t)
  const programs: [Language, string, string][] = [
    ['python', 'main.py', 'import builtins, os, sys\nprint(os.path.exists("/tmp/left"), os.path.exists("left"), hasattr(builtins, "left"))\nopen("/tmp/left", "w").close(); open("left", "w").close(); builtins.left = 1'],
    ['typescript', 'main.ts', 'import fs from "fs"\nconsole.log(fs.existsSync("left"), "left" in globalThis)\nfs.writeFileSync("left", ""); Reflect.set(globalThis, "left", 1)']
  ]
  for (const [language, entry, source] of programs) {
    const run = async () => (await sandbox.run({ language, files: { [entry]: source }, entry }, patience())).stdout
    const first = await run()
    t.match(first, /^(?:False False False|false false)\n$/)
    t.equal(await run(), first)
  }
})
