import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Far more than an agent has; each takes a process.
const MOST = 100

/** The same error; one of a syntax says in which file and line. */
export async function placed (error: unknown, file: string): Promise<unknown> {
  if (!(error instanceof SyntaxError) || /\.[mc]?[jt]s:\d/.test(error.message)) return error
  const place = placeIn(error.stack) ?? (isOfLoader(error) ? await search(file) : undefined)
  return place === undefined ? error : new SyntaxError(`${place}: ${error.message}`, { cause: error })
}

// Of a module that cannot be parsed Node tells the place only where that ends a process. To check a file does not run it.
async function search (file: string): Promise<string | undefined> {
  for (const candidate of [file, ...await sourcesIn(dirname(file))].slice(0, MOST)) {
    const place = placeIn(await check(candidate))
    if (place !== undefined) return place
  }
  return undefined
}

// Not one that was thrown by code, by JSON.parse for example.
function isOfLoader ({ stack }: Error): boolean {
  return stack?.split('\n').find(line => /^\s+at /.test(line))?.includes('node:internal/') ?? false
}

async function sourcesIn (folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true })
  return files.filter(file => /\.[mc]?js$/.test(file) && !/(^|[\\/])node_modules[\\/]/.test(file)).sort().map(file => join(folder, file))
}

function check (file: string): Promise<string> {
  return new Promise(resolve => {
    execFile(process.execPath, ['--check', file], { env: { ...process.env, NODE_OPTIONS: '' } }, (_error, _out, told) => resolve(told))
  })
}

/** `file:///agents/echo/agent.mjs:3` above the line of code. */
function placeIn (told = ''): string | undefined {
  const [, file, line] = /^(file:\/\/.+|[/\\].+|[A-Za-z]:.+):(\d+)\r?\n/.exec(told) ?? []
  return file === undefined ? undefined : `${file.startsWith('file:') ? fileURLToPath(file) : file}:${line}`
}
