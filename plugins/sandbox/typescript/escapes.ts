import { findDeno } from '../deno.js'
import type { Pool } from '../pool.js'
import type { Bait, Operation } from '../toolchain.js'
import { isRecord } from '../values.js'
import type { WorkerRun } from '../worker.js'

// Each of these modules imports something outside of the job. Loading them must fail.
const IMPORTS: Record<string, (bait: Bait) => string> = {
  'a static JSON import': ({ json }) => `import bait from ${url(json)} with { type: 'json' }\nexport default bait.secret`,
  'a static text import': ({ text }) => `import bait from ${url(text)} with { type: 'text' }\nexport default bait`,
  'a static module import': ({ module }) => `import bait from ${url(module)}\nexport default bait`,
  'a literal dynamic import': ({ module }) => `export default (await import(${url(module)})).default`,
  'an import inside a data: URL': ({ module }) => {
    const inner = encodeURIComponent(`import bait from ${url(module)}\nexport default bait`)
    return `import bait from ${quoted(`data:text/javascript,${inner}`)}\nexport default bait`
  }
}

const ATTEMPTS: Record<string, (bait: Bait) => string> = {
  'a file by Deno': ({ text }) => `await Deno.readTextFile(${quoted(text)})`,
  'a file by node:fs': ({ text }) => `(await import('node:fs')).readFileSync(${quoted(text)}, 'utf8')`,
  'a file by fetch': ({ text }) => `await (await fetch(${url(text)})).text()`,
  'a module by require': ({ json }) => `(await import('node:module')).createRequire(import.meta.url)(${quoted(json)}).secret`,
  'a file by sqlite': ({ folder }) => {
    return `(new (await import('node:sqlite')).DatabaseSync(${quoted(`${folder}/db`)})).exec('create table t (a)')`
  },
  'a written file': ({ folder }) => `await Deno.writeTextFile(${quoted(`${folder}/written`)}, 'x')`,
  'a link': ({ text, folder }) => `(await import('node:fs')).symlinkSync(${quoted(text)}, ${quoted(`${folder}/link`)})`,
  'a variable of the environment': ({ variable }) => {
    return `{ if (!process.env[${quoted(variable)}] && !Deno.env.get(${quoted(variable)})) throw 0 }`
  },
  'a TCP connection': ({ port }) => `await Deno.connect({ hostname: '127.0.0.1', port: ${port} })`,
  'a TCP connection by node:net': ({ port }) => {
    return promised(`const s = require('node:net').connect(${port}, '127.0.0.1', resolve); s.on('error', reject)`)
  },
  'a request by fetch': ({ port }) => `await fetch('http://127.0.0.1:${port}/')`,
  'a datagram': ({ port }) => promised(`const s = require('node:dgram').createSocket('udp4'); s.on('error', reject)
s.send('x', ${port}, '127.0.0.1', error => error ? reject(error) : resolve())`),
  // Deno itself, since no other program exists behind every wall, and one that does not exist proves nothing.
  'a process': () => `await new Deno.Command(${quoted(findDeno())}, { args: ["--version"] }).output()`,
  'a process by node:child_process': () => 'require("node:child_process").execFileSync("/bin/sh", ["-c", "echo 1"])',
  'a foreign function': () => 'Deno.dlopen("libc.so.6", {})',
  'a storage that outlives the job': () => 'globalThis.localStorage.setItem("a", "b")'
}

// An attempt without a result after this time counts as failed. If it succeeds later, the bait's listener sees it.
const PATIENCE_MS = 250

const quoted = (text: string) => JSON.stringify(text)
const url = (path: string) => quoted(`file://${path}`)
const promised = (body: string) => `await new Promise((resolve, reject) => { ${body} })`

/** Runs every attempt in a worker like any job's. Returns those that succeeded. */
export async function findEscapes (pool: Pool, bait: Bait, operation: Operation): Promise<string[]> {
  const imports = Object.entries(IMPORTS)
  const attempts = Object.entries(ATTEMPTS)
  const files: Record<string, string> = { 'own.ts': 'export default 1\n' }
  for (const [index, [, source]] of imports.entries()) files[`import${index}.ts`] = source(bait)
  files['attempts.ts'] = `const report = []
await import('./own.ts')
report.push('own')
const late = new Promise(resolve => setTimeout(resolve, ${PATIENCE_MS}, 'late'))
const make = async (name, attempt) => { try { if (await Promise.race([attempt(), late]) !== 'late') report.push(name) } catch {} }
await Promise.all([
${imports.map(([name], index) => `make(${quoted(name)}, () => import('./import${index}.ts'))`).join(',\n')},
${attempts.map(([name, source]) => `make(${quoted(name)}, async () => ${source(bait)})`).join(',\n')}
])
console.log('succeeded ' + JSON.stringify(report))
`
  const run = await pool.run({ mode: 'test', test: 'attempts.ts', testMs: 5000, usesNodeTest: false, servers: [] }, { files, operation })
  const printed = run.messages.map(({ output }) => output).join('') + run.rest
  const [, list] = /^succeeded (.*)$/m.exec(printed) ?? []
  if (run.cause !== null || list === undefined) {
    throw new Error(`the attempts did not finish (${run.cause ?? 'no result'}) ${failureOf(run)}`)
  }
  const succeeded = JSON.parse(list) as string[]
  // If the job cannot even read its own module, the failures of the rest prove nothing.
  if (!succeeded.includes('own')) throw new Error('a job cannot read its own files')
  if (printed.includes(bait.secret) || run.stderr.includes(bait.secret)) succeeded.push('the secret itself')
  return succeeded.filter(name => name !== 'own')
}

function failureOf (run: WorkerRun): string {
  const failure = run.messages.map(({ body }) => body).find(body => isRecord(body) && 'message' in body)
  return isRecord(failure) ? String(failure.message) : run.stderr.slice(0, 300)
}
