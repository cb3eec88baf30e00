import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { build } from 'esbuild'
import { type Sample, casesOf } from './cases.js'
import type { Order, Report } from './child.js'
import { ROOT } from './functions.js'
import type { Target } from './targets.js'
import { told } from './texts.js'

export interface Options {
  targets: Target[]
  /** All cases without it. */
  sample?: Sample | undefined
  /** A folder inside the project, for the build, and one for what the functions take for the user's own. */
  folder: string
  home: string
  /** When it ends, whether or not all cases were tried, in milliseconds. */
  within: number
  /** Each failure when it is found: all of them may take long. */
  tell: (failure: string) => void
}

export interface Outcome { tried: number, of: number, failures: string[] }

// Milliseconds of the processor without a word, or of the clock where the system doesn't tell.
const HANGS = { processor: 3000, clock: 60_000 }
const ENOUGH = 2 // texts without an end of one target: each takes seconds

/** Calls every target with every text, in a process of its own that is replaced where a call does not return. */
export async function pump ({ targets, sample, folder, home, within, tell }: Options): Promise<Outcome> {
  const file = await bundle(targets, folder)
  const end = Date.now() + within
  const cases = casesOf(targets.length, sample)
  const failures: string[] = []
  const endless: number[] = [] // targets
  let from = 0
  while (from < cases.count && Date.now() < end) {
    const leftOut = targets.flatMap((_, target) => endless.filter(other => other === target).length >= ENOUGH ? [target] : [])
    const { at, hangs } = await session({ file, order: { targets, sample, from, to: cases.count, leftOut }, home, end, onSlow: slow })
    if (hangs) {
      endless.push(cases.at(at).target)
      failed(at, 'no end')
    }
    from = at + 1
  }
  return { tried: from, of: cases.count, failures }

  function slow ({ number, short, long }: Slow): void {
    failed(number, `${long.toFixed(0)} ms for 64 KB, ${short.toFixed(0)} ms for 16 KB`)
  }

  function failed (number: number, what: string): void {
    const { target, recipe } = cases.at(number)
    const failure = `${targets[target]?.name ?? ''}: ${what}, for ${told(recipe)}`
    failures.push(failure)
    tell(failure)
  }
}

/** The functions and the process that calls them, as one file: to load each module by itself would take longer. */
async function bundle (targets: Target[], folder: string): Promise<string> {
  const files = [...new Set(targets.flatMap(target => target.type === 'function' ? [target.file] : []))]
  const outfile = join(folder, 'child.mjs')
  await build({
    absWorkingDir: ROOT,
    entryPoints: [join(ROOT, 'test', 'support', 'pump', 'child.ts')],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'silent',
    plugins: [{
      name: 'modules',
      setup (build) {
        build.onResolve({ filter: /^pump:modules$/ }, () => ({ path: 'modules', namespace: 'pump' }))
        build.onLoad({ filter: /^modules$/, namespace: 'pump' }, () => ({
          resolveDir: ROOT,
          contents: [
            ...files.map((file, index) => `import * as module${index} from './${file}'`),
            `export const MODULES = { ${files.map((file, index) => `'${file}': module${index}`).join(', ')} }`
          ].join('\n')
        }))
      }
    }]
  })
  return outfile
}

type Slow = Extract<Report, { type: 'slow' }>

interface Session { file: string, order: Order, home: string, end: number, onSlow: (report: Slow) => void }

/** One child's work: until its last case, the end of the time, or a case that hangs. */
async function session ({ file, order, home, end, onSlow }: Session): Promise<{ at: number, hangs: boolean }> {
  mkdirSync(home, { recursive: true })
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home, XDG_RUNTIME_DIR: home, XDG_CACHE_HOME: home }
  const child = spawn(process.execPath, [file], { cwd: home, env, stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'ipc'] })
  let errors = ''
  child.stderr?.on('data', (part: Buffer) => { errors += part.toString() })
  let at = order.from
  let isDone = false
  let hangs = false
  let since = { at: -1, clock: 0, processor: undefined as number | undefined }
  const watch = setInterval(() => {
    const now = { at, clock: Date.now(), processor: processorTimeOf(child.pid) }
    if (now.at !== since.at) since = now
    hangs = now.processor === undefined || since.processor === undefined
      ? now.clock - since.clock > HANGS.clock
      : now.processor - since.processor > HANGS.processor
    if (hangs || now.clock > end) child.kill('SIGKILL')
  }, 100)
  const closed = new Promise(resolve => child.once('close', resolve))
  child.send(order)
  for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
    const report = JSON.parse(line) as Report
    if (report.type === 'at') at = report.number
    else if (report.type === 'slow') onSlow(report)
    else isDone = true
  }
  clearInterval(watch)
  await closed
  if (isDone) return { at: order.to - 1, hangs: false }
  if (!hangs && Date.now() <= end) throw new Error(`The process that calls the functions ended at case ${at}: ${errors}`)
  return { at, hangs }
}

/** What a process had of the processor, in milliseconds; undefined where the system doesn't tell, or for one that has ended. */
function processorTimeOf (pid: number | undefined): number | undefined {
  try {
    const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 13).map(Number) ?? []
    return (user + system) * 10 // a tick of Linux is 10 ms
  } catch {
    return undefined
  }
}
