// Deno.test on vitest's runner. `deno test` itself would take 100 ms and 120 MB for each job, and prints its results only as text. Deno's
// node:test defines its tests by calling Deno.test, so this serves both.
import process from 'node:process'
import { afterAll, afterEach, beforeAll, beforeEach, test } from '@vitest/runner'
import { cancel, replace, later } from '../platform.js'
import { type StepReport, reportStep } from './steps.js'

type Body = (context: object) => unknown
interface Given { name?: string, fn?: Body, ignore?: boolean, only?: boolean }

interface NodeTest {
  mock: { reset (): void, restoreAll (): void }
  beforeEach (hook: (context: object) => void): void
}

let limitMs = 5000
let nodeTest: NodeTest | undefined
/** The reasons that the running test of node:test gave for being skipped. */
const skips: string[] = []

/** Sets the time limit of one test or step, and prepares node:test if the job uses it. */
export function prepareSteps (ms: number, usesNodeTest: boolean): void {
  limitMs = ms
  if (!usesNodeTest) return
  nodeTest = process.getBuiltinModule('node:test') as NodeTest
  // Deno lets a test that skips itself pass, whatever it throws.
  nodeTest.beforeEach(context => {
    for (const word of ['skip', 'todo']) replace(context, word, (note: unknown) => { skips.push(typeof note === 'string' ? note : '') })
  })
}

/** Reads `(name, fn)`, `(name, options, fn)`, `(options, fn)`, `(options)` or `(fn)`. A function's name can be that of its test. */
function parse (args: unknown[]): Required<Given> {
  const options = args.find(arg => typeof arg === 'object' && arg !== null) as Given | undefined
  const fn = args.find(arg => typeof arg === 'function') as Body | undefined ?? options?.fn
  const name = args.find(arg => typeof arg === 'string') ?? options?.name ?? fn?.name ?? ''
  if (!fn) throw new TypeError(`the test '${name}' has no function`)
  return { name, fn, ignore: options?.ignore ?? false, only: options?.only ?? false }
}

/** Fails a test that does not end in time. Each step starts the time anew. */
async function limited (run: (again: () => void) => unknown): Promise<void> {
  let timer: unknown
  try {
    await new Promise<unknown>((resolve, reject) => {
      const again = () => {
        cancel(timer as number)
        timer = later(() => { reject(new Error(`it did not end within ${limitMs} ms`)) }, limitMs)
      }
      again()
      Promise.resolve(run(again)).then(resolve, reject)
    })
  } finally {
    cancel(timer as number)
  }
}

// Node restores mocks and timers at the end of a test, Deno does not.
function restoreMocks (): void {
  nodeTest?.mock.reset()
  nodeTest?.mock.restoreAll()
}

async function runBody (body: Body, path: string[], parent: object | undefined, again: () => void): Promise<void> {
  const failed: string[] = []
  let open = 0
  const context = {
    name: path.at(-1), origin: '', parent,
    async step (...args: unknown[]): Promise<boolean> {
      const { name, fn, ignore } = parse(args)
      const inner = [...path, name]
      const report: StepReport = reportStep(inner, ignore)
      if (ignore) return false
      open++
      again()
      try {
        await runBody(fn, inner, context, again)
        report.passed()
        return true
      } catch (error) {
        report.failed(error)
        failed.push(name)
        return false
      } finally {
        open--
        again()
      }
    }
  }
  await body(context)
  if (open > 0) throw new Error('a step had not ended when its test did: await it with `await t.step(...)`')
  if (failed.length > 0) throw new Error(`failed within it: ${failed.join(', ')}`)
}

function define (args: unknown[], more: Given = {}): void {
  const { name, fn, ignore, only } = { ...parse(args), ...more }
  const add = ignore ? test.skip : only ? test.only : test
  add(name, { timeout: 0 }, async ({ skip }) => {
    try {
      await limited(async again => { await runBody(fn, [name], undefined, again) })
    } catch (error) {
      if (skips.length === 0) throw error
    } finally {
      restoreMocks()
    }
    const [why] = skips.splice(0)
    if (why !== undefined) skip(why)
  })
}

export const denoTest = Object.assign((...args: unknown[]) => { define(args) }, {
  ignore: (...args: unknown[]) => { define(args, { ignore: true }) },
  skip: (...args: unknown[]) => { define(args, { ignore: true }) },
  only: (...args: unknown[]) => { define(args, { only: true }) },
  beforeAll, afterAll, beforeEach, afterEach
})
