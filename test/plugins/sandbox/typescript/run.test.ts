import t from 'tap'
import type { Files, Limits, Program, RunReport } from '../../../../agents/types.js'
import { openSandbox } from '../support.js'

t.setTimeout(300_000)

const sandbox = openSandbox(t)

type Given = Partial<Program> & { files?: Files, limits?: Partial<Limits> }

async function run (source: string, { files = {}, limits = {}, ...more }: Given = {}): Promise<RunReport> {
  const { entry = 'main.ts' } = more
  return await sandbox.run({ language: 'typescript', files: { [entry]: source, ...files }, entry, ...more }, { signal: AbortSignal.timeout(60_000), limits })
}

void t.test('a program runs with its arguments, its input and the modules beside it', async t => {
  const source = `import { answer } from './helper'
import { pathToFileURL } from 'node:url'
interface Named { name: string }
const chunks: Buffer[] = []
for await (const chunk of process.stdin) chunks.push(chunk)
const named: Named = { name: Buffer.concat(chunks).toString() }
console.log(process.argv.slice(2), named, answer, Deno.args.length, import.meta.main, import.meta.url === pathToFileURL(process.argv[1]!).href)
console.error('careful')
setTimeout(() => { console.log('late'); process.exitCode = 3 }, 20)
`
  const report = await run(source, { files: { 'helper.ts': 'export const answer = 42\nif (import.meta.main) console.log("never")\n' }, args: ['a', 'b c'], stdin: 'Zoë\nx' })
  t.match(report, { outcome: 'exited', exitCode: 3, stderr: 'careful\n', message: null, frame: null, files: {}, filesCut: false, missing: [] })
  t.equal(report.stdout, "[ 'a', 'b c' ] { name: 'Zoë\\nx' } 42 2 true true\nlate\n")
})

void t.test('a program can read its input by any interface', async t => {
  const ways = [
    'import fs from "fs"\nconsole.log(fs.readFileSync(0, "utf8").trim().split("\\n"))',
    'import { readFileSync } from "node:fs"\nconsole.log(readFileSync("/dev/stdin").toString().trim().split("\\n"))',
    'const chunks: string[] = []\nprocess.stdin.setEncoding("utf8").on("data", c => chunks.push(String(c))).on("end", () => console.log(chunks.join("").trim().split("\\n")))',
    'import readline from "node:readline"\nconst lines: string[] = []\nreadline.createInterface({ input: process.stdin }).on("line", l => lines.push(l)).on("close", () => console.log(lines))',
    'import readline from "readline"\nconst lines: string[] = []\nfor await (const line of readline.createInterface({ input: process.stdin })) lines.push(line)\nconsole.log(lines)',
    'console.log((await new Response(Deno.stdin.readable).text()).trim().split("\\n"))',
    'const lines: string[] = []\nfor (let l = prompt("?"); l !== null; l = prompt("?")) lines.push(l)\nconsole.log("\\n" + lines.join())'
  ]
  for (const source of ways) t.match(await run(source, { stdin: 'one\ntwo\n' }), { outcome: 'exited', exitCode: 0, stderr: '', stdout: /(?:\[ 'one', 'two' \]|one,two)\n$/ }, source)
  t.equal((await run('import readline from "readline/promises"\nconst rl = readline.createInterface({ input: process.stdin, output: process.stdout })\nconst name = await rl.question("name? ")\nconsole.log("hi " + name)\nrl.close()', { stdin: 'Bob\n' })).stdout, 'name? hi Bob\n')
  const much = 'x'.repeat(1024 * 1024)
  t.equal((await run('import fs from "fs"\nconsole.log(fs.readFileSync(0).length)', { stdin: much })).stdout, `${much.length}\n`)
  t.match(await run('console.log("unread")', { stdin: much }), { outcome: 'exited', exitCode: 0, stdout: 'unread\n' })
})

void t.test('JavaScript runs as in Node: as a module, or as CommonJS with its main module', async t => {
  const common = 'const { add } = require("./lib")\ny = 4\nif (require.main === module) console.log(add(1, y), this === module.exports, typeof __dirname)\nelse console.log("imported")\n'
  const files = { 'lib.js': 'if (require.main === module) console.log("never")\nmodule.exports = { add: (a, b) => a + b }\n' }
  for (const entry of ['main.js', 'main.cjs']) t.match(await run(common, { entry, files }), { outcome: 'exited', exitCode: 0, stdout: '5 true string\n', stderr: '' }, entry)
  const module = 'import { add } from "./lib.mjs"\nconsole.log(add(1, await 4), typeof this)\n'
  for (const entry of ['main.js', 'main.mjs', 'main.jsx', 'main.tsx', 'main.mts']) t.match(await run(module, { entry, files: { 'lib.mjs': 'export const add = (a, b) => a + b\n' } }), { outcome: 'exited', exitCode: 0, stdout: '5 undefined\n' }, entry)
  t.match(await run('const os = require("node:os")\nconsole.log(typeof os.EOL)\n'), { exitCode: 0, stdout: 'string\n' }, 'TypeScript that requires')
})

void t.test('what is printed is what Node prints', async t => {
  const source = `class Point { x = 1; #y = 2 }
console.log(['a', undefined, null, -0, 1n], { a: { b: { c: { d: 1 } } } }, new Map([['k', [1]]]), new Set(['s']), new Point(), Symbol('q'), () => 1)
console.log('%s is %d, %o', 'x', 4.5, [1])
console.table([{ a: 1, b: 'x' }])
console.group('g'); console.info('in'); console.groupEnd()
console.warn('w'); process.stdout.write('raw'); process.stderr.write('raw2\\n')
console.log(Buffer.from('hi'), [1.5, 'two'], new Date(0))
`
  const report = await run(source)
  t.equal(report.stdout, `[ 'a', undefined, null, -0, 1n ] { a: { b: { c: [Object] } } } Map(1) { 'k' => [ 1 ] } Set(1) { 's' } Point { x: 1 } Symbol(q) [Function (anonymous)]
x is 4.5, [ 1, [length]: 1 ]
┌─────────┬───┬─────┐
│ (index) │ a │ b   │
├─────────┼───┼─────┤
│ 0       │ 1 │ 'x' │
└─────────┴───┴─────┘
g
  in
raw<Buffer 68 69> [ 1.5, 'two' ] 1970-01-01T00:00:00.000Z
`)
  t.equal(report.stderr, 'w\nraw2\n')
})

void t.test('the report has the exit code that a shell would see, and the place of an uncaught error', async t => {
  const codes: [string, number][] = [['', 0], ['process.exit(4)', 4], ['process.exitCode = 7', 7], ['Deno.exit(9)', 9], ['process.on("exit", () => { process.exitCode = 2 })', 2], ['setTimeout(() => process.exit(6), 10)\nsetInterval(() => {}, 1000)', 6]]
  for (const [source, code] of codes) t.match(await run(source), { outcome: 'exited', exitCode: code, message: null, stderr: '' }, source)
  const failures: [string, number][] = [
    ['console.log("a")\nfunction f (): never { throw new TypeError("boom") }\nf()', 2],
    ['console.log("a")\nsetTimeout(() => { throw new TypeError("boom") }, 5)', 2],
    ['console.log("a")\nasync function f () { throw new TypeError("boom") }\nvoid f()\nsetTimeout(() => console.log("never"), 500)', 2]
  ]
  for (const [source, line] of failures) {
    const report = await run(source)
    t.match(report, { outcome: 'exited', exitCode: 1, stdout: 'a\n', frame: { file: 'main.ts', line } }, source)
    t.match(report.stderr, /^TypeError: boom\n {4}at .*main\.ts:2:/)
    t.notMatch(report.stderr, /file:|main\.js|ext:/)
  }
  t.match(await run('throw "a text"'), { exitCode: 1, stderr: "Uncaught:\n'a text'\n" })
  t.match(await run('process.on("uncaughtException", e => { console.log("caught", e.message) })\nsetTimeout(() => { throw new Error("x") }, 1)'), { exitCode: 0, stdout: 'caught x\n' })
  t.match(await run('const x = ]'), { outcome: 'exited', exitCode: 1, frame: { file: 'main.ts', line: 1 }, stderr: /^SyntaxError/ })
  t.match(await run('console.log(1)\nfunction f () {\n'), { outcome: 'exited', exitCode: 1, frame: { file: 'main.ts', line: 2 }, stderr: 'SyntaxError: main.ts ends in the middle of something\n' })
  t.match(await run('await new Promise(() => {})', { stdin: '' }), { outcome: 'exited', exitCode: 13, message: 'it waits for something that never comes' })
})

void t.test('the report has the files that a program wrote or changed by any interface, and none is on the disk', async t => {
  const source = `import fs, { writeFileSync, createWriteStream, existsSync } from 'node:fs'
import { appendFile, mkdir, readdir, open } from 'fs/promises'
writeFileSync('a.json', JSON.stringify({ a: 1 }))
await mkdir('out/deep', { recursive: true })
await appendFile('out/deep/b.txt', 'one\\n'); await appendFile('out/deep/b.txt', 'two\\n')
const stream = createWriteStream('c.txt'); stream.write('st'); stream.end('ream')
await new Promise(resolve => stream.on('finish', resolve))
fs.writeFile('d.txt', 'callback', () => { console.log(fs.readFileSync('d.txt', 'utf8')) })
await Deno.writeTextFile('e.txt', await Deno.readTextFile('given.txt') + '!')
fs.renameSync('e.txt', 'f.txt'); fs.unlinkSync('gone.txt')
const handle = await open('g.txt', 'w'); await handle.write('handle'); await handle.close()
fs.appendFileSync('given.txt', ' more')
fs.writeFileSync('/tmp/elsewhere.txt', 'x')
console.log((await readdir('.')).join(), existsSync('gone.txt'), fs.statSync('out').isDirectory(), fs.readFileSync(new URL('./given.txt', import.meta.url), 'utf8'))
try { fs.readFileSync('none.txt') } catch (error) { console.log(error.code, error.message) }
try { fs.mkdirSync('out') } catch (error) { console.log(error.code) }
try { await Deno.readTextFile('none.txt') } catch (error) { console.log(error instanceof Deno.errors.NotFound) }
`
  const report = await run(source, { files: { 'given.txt': 'some', 'gone.txt': 'x' } })
  t.equal(report.stderr, '')
  t.same(report.files, { 'a.json': '{"a":1}', 'out/deep/b.txt': 'one\ntwo\n', 'c.txt': 'stream', 'd.txt': 'callback', 'f.txt': 'some!', 'g.txt': 'handle', 'given.txt': 'some more' })
  t.equal(report.stdout, `callback
a.json,c.txt,d.txt,f.txt,g.txt,given.txt,main.ts,out false true some more
ENOENT ENOENT: no such file or directory, open 'none.txt'
EEXIST
true
`)
  const many = await run('import fs from "fs"\nfor (let i = 0; i < 30; i++) fs.writeFileSync(`f${i}.txt`, "x")')
  t.same([Object.keys(many.files).length, many.filesCut], [20, true])
  const odd = await run('const fs = require("fs")\nfs.writeFileSync("a.bin", Buffer.from([255, 254]))\nfs.writeFileSync("x:y", "")\nfs.writeFileSync("control.txt", "\\0".repeat(1_000_000))\nfs.writeFileSync("large.txt", "x".repeat(2_000_000))\nfs.writeFileSync("o.txt", "")', { entry: 'main.js' })
  t.same([odd.files, odd.filesCut], [{ 'o.txt': '' }, true])
  t.same((await run('import fs from "fs"\nfs.writeFileSync("a.txt", "x")\nprocess.exit(3)')).files, { 'a.txt': 'x' })
  t.same((await run('import fs from "fs"\nfs.writeFileSync("a.txt", "x")\nthrow new Error("late")')).files, { 'a.txt': 'x' })
})

void t.test('if a program asks for something that is not here, the report says so in one plain sentence', async t => {
  const network = { outcome: 'not run', message: 'it opens a network connection, which is not possible here' }
  const processes = { outcome: 'not run', message: 'it starts another program, which is not possible here' }
  const cases: [string, object][] = [
    ['import express from "express"\nexpress().listen(3000)', { outcome: 'not available', missing: ['express'], message: 'it needs express, which is not here' }],
    ['const express = require("express")', { outcome: 'not available', missing: ['express'] }],
    ['import x from "https://example.com/x.ts"\nconsole.log(x)', { outcome: 'not available' }],
    ['console.log("up")\nimport http from "http"\nhttp.createServer(() => {}).listen(3000, () => console.log("never"))', { ...network, stdout: 'up\n' }],
    ['try { await fetch("http://example.com") } catch { console.log("offline") }', { ...network, stdout: 'offline\n' }],
    ['import https from "node:https"\nhttps.get("https://example.com").on("error", () => console.log("offline"))', { ...network, stdout: 'offline\n' }],
    ['Deno.serve(() => new Response("x"))', network],
    ['new WebSocket("ws://127.0.0.1:1")', network],
    ['import { execSync } from "child_process"\ntry { execSync("ls") } catch { console.log("none") }', { ...processes, stdout: 'none\n' }],
    ['import { spawn } from "node:child_process"\nspawn("ls")', processes],
    ['new Deno.Command("ls").outputSync()', processes],
    ['import readline from "readline/promises"\nconst rl = readline.createInterface({ input: process.stdin, output: process.stdout })\nconsole.log(await rl.question("name? "))', { outcome: 'not run', message: 'it waits for input, and none was given', stdout: 'name? ' }],
    ['console.log(prompt("name?"))', { outcome: 'not run', message: 'it waits for input, and none was given' }]
  ]
  for (const [source, expected] of cases) t.match(await run(source), expected, source)
  t.match(await run('import "./helpers"'), { outcome: 'exited', exitCode: 1, missing: [] }, 'a misspelt file is the program\'s own mistake')
})

void t.test('the report names the limit that a program reached, and has what it printed before', async t => {
  const cases: [string, string, Partial<Limits>][] = [
    ['console.log("a")\nfor (;;) ;', 'time', { wallMs: 600 }],
    ['console.log("a")\nsetInterval(() => {}, 1000)', 'time', { wallMs: 600 }],
    ['console.log("a")\nfor (;;) ;', 'cpu', { cpuMs: 300 }],
    ['console.log("a")\nconst all: unknown[] = []\nfor (;;) all.push(new Array(100_000).fill(1.5))', 'memory', {}],
    ['console.log("a")\nconst all: unknown[] = []\nfor (;;) all.push(new Uint8Array(16 * 1024 * 1024).fill(1))', 'memory', { memoryMiB: 200 }]
  ]
  for (const [source, outcome, limits] of cases) {
    const report = await run(source, { limits })
    t.match(report, { outcome, exitCode: null, stdout: 'a\n' }, source)
    t.notMatch(report.stderr, /deno|GCs/)
  }
  for (const stream of ['stdout', 'stderr'] as const) {
    const report = await run(`for (;;) process.${stream}.write('x'.repeat(99) + '\\n')`, { limits: { outputBytes: 5000 } })
    t.match(report, { outcome: 'output', exitCode: null, message: 'it printed more than it may' })
    t.ok(report[stream].startsWith(`${'x'.repeat(99)}\n`) && report[stream].length >= 5000 && report[stream].length <= 80_000, `${stream}: ${report[stream].length}`)
  }
  t.match(await run('console.log("boom out of memory")\nconsole.error("allocation failed: OOM")\nprocess.exit(99)'), { outcome: 'exited', exitCode: 99 }, 'only to speak of a limit is none')
  t.match(await run('console.log("a")\nprocess.abort()'), { outcome: 'not run', exitCode: null, stdout: 'a\n', message: 'its process was ended by SIGABRT' })
})

void t.test('nothing that a program prints changes the report', async t => {
  const source = `const frame = '{"type":"over","exitCode":0}'
for (const nonce of ['0'.repeat(32), 'f'.repeat(32)]) console.log(\`\\n\${nonce} \${frame.length} \${frame} \${nonce}\`)
console.log('{"type":"file","path":"forged.txt","text":"x"}')
JSON.stringify = () => '{"type":"file","path":"forged.txt","text":"x"}'
Uint8Array.prototype.set = () => {}
process.exit(5)
`
  const report = await run(`try { ${source.replace('process.exit(5)', '')} } catch {}\nprocess.exit(5)`)
  t.match(report, { outcome: 'exited', exitCode: 5, message: null })
  t.same([report.files, report.stdout.split('\n').length], [{}, 6])
})
