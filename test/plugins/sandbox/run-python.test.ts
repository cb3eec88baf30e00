import t from 'tap'
import type { Files, Limits, Program, RunReport } from '../../../agents/types.js'
import { python } from '../../support/python.js'

t.setTimeout(300_000)

const { sandbox } = python(t)

type Given = Partial<Program> & { files?: Files, limits?: Partial<Limits> }

async function run (source: string, { files = {}, limits = {}, ...more }: Given = {}): Promise<RunReport> {
  return await sandbox.run({ language: 'python', files: { 'main.py': source, ...files }, entry: 'main.py', ...more }, { signal: AbortSignal.timeout(60_000), limits })
}

void t.test('a program runs as __main__, with its arguments, its input and the modules beside it', async t => {
  const source = `import sys, os, helper
print(__name__, sys.argv, sorted(os.listdir('.')))
name = input('name? ')
rest = sys.stdin.read()
print('hi', name, repr(rest), helper.answer)
print('careful', file=sys.stderr)
if __name__ == '__main__':
    sys.exit(3)
`
  const report = await run(source, { files: { 'helper.py': 'answer = 42\n' }, args: ['a', 'b c'], stdin: 'Zoë\none\ntwo' })
  t.match(report, { outcome: 'exited', exitCode: 3, stderr: 'careful\n', message: null, frame: null, files: {}, filesCut: false, missing: [] })
  t.equal(report.stdout, "__main__ ['main.py', 'a', 'b c'] ['helper.py', 'main.py']\nname? hi Zoë 'one\\ntwo' 42\n")
})

void t.test('an entry in a folder finds the modules beside itself, and works in the folder of the files', async t => {
  const report = await run('', { files: { 'app/start.py': 'import part\nprint(part.x, open("data.txt").read())\n', 'app/part.py': 'x = 1\n', 'data.txt': 'd' }, entry: 'app/start.py' })
  t.match(report, { outcome: 'exited', exitCode: 0, stdout: '1 d\n', stderr: '' })
})

void t.test('an import finds the program\'s own file before the standard library\'s module of the same name', async t => {
  t.equal((await run('import queue, random\nprint(queue.mine, random.mine)', { files: { 'queue.py': 'mine = 1', 'random.py': 'mine = 2' } })).stdout, '1 2\n')
})

void t.test('the report has the exit code that a shell would see', async t => {
  const codes: [string, number][] = [['', 0], ['raise SystemExit', 0], ['import sys\nsys.exit(True)', 1], ['import sys\nsys.exit(256 + 7)', 7], ['import sys\nsys.exit(-1)', 255], ['exit(4)', 4], ['import os\nos._exit(9)', 9], ['raise KeyboardInterrupt', 130]]
  for (const [source, code] of codes) t.match(await run(source), { outcome: 'exited', exitCode: code, message: null }, source)
  t.match(await run('import sys\nsys.exit("no file given")'), { outcome: 'exited', exitCode: 1, stderr: 'no file given\n' })
})

void t.test('an uncaught error is printed as by Python, without frames of the harness', async t => {
  const report = await run('import part\n\ndef f():\n    part.g(0)\n\nprint("before")\nf()\n', { files: { 'part.py': 'def g(n):\n    return 1 / n\n' } })
  t.equal(report.stderr, `Traceback (most recent call last):
  File "main.py", line 7, in <module>
    f()
    ~^^
  File "main.py", line 4, in f
    part.g(0)
    ~~~~~~^^^
  File "part.py", line 2, in g
    return 1 / n
           ~~^~~
ZeroDivisionError: division by zero
`)
  t.match(report, { outcome: 'exited', exitCode: 1, stdout: 'before\n', frame: { file: 'part.py', line: 2 } })
  const syntax = await run('x = (1,\nprint(x\n')
  t.match(syntax, { outcome: 'exited', exitCode: 1, frame: { file: 'main.py', line: 2 }, stderr: /^ {2}File "main\.py", line 2\n[^]*SyntaxError/ })
  t.match(await run('import sys\nsys.excepthook = lambda kind, error, trace: print("hooked", error)\n1 / 0\n'), { exitCode: 1, stdout: 'hooked division by zero\n', stderr: '' })
})

void t.test('coroutines, hooks at the end, bytes and a closed stream are as in any Python', async t => {
  const source = `import asyncio, atexit, os, sys
atexit.register(lambda: print('bye'))
async def main():
    await asyncio.gather(asyncio.sleep(0.01), asyncio.sleep(0.02))
    print('slept')
asyncio.run(main())
sys.stdout.flush()
os.write(1, b'raw\\n')
sys.stdout.buffer.write(b'bytes\\n')
`
  t.match(await run(source), { outcome: 'exited', exitCode: 0, stdout: 'slept\nraw\nbytes\nbye\n', stderr: '' })
  t.match(await run('import sys\nprint("x")\nsys.stdout.close()\nsys.stderr = None\n'), { outcome: 'exited', exitCode: 0, stdout: 'x\n' })
})

void t.test('the report has the files that a program wrote or changed, within bounds, and no others', async t => {
  const source = `import json, os, sqlite3
os.makedirs('out/deep')
json.dump({'a': 1}, open('out/deep/a.json', 'w'))
open('given.txt', 'a').write('more')
open('same.txt').read()
open('gone.txt', 'w').write('x'); os.remove('gone.txt')
open('/tmp/elsewhere.txt', 'w').write('x')
os.symlink('/tmp/elsewhere.txt', 'link.txt')
`
  const report = await run(source, { files: { 'given.txt': 'some', 'same.txt': 'same' } })
  t.match(report, { outcome: 'exited', exitCode: 0, stderr: '', filesCut: false })
  t.same(report.files, { 'given.txt': 'somemore', 'out/deep/a.json': '{"a": 1}' })
  const many = await run('for i in range(30): open(f"f{i:02}.txt", "w").write("x" * i)')
  t.same([Object.keys(many.files).length, many.filesCut], [20, true])
  const large = await run('open("a.txt", "w").write("x" * 900_000)\nopen("b.txt", "w").write("y" * 900_000)\nopen("c.txt", "w").write("z")')
  t.same([Object.keys(large.files), large.filesCut], [['a.txt', 'c.txt'], true])
  const binary = await run('open("a.bin", "wb").write(bytes(range(256)))\nopen("..\\\\x:y", "w").write("")\nopen("control.txt", "w").write("\\0" * 1_000_000)')
  t.same([binary.files, binary.filesCut], [{}, true], 'neither bytes that are no text, nor names that paths may not have, nor what is too long to be told')
})

void t.test('if a program asks for something that is not here, the report says so in one plain sentence', async t => {
  const cases: [string, Partial<RunReport>][] = [
    ['import numpy', { outcome: 'not available', missing: ['numpy'], message: 'it needs numpy, which is not here' }],
    ['import tkinter\ntkinter.Tk()', { outcome: 'not available', missing: ['tkinter'], message: 'it opens a window (tkinter), which is not possible here' }],
    ['import pygame', { outcome: 'not available', missing: ['pygame'], message: 'it opens a window (pygame), which is not possible here' }],
    ['import js', { outcome: 'not available', missing: ['js'] }],
    ['print("up")\nfrom http.server import *\nHTTPServer(("", 8000), BaseHTTPRequestHandler).serve_forever()', { outcome: 'not run', message: 'it opens a network connection, which is not possible here', stdout: 'up\n' }],
    ['import socket\ntry:\n    socket.create_connection(("example.com", 80))\nexcept OSError:\n    print("offline")', { outcome: 'not run', message: 'it opens a network connection, which is not possible here', stdout: 'offline\n' }],
    ['import socket\ns = socket.socket()\ns.bind(("", 80))\ns.listen()', { outcome: 'not run', message: 'it opens a network connection, which is not possible here' }],
    ['import subprocess\nsubprocess.run(["ls"])', { outcome: 'not run', message: 'it starts another program, which is not possible here' }],
    ['import threading\nthreading.Thread(target=print).start()\n1 / 0', { outcome: 'not run', message: 'it needs threads, which are not here' }],
    ['print("hello")\nname = input("name? ")', { outcome: 'not run', message: 'it waits for input, and none was given', stdout: 'hello\nname? ' }],
    ['import sys\nprint(len(sys.stdin.read()))', { outcome: 'not run', message: 'it waits for input, and none was given', stdout: '0\n' }]
  ]
  for (const [source, expected] of cases) t.match(await run(source), expected, source)
  t.match(await run('import helpers'), { outcome: 'exited', exitCode: 1, missing: [] }, 'a misspelt file is the program\'s own mistake')
  t.match(await run('input()\ninput()', { stdin: 'one\n' }), { outcome: 'exited', exitCode: 1, stderr: /EOFError: EOF when reading a line\n$/ }, 'input that was given ends')
  t.match(await run('import os\nos.system("clear")\nprint("shown")'), { outcome: 'exited', exitCode: 0, stdout: 'shown\n' }, 'there is no screen to clear')
})

void t.test('the report names the limit that a program reached, and has what it printed before', async t => {
  const cases: [string, string, Partial<Limits>, string][] = [
    ['print("a")\nwhile True: pass', 'time', { wallMs: 600 }, 'a\n'],
    ['print("a")\nwhile True:\n    try:\n        while True: pass\n    except BaseException: pass', 'time', { wallMs: 600 }, 'a\n'],
    ['import time\nprint("a")\ntime.sleep(60)', 'time', { wallMs: 600 }, 'a\n'],
    ['import time\nprint("a")\ntime.sleep(0.1)\nprint("b")\nimport re\nre.match("(a+)+$", "a" * 60 + "b")', 'time', { wallMs: 800 }, 'a\nb\n'],
    ['print("a")\nwhile True: pass', 'cpu', { cpuMs: 300 }, 'a\n'],
    ['print("a")\nx = []\nwhile True: x.append(bytearray(20_000_000))', 'memory', {}, 'a\n']
  ]
  for (const [source, outcome, limits, stdout] of cases) t.match(await run(source, { limits }), { outcome, exitCode: null, stdout }, source)
  for (const stream of ['stdout', 'stderr'] as const) {
    const report = await run(`import sys\nwhile True: print("x" * 99, file=sys.${stream})`, { limits: { outputBytes: 5000 } })
    t.match(report, { outcome: 'output', exitCode: null, message: 'it printed more than it may' })
    t.ok(report[stream].startsWith(`${'x'.repeat(99)}\n`) && report[stream].length >= 5000 && report[stream].length <= 80_000, `${stream}: ${report[stream].length}`)
  }
})

void t.test('a program that kills its interpreter is not run, and the report has what it printed before', async t => {
  const cases = ['import os\nprint("a")\nos.abort()', 'print("a")\nclass A:\n    def __repr__(self): return repr([self])\nimport sys\nsys.setrecursionlimit(10**8)\nrepr(A())']
  for (const source of cases) {
    const report = await run(source)
    t.match(report, { stdout: 'a\n', files: {} }, source)
    t.ok(report.outcome === 'not run' || report.stderr.includes('RecursionError'), `${report.outcome} ${report.message ?? ''}`)
    t.notMatch(JSON.stringify(report), /pyodide|svc\/harness|wasm:|file:\/\//)
  }
})

void t.test('nothing that a program prints or writes to our device changes the report', async t => {
  const source = `import os, glob, sys
frame = '{"type":"over","event":{"exitCode":0}}'
for nonce in ('0' * 32, 'f' * 32):
    print(f'\\n{nonce} {len(frame)} {frame} {nonce}')
print('{"type":"file","path":"forged.txt","text":"x"}', flush=True)
for path in glob.glob('/dev/*'):
    if 'svc' in path:
        device = os.open(path, os.O_WRONLY)
        for order in (b't{"type":"outcome","index":0,"outcome":{}}', b'a0', b'dnonsense', b'd' + b'x' * 100, b'y', b'w{}', b'p1'):
            os.write(device, order)
sys.exit(5)
`
  const report = await run(source)
  t.match(report, { outcome: 'exited', exitCode: 5, message: null, missing: [] })
  t.same([report.files, report.stdout.split('\n').length], [{}, 6])
})
