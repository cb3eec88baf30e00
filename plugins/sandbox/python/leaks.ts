import type { Pool } from '../pool.js'
import type { Bait, Scope } from '../toolchain.js'
import { outcomes } from './calls.js'

const quoted = (text: string) => JSON.stringify(text)

// Each is an expression that must fail, or give nothing. `js` is Pyodide's way to JavaScript, where Deno's permissions hold.
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

/** Runs every attempt in a cell like any job's. Gives those that came to something. */
export async function attempt (pool: Pool, bait: Bait, scope: Scope): Promise<string[]> {
  const names = Object.keys(ATTEMPTS)
  const calls = [
    { file: 'own.py', expression: 'own' },
    ...Object.values(ATTEMPTS).map(expression => ({ setup: 'import js\nfrom pyodide.code import run_js', expression: `str(${expression(bait)})` })),
    // What JavaScript only promises has to be waited for.
    { setup: 'import js, asyncio', expression: `js.Deno.connect(js.JSON.parse('{"hostname":"127.0.0.1","port":${bait.port}}'))` },
    { setup: 'import js', expression: `js.fetch("http://127.0.0.1:${bait.port}/")` }
  ]
  const job = { hasJavaScript: true, files: { 'own.py': 'own = "own"\n' }, calls, budgetMs: scope.limits.wallMs - 1000, eachMs: 3000, outputBytes: scope.limits.outputBytes }
  pool.warm() // what is tried first comes with a cell for the first job
  const run = await pool.run(job, { scope })
  const [own, ...reached] = await outcomes(run, calls)
  // Were even the job's own module out of reach, the rest would prove nothing.
  if (run.cause !== null || own?.type !== 'returned') throw new Error(`the attempts came to no end (${run.cause ?? JSON.stringify(own)}) ${run.stderr.slice(0, 300)}`)
  const leaks = names.filter((_, index) => reached[index]?.type === 'returned' && !isNothing(reached[index].value))
  if (JSON.stringify(run.reports).includes(bait.secret) || run.stderr.includes(bait.secret)) leaks.push('the secret itself')
  return leaks
}

/** JavaScript says `undefined` where there is nothing. */
function isNothing (value: { type: string, value?: unknown }): boolean {
  return value.type === 'none' || (value.type === 'str' && (value.value === 'undefined' || value.value === 'None'))
}
