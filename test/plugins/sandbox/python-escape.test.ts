import { execFile, spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import type { Call } from '../../../agents/types.js'
import { denoEnvironment, findDeno } from '../../../plugins/sandbox/deno.js'
import { Guardian } from '../../../plugins/sandbox/guardian.js'
import { Pool } from '../../../plugins/sandbox/pool.js'
import { outcomes } from '../../../plugins/sandbox/python/calls.js'
import { pythonWorker } from '../../../plugins/sandbox/python/worker-kind.js'
import { findPaths } from '../../../plugins/sandbox/python/paths.js'
import { snapshotFile } from '../../../plugins/sandbox/python/snapshot.js'
import { findWall } from '../../../plugins/sandbox/wall.js'
import { SILENT, python } from '../../support/python.js'
import { below } from './processes.js'
import { IS_LONG } from './support.js'

t.setTimeout(600_000)

interface Bait { folder: string, text: string, secret: string, tcp: number, udp: number, reached: () => number }

/** A file, a folder, a variable and listeners for code to reach. */
async function lay (t: Test): Promise<Bait> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'svc-bait-'))
  const secret = `secret-${Math.random().toString(36).slice(2)}`
  writeFileSync(join(folder, 'bait.txt'), secret)
  writeFileSync(join(folder, 'bait.json'), JSON.stringify({ secret }))
  writeFileSync(join(folder, 'bait.mjs'), `export default '${secret}'\n`)
  process.env.SVC_BAIT = secret
  let reached = 0
  const server = createServer(socket => { reached++; socket.on('error', () => {}); socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')) })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const udp = createSocket('udp4', () => { reached++ })
  udp.bind(0, '127.0.0.1')
  await once(udp, 'listening')
  t.teardown(async () => {
    server.close()
    udp.close()
    await rm(folder, { recursive: true, force: true })
  })
  const address = server.address()
  return { folder, text: join(folder, 'bait.txt'), secret, tcp: typeof address === 'object' && address ? address.port : 0, udp: udp.address().port, reached: () => reached }
}

const q = JSON.stringify

// Attempts in JavaScript, called from Python. Each returns something if it succeeds.
const IN_JAVASCRIPT: Record<string, (bait: Bait) => string> = {
  'Deno.readTextFileSync': ({ text }) => `Deno.readTextFileSync(${q(text)})`,
  'Deno.readFileSync': ({ text }) => `Deno.readFileSync(${q(text)}).length`,
  'Deno.openSync': ({ text }) => `Deno.openSync(${q(text)}).close() ?? 1`,
  'Deno.statSync': ({ text }) => `Deno.statSync(${q(text)}).size`,
  'Deno.lstatSync': ({ folder }) => `Deno.lstatSync(${q(folder)}).isDirectory`,
  'Deno.realPathSync': ({ folder }) => `Deno.realPathSync(${q(folder)})`,
  'Deno.readDirSync': ({ folder }) => `[...Deno.readDirSync(${q(folder)})].length`,
  'Deno.writeTextFileSync': ({ folder }) => `Deno.writeTextFileSync(${q(join(folder, 'w1'))}, "x") ?? 1`,
  'Deno.mkdirSync': ({ folder }) => `Deno.mkdirSync(${q(join(folder, 'w2'))}) ?? 1`,
  'Deno.makeTempFileSync': ({ folder }) => `Deno.makeTempFileSync({ dir: ${q(folder)} })`,
  'Deno.symlinkSync': ({ text, folder }) => `Deno.symlinkSync(${q(text)}, ${q(join(folder, 'w3'))}) ?? 1`,
  'Deno.linkSync': ({ text, folder }) => `Deno.linkSync(${q(text)}, ${q(join(folder, 'w4'))}) ?? 1`,
  'Deno.copyFileSync': ({ text, folder }) => `Deno.copyFileSync(${q(text)}, ${q(join(folder, 'w5'))}) ?? 1`,
  'Deno.chmodSync': ({ text }) => `Deno.chmodSync(${q(text)}, 0o600) ?? 1`,
  'node:fs by getBuiltinModule': ({ text }) => `process.getBuiltinModule("fs").readFileSync(${q(text)}, "utf8")`,
  'node:fs existsSync': ({ text }) => `process.getBuiltinModule("fs").existsSync(${q(text)}) || undefined`,
  'node:fs writeFileSync': ({ folder }) => `process.getBuiltinModule("fs").writeFileSync(${q(join(folder, 'w6'))}, "x") ?? 1`,
  'node:sqlite': ({ folder }) => `new (process.getBuiltinModule("node:sqlite").DatabaseSync)(${q(join(folder, 'db'))}).exec("create table t (a)") ?? 1`,
  'node:module require': ({ folder }) => `process.getBuiltinModule("module").createRequire("file:///x.js")(${q(join(folder, 'bait.json'))}).secret`,
  'node:child_process': () => 'process.getBuiltinModule("child_process").execFileSync("/bin/sh", ["-c", "echo 1"]).length',
  'Deno.Command': () => 'new Deno.Command("/bin/sh", { args: ["-c", "echo 1"] }).outputSync().stdout.length',
  'Deno.kill': () => 'Deno.kill(Deno.ppid, "SIGCONT") ?? 1',
  'Deno.env.get': () => 'Deno.env.get("SVC_BAIT")',
  'process.env': () => 'process.env.SVC_BAIT',
  'Deno.env.toObject': () => 'Deno.env.toObject().SVC_BAIT',
  'Deno.hostname': () => 'Deno.hostname()',
  'Deno.networkInterfaces': () => 'Deno.networkInterfaces().length',
  'Deno.loadavg': () => 'Deno.loadavg().length',
  'Deno.dlopen': () => 'Deno.dlopen("libc.so.6", { getpid: { parameters: [], result: "i32" } }).symbols.getpid()',
  'Deno.listen': () => 'Deno.listen({ hostname: "127.0.0.1", port: 0 }).close() ?? 1',
  'Deno.permissions.requestSync': () => 'Deno.permissions.requestSync({ name: "read" }).state === "granted" || undefined',
  'Deno.permissions.querySync': () => '["read", "write", "net", "env", "run", "sys", "ffi"].some(name => Deno.permissions.querySync({ name }).state === "granted") || undefined',
  'synchronous XMLHttpRequest or fetch of a file': ({ text }) => `new Function("path", "return process.getBuiltinModule('fs').readFileSync(path, 'utf8')")(${q(text)})`,
  'an indirect eval': ({ text }) => `(0, eval)(${q(`Deno.readTextFileSync(${q(text)})`)})`,
  'another realm': ({ text }) => `process.getBuiltinModule("vm").runInNewContext("f(p)", { f: Deno.readTextFileSync, p: ${q(text)} })`
}

// Promises. Whether they succeed is seen from outside.
const PROMISED: Record<string, (bait: Bait) => string> = {
  'Deno.connect': ({ tcp }) => `Deno.connect({ hostname: "127.0.0.1", port: ${tcp} })`,
  fetch: ({ tcp }) => `fetch("http://127.0.0.1:${tcp}/")`,
  WebSocket: ({ tcp }) => `new Promise((resolve, reject) => { const s = new WebSocket("ws://127.0.0.1:${tcp}/"); s.onerror = resolve; s.onopen = resolve })`,
  'node:net': ({ tcp }) => `new Promise((resolve, reject) => { const s = process.getBuiltinModule("net").connect(${tcp}, "127.0.0.1", resolve); s.on("error", reject) })`,
  'node:http': ({ tcp }) => `new Promise((resolve, reject) => process.getBuiltinModule("http").get("http://127.0.0.1:${tcp}/", resolve).on("error", reject))`,
  'node:dgram': ({ udp }) => `new Promise((resolve, reject) => { const s = process.getBuiltinModule("dgram").createSocket("udp4"); s.on("error", reject); s.send("x", ${udp}, "127.0.0.1", error => { s.close(); error ? reject(error) : resolve() }) })`,
  'import of a module': ({ folder }) => `import(${q(`file://${folder}/bait.mjs`)}).then(({ default: text }) => Deno.writeTextFileSync(${q(join(folder, 'w7'))}, text))`,
  'import of JSON': ({ folder }) => `import(${q(`file://${folder}/bait.json`)}, { with: { type: "json" } }).then(({ default: { secret } }) => Deno.writeTextFileSync(${q(join(folder, 'w8'))}, secret))`,
  'a worker': ({ text, folder }) => `new Promise((resolve, reject) => { const w = new Worker("data:text/javascript," + encodeURIComponent(${q(`Deno.writeTextFileSync(${q(join(folder, 'w9'))}, Deno.readTextFileSync(${q(text)})); postMessage(1)`)}), { type: "module" }); w.onmessage = () => { w.terminate(); resolve() }; w.onerror = e => { e.preventDefault(); reject(e) } })`
}

async function workers (t: Test): Promise<Pool> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'svc-workers-'))
  const deno = findDeno()
  const guardian = new Guardian(folder)
  const host = { deno, folder, wall: await findWall(deno), guardian, log: SILENT, packages: undefined }
  const pool = new Pool(pythonWorker(findPaths(), await snapshotFile(findPaths(), host, new AbortController().signal)), host, 1)
  t.teardown(async () => {
    await pool.close()
    await guardian.close()
    await rm(folder, { recursive: true, force: true })
  })
  return pool
}

const operation = { signal: new AbortController().signal, limits: { wallMs: 30_000, cpuMs: 30_000, memoryMiB: 768, outputBytes: 1_000_000 }, run: 'test' }

void t.test('code with access to JavaScript reaches nothing outside of its worker', async t => {
  const bait = await lay(t)
  const attempts = [...Object.entries(IN_JAVASCRIPT), ...Object.entries(PROMISED)].map(([name, make]) => [name, make(bait)] as const)

  await t.test('each attempt succeeds where nothing is forbidden', async t => {
    const source = `const done = []\n${attempts.map(([name, code]) => `try { if (await (${code}) !== undefined || ${q(name in PROMISED)}) done.push(${q(name)}) } catch (error) { console.error(${q(name)}, error.message) }`).join('\n')}\nconsole.log(JSON.stringify(done)); Deno.exit(0)\n`
    const script = join(bait.folder, 'control.mjs')
    writeFileSync(script, source)
    const deno = findDeno()
    const { stdout, stderr } = await promisify(execFile)(deno, ['run', '-A', '--quiet', '--no-config', script], { env: { ...denoEnvironment(deno), SVC_BAIT: bait.secret }, timeout: 60_000 })
    const done: unknown = JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]')
    t.same(attempts.map(([name]) => name).filter(name => !Array.isArray(done) || !done.includes(name)), [], stderr)
    t.ok(bait.reached() >= 6)
    for (const name of readdirSync(bait.folder)) if (!name.startsWith('bait.')) await rm(join(bait.folder, name), { recursive: true })
  })

  const before = bait.reached()
  const pool = await workers(t)
  const tried = async (each: typeof attempts) => {
    const calls: Call[] = each.map(([, code]) => ({ setup: 'from pyodide.code import run_js', expression: `str(run_js(${q(`(() => (${code}))()`)}))` }))
    const run = await pool.run({ hasJavaScript: true, files: { 'own.py': '' }, calls: [...calls, { expression: '__import__("time").sleep(0.3)' }], budgetMs: 25_000, eachMs: 5000, outputBytes: 1_000_000 }, { operation })
    t.notMatch(JSON.stringify(run), bait.secret)
    return { run, said: await outcomes(run, calls) }
  }
  const together = attempts.filter(([name]) => name !== 'a worker')
  const { run, said } = await tried(together)
  t.equal(run.cause, null, run.stderr)
  for (const [index, [name]] of together.entries()) {
    const outcome = said[index]
    t.notMatch(JSON.stringify(outcome), /is not defined/, `${name} was tried`)
    if (name in PROMISED) t.notMatch(outcome, { type: 'not run' }, name)
    else t.ok(outcome?.type === 'raised' || (outcome?.type === 'returned' && outcome.value.type === 'str' && /^(?:undefined|None)$/.test(outcome.value.value)), `${name}: ${JSON.stringify(outcome)}`)
  }
  await tried(attempts.filter(([name]) => name === 'a worker')) // it may end the process, for want of memory
  t.equal(bait.reached(), before, 'a connection was made')
  t.same(readdirSync(bait.folder).sort(), ['bait.json', 'bait.mjs', 'bait.txt'])
})

// Attempts in Python. Each returns something if it succeeds, which the control shows with an ordinary Python.
const IN_PYTHON: Record<string, (bait: Bait) => string> = {
  open: ({ text }) => `open(${q(text)}).read()`,
  'os.listdir': ({ folder }) => `os.listdir(${q(folder)})`,
  'os.stat': ({ text }) => `os.stat(${q(text)}).st_size`,
  'os.open': ({ text }) => `os.read(os.open(${q(text)}, os.O_RDONLY), 100)`,
  pathlib: ({ text }) => `pathlib.Path(${q(text)}).read_text()`,
  'os.symlink to a file': ({ text }) => `(os.symlink(${q(text)}, os.path.join(tempfile.mkdtemp(), "l")), open(${q(text)}).read())`,
  mmap: ({ text }) => `mmap.mmap(os.open(${q(text)}, os.O_RDONLY), 0, prot=mmap.PROT_READ)[:]`,
  linecache: ({ text }) => `linecache.getlines(${q(text)}) or fail()`,
  sqlite3: ({ folder }) => `sqlite3.connect(${q(join(folder, 'py.db'))}).execute("create table t (a)") and os.path.getsize(${q(folder)})`,
  runpy: ({ text }) => `runpy.run_path(${q(text.replace('.txt', '.py'))})["found"]`,
  importlib: ({ folder }) => `importlib.machinery.SourceFileLoader("bait", ${q(join(folder, 'bait.py'))}).load_module().found`,
  'urllib of a file': ({ text }) => `urllib.request.urlopen("file://" + ${q(text)}).read()`,
  'os.environ': () => 'os.environ["SVC_BAIT"]',
  'os.getenv': () => 'os.getenv("SVC_BAIT") or fail()',
  'os.system': () => 'os.system("exit 7") == 7 << 8 or fail()',
  'os.popen': () => 'os.popen("echo reached").read() or fail()',
  'subprocess.run': () => 'subprocess.run(["/bin/echo", "reached"], capture_output=True, check=True).stdout',
  'os.fork': () => 'os.fork() or os._exit(0)',
  'os.posix_spawn': () => 'os.posix_spawn("/bin/true", ["true"], {})',
  'socket.connect': ({ tcp }) => `socket.create_connection(("127.0.0.1", ${tcp}), 2).send(b"GET / HTTP/1.0\\r\\n\\r\\n")`,
  'a datagram': ({ udp }) => `socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", ${udp}))`,
  'socket.bind': () => '(lambda s: (s.bind(("127.0.0.1", 0)), s.listen(), s.getsockname()))(socket.socket())',
  'urllib of a port': ({ tcp }) => `urllib.request.urlopen("http://127.0.0.1:${tcp}/", timeout=2).status`,
  'http.client': ({ tcp }) => `(lambda c: (c.request("GET", "/"), c.getresponse().status))(http.client.HTTPConnection("127.0.0.1", ${tcp}, timeout=2))`,
  'asyncio connection': ({ tcp }) => `asyncio.run(asyncio.wait_for(asyncio.open_connection("127.0.0.1", ${tcp}), 2))`,
  'asyncio process': () => 'asyncio.run(asyncio.wait_for(asyncio.create_subprocess_exec("/bin/true"), 2))',
  threads: () => '_thread.start_new_thread(int, ())',
  multiprocessing: () => 'multiprocessing.get_context("fork").Process(target=int).start() or 1',
  'ctypes and the C library': () => 'ctypes.CDLL("libc.so.6").getpid()',
  'os.kill of another': () => 'os.kill(os.getppid(), 0) or os.getppid()',
  'resource limits': () => 'resource.getrusage(resource.RUSAGE_SELF).ru_maxrss or fail()',
  fcntl: ({ text }) => `fcntl.fcntl(os.open(${q(text)}, os.O_RDONLY), fcntl.F_GETFL) + 1`,
  gethostbyname: () => 'socket.gethostbyname("localhost") if open("/etc/hosts") else 0'
}
// Only Pyodide's Python has these modules and files.
const IN_PYODIDE: Record<string, (bait: Bait) => string> = {
  'import js': ({ text }) => `__import__("js").Deno.readTextFileSync(${q(text)})`,
  'import pyodide_js': ({ text }) => `__import__("pyodide_js").FS.readFile(${q(text)})`,
  'pyodide.code.run_js': ({ text }) => `__import__("pyodide.code").code.run_js(${q(`Deno.readTextFileSync(${q(text)})`)})`,
  'pyodide.http': ({ tcp }) => `__import__("pyodide.http").http.open_url("http://127.0.0.1:${tcp}/").read()`,
  _pyodide_core: () => '__import__("_pyodide_core").JsProxy',
  'importlib of js': () => '__import__("importlib").reload(__import__("js"))',
  'js after its None is gone': ({ text }) => `(sys.modules.pop("js"), importlib.import_module("js").Deno.readTextFileSync(${q(text)}))`,
  'mounting the host': () => '(sys.modules.pop("pyodide_js", None), importlib.import_module("pyodide_js").mountNodeFS("/host", "/"))',
  emscripten_run_script: ({ text }) => `ctypes.CDLL(None).emscripten_run_script(${q(`globalThis.got = Deno.readTextFileSync(${q(text)}); throw got`)}.encode())`,
  'a file of the host by a device': () => 'os.mknod("/dev/sda", 0o60600, os.makedev(8, 0)) or open("/dev/sda", "rb").read(512)[511]',
  '/proc': () => 'open("/proc/self/environ").read()',
  'the folder of the service': () => `os.listdir(${q(process.cwd())})`,
  'the name of the host': () => 'open("/etc/hostname").read()',
  micropip: () => '__import__("micropip").install("six")'
}
const NAMES = 'os, sys, pathlib, tempfile, mmap, linecache, sqlite3, runpy, importlib, importlib.machinery, urllib.request, subprocess, socket, http.client, asyncio, _thread, ctypes'
const SETUP = `import ${NAMES}
def fail(): raise OSError("nothing")
for name in ("multiprocessing", "resource", "fcntl"):
    try: globals()[name] = __import__(name)
    except ImportError: pass
`

void t.test('code in Python reaches nothing outside of its worker', async t => {
  const { evaluate } = python(t, 4)
  const bait = await lay(t)
  writeFileSync(join(bait.folder, 'bait.py'), `found = ${q(bait.secret)}\n`)
  const native = Object.entries(IN_PYTHON).map(([name, make]) => [name, make(bait)] as const)
  const hasPython = spawnSync('python3', ['-c', `import ${NAMES}`]).status === 0

  await t.test('each attempt succeeds in an ordinary Python', { skip: !hasPython && 'there is none here' }, async t => {
    const source = `import warnings\nwarnings.simplefilter("ignore")\n${SETUP}\n${native.map(([name, code]) => `try:\n    assert (${code}) is not None\nexcept BaseException as error: print("FAILED", ${q(name)}, repr(error), flush=True)`).join('\n')}\n`
    const script = join(bait.folder, 'control.py')
    writeFileSync(script, source)
    const { stdout } = await promisify(execFile)('python3', ['-B', script], { env: { ...process.env, SVC_BAIT: bait.secret }, timeout: 60_000 })
    t.same(stdout.split('\n').filter(line => line.startsWith('FAILED')), [])
    t.ok(bait.reached() >= 4)
    await rm(join(bait.folder, 'py.db'), { force: true })
    await rm(script)
    await rm(join(bait.folder, '__pycache__'), { recursive: true, force: true })
  })

  const before = bait.reached()
  const attempts = [...native, ...Object.entries(IN_PYODIDE).map(([name, make]) => [name, make(bait)] as const)]
  // Those that end the interpreter would hide the others.
  const alone = new Set(['os.fork', 'os.system', 'os.popen', 'os.posix_spawn', 'threads', 'ctypes and the C library', 'emscripten_run_script', 'socket.bind', 'mmap', 'os.kill of another', 'multiprocessing'])
  const together = attempts.filter(([name]) => !alone.has(name))
  const results = new Map<string, unknown>()
  const said = await evaluate('', together.map(([, expression]) => ({ setup: SETUP, expression })), { wallMs: 60_000, cpuMs: 60_000 })
  for (const [index, [name]] of together.entries()) results.set(name, said[index])
  await Promise.all(attempts.filter(([name]) => alone.has(name)).map(async ([name, expression]) => results.set(name, (await evaluate('', [{ setup: SETUP, expression }], { wallMs: 5000 }))[0])))
  for (const [name] of attempts) {
    const outcome = results.get(name)
    // Its own small world is all that some of them find: a database, a socket or a pid of the emulation.
    if (!['sqlite3', 'socket.bind', 'os.kill of another', 'resource limits', 'os.listdir', 'a datagram'].includes(name)) t.notMatch(outcome, { type: 'returned' }, `${name}: ${JSON.stringify(outcome)}`)
    t.notMatch(JSON.stringify(outcome), bait.secret, name)
    t.notMatch(JSON.stringify(outcome), /bait\.json|"reached/, name)
  }
  t.equal(bait.reached(), before, 'a connection was made')
  t.same(readdirSync(bait.folder).sort(), ['bait.json', 'bait.mjs', 'bait.py', 'bait.txt'])
})

const OUTPUT = 'import os, sys\n    while True: '

// One of each kind; the others are tried by `npm run test:long`.
const BODIES: Record<string, string> = {
  'a loop that catches every exception': 'while True:\n        try:\n            while True:\n                try: int("x")\n                except: pass\n        except: pass',
  'a string that doubles': 'x = "x"\n    while True: x += x',
  'recursion in C': 'import pickle\n    x = []\n    for _ in range(10 ** 5): x = [x]\n    pickle.dumps(x)',
  'output by the descriptor': `${OUTPUT}os.write(1, b"x" * 10000)`,
  'a file without end': 'with open("/tmp/x", "w") as f:\n        while True: f.write("x" * 10 ** 6)',
  'a regular expression': 'import re\n    re.match(r"(a|a)*$", "a" * 40 + "b")',
  'an error whose text never comes': 'class E(Exception):\n        def __str__(self):\n            while True: pass\n    raise E',
  'a crash of the interpreter': 'import ctypes\n    ctypes.string_at(0xfffffff0)'
}
const MORE_BODIES: Record<string, string> = {
  'a big power': 'x = 10 ** 10 ** 8',
  'a comprehension without end': '[i for i in iter(int, 1)]',
  'a dict that grows': 'd = {}\n    while True: d[len(d)] = "x" * 1000',
  'deep nesting': 'x = []\n    for _ in range(10 ** 7): x = [x]\n    repr(x)',
  'output by print': 'while True: print("x" * 10000)',
  'output by stderr': `${OUTPUT}sys.stderr.write("x" * 10000)`,
  'files without end': 'i = 0\n    while True:\n        i += 1\n        open(f"/tmp/{i}", "w").write("x" * 10 ** 6)',
  'an exception that refers to itself': 'e = ValueError()\n    e.__cause__ = e\n    raise e',
  'an error whose text is endless': 'raise ValueError("x" * 10 ** 8)',
  'a signal': 'import os, signal\n    os.kill(os.getpid(), signal.SIGSEGV)'
}

void t.test('code that takes too much is ended, and nothing of it is left', async t => {
  const { test, sandbox } = python(t, 4)
  const before = below(process.pid)
  const limits = { wallMs: 2500, cpuMs: 2500, memoryMiB: 700, outputBytes: 100_000 }
  await Promise.all(Object.entries({ ...BODIES, ...(IS_LONG && MORE_BODIES) }).map(async ([what, body]) => {
    const report = await test({ 'test_a.py': `def test_a():\n    ${body}\n` }, limits)
    t.not(report.outcome, 'passed', what)
    t.ok(JSON.stringify(report).length < 300_000, what)
  }))
  await sandbox.close()
  t.same(below(process.pid).filter(({ pid }) => !before.some(known => known.pid === pid)), [])
})
