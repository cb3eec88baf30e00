import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// More files than an agent has; checking each takes a process.
const MOST_FILES = 100

/** The same error, except that a syntax error's message says in which file and line it is. */
export async function withPlace (error: unknown, file: string): Promise<unknown> {
  if (!(error instanceof SyntaxError) || /\.[mc]?[jt]s:\d/.test(error.message)) return error
  const place = placeIn(error.stack) ?? (isOfLoader(error) ? await search(file) : undefined)
  return place === undefined ? error : new SyntaxError(`${place}: ${error.message}`, { cause: error })
}

// Node prints the place of a syntax error only when the error ends a process. `node --check` does not run the file.
async function search (file: string): Promise<string | undefined> {
  for (const candidate of [file, ...await sourcesIn(dirname(file))].slice(0, MOST_FILES)) {
    const place = placeIn(await check(candidate))
    if (place !== undefined) return place
  }
  return undefined
}

// Whether the module loader threw the error, and not code such as JSON.parse.
function isOfLoader ({ stack }: Error): boolean {
  return stack?.split('\n').find(line => /^\s+at /.test(line))?.includes('node:internal/') ?? false
}

async function sourcesIn (folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true })
  return files.filter(file => /\.[mc]?js$/.test(file) && !/(^|[\\/])node_modules[\\/]/.test(file)).sort().map(file => join(folder, file))
}

function check (file: string): Promise<string> {
  return new Promise(resolve => {
    execFile(process.execPath, ['--check', file], { env: { ...process.env, NODE_OPTIONS: '' } }, (_error, _out, stderr) => resolve(stderr))
  })
}

/** The place in an error report, which begins with `file:///agents/echo/agent.mjs:3`, a line break and the line of code. */
function placeIn (report = ''): string | undefined {
  const [, file, line] = /^(file:\/\/.+|[/\\].+|[A-Za-z]:.+):(\d+)\r?\n/.exec(report) ?? []
  return file === undefined ? undefined : `${file.startsWith('file:') ? fileURLToPath(file) : file}:${line}`
}
