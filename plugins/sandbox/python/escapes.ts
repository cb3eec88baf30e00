import type { Pool } from '../pool.js'
import type { Bait, Operation } from '../toolchain.js'
import { outcomes } from './calls.js'

const SETUP = 'import js\nfrom pyodide.code import run_js'

const quoted = (text: string) => JSON.stringify(text)

// Expressions that must fail, or be None. `js` is Pyodide's module for JavaScript, where Deno's permissions apply.
const ATTEMPTS: Record<string, (bait: Bait) => string> = {
  'a file by open': ({ text }) => `open(${quoted(text)}).read()`,
  'a file by Deno': ({ text }) => `js.Deno.readTextFileSync(${quoted(text)})`,
  'a file by node:fs': ({ text }) => `js.process.getBuiltinModule("fs").readFileSync(${quoted(text)}, "utf8")`,
  'a file by a new Function': ({ text }) => `run_js(${quoted(`Deno.readTextFileSync(${quoted(text)})`)})`,
  'a folder': ({ folder }) => `[*js.Deno.readDirSync(${quoted(folder)})][0]`,
  'a written file': ({ folder }) => `js.Deno.writeTextFileSync(${quoted(`${folder}/written`)}, "x")`,
  'a link': ({ text, folder }) => `js.Deno.symlinkSync(${quoted(text)}, ${quoted(`${folder}/link`)})`,
  'a variable of the environment': ({ variable }) => `__import__("os").environ[${quoted(variable)}]`,
  'a variable of the environment by Deno': ({ variable }) => `js.Deno.env.get(${quoted(variable)})`,
  'a TCP connection': ({ port }) => `__import__("socket").create_connection(("127.0.0.1", ${port}), 2).sendall(b"x")`,
  'a datagram': ({ port }) => `js.process.getBuiltinModule("dgram").createSocket("udp4").send("x", ${port}, "127.0.0.1")`,
  'a process': () => '__import__("subprocess").run(["/bin/true"]).returncode',
  'a process by Deno': () => 'js.Deno.Command.new("/bin/true").outputSync()',
  'a foreign function': () => 'run_js("Deno.dlopen(\'libc.so.6\', {})")'
}

/** Runs every attempt in a worker like any job's. Returns those that succeeded. */
export async function findEscapes (pool: Pool, bait: Bait, operation: Operation): Promise<string[]> {
  const names = Object.keys(ATTEMPTS)
  const calls = [
    { file: 'own.py', expression: 'own' },
    ...Object.values(ATTEMPTS).map(attempt => ({ setup: SETUP, expression: `str(${attempt(bait)})` })),
    // Promises are awaited. The listener sees whether one of these got through.
    { setup: 'import js, asyncio', expression: `js.Deno.connect(js.JSON.parse('{"hostname":"127.0.0.1","port":${bait.port}}'))` },
    { setup: 'import js', expression: `js.fetch("http://127.0.0.1:${bait.port}/")` }
  ]
  const { wallMs, outputBytes } = operation.limits
  const times = { budgetMs: wallMs - 1000, eachMs: 3000, outputBytes }
  const job = { hasJavaScript: true, files: { 'own.py': 'own = "own"\n' }, calls, ...times }
  pool.warm() // so that the first job finds a worker ready after this test
  const run = await pool.run(job, { operation })
  const [own, ...found] = await outcomes(run, calls)
  // If the job cannot even read its own module, the failures of the rest prove nothing.
  if (run.cause !== null || own?.type !== 'returned') {
    throw new Error(`the attempts did not finish (${run.cause ?? JSON.stringify(own)}) ${run.stderr.slice(0, 300)}`)
  }
  const escapes = names.filter((_, index) => found[index]?.type === 'returned' && !isNothing(found[index].value))
  if (JSON.stringify(run.messages).includes(bait.secret) || run.stderr.includes(bait.secret)) escapes.push('the secret itself')
  return escapes
}

/** JavaScript's `undefined` arrives as text. */
function isNothing (value: { type: string, value?: unknown }): boolean {
  return value.type === 'none' || (value.type === 'str' && (value.value === 'undefined' || value.value === 'None'))
}
