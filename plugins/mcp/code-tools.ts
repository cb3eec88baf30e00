import type { FastifyInstance } from 'fastify'
import type { Files, Language, SandboxOptions } from '../../agents/types.js'
import { InvalidRequest } from '../../schemas/errors.js'
import { CheckArguments, RunArguments, TestArguments } from '../../schemas/mcp.js'
import { InvalidJob, SandboxUnavailable } from '../sandbox/errors.js'
import type { Jobs } from './jobs.js'
import { checkText, runText, testText } from './reports.js'
import { type Tool, textResult } from './tool.js'

const MOST_BYTES = 1024 * 1024

// All calls count as one run, so that they take turns with the runs of agents.
const CALLER = 'mcp'

// A code tool changes nothing outside of the sandbox, so a client may call it without asking.
const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

const WHERE = 'in a sandbox: without network, without the files of this machine, with the standard library only'

// pytest and vitest find tests by the same names.
const TESTS: Record<Language, RegExp> = {
  python: /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/,
  typescript: /\.(?:test|spec)\.[mc]?[jt]sx?$/
}

/** The tools that check and run code in the sandbox. */
export function codeTools ({ sandbox }: FastifyInstance, jobs: Jobs): Tool[] {
  const run = <T>(files: Files, call: { signal: AbortSignal }, work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    withErrors(files, () => jobs.run(call.signal, work))
  return [
    {
      listed: {
        name: 'check_code',
        title: 'Check code',
        description: 'Lints and type-checks Python or TypeScript files, and formats them if asked. Nothing is run, nothing is changed.',
        annotations
      },
      input: CheckArguments,
      async call (args, call) {
        const { language, files, format = false } = args as CheckArguments
        return await run(files, call, async signal => {
          const report = await sandbox.check({ language, files }, { signal, run: CALLER })
          // Without lint fixes, which would remove imports that the caller is about to use.
          const formatted = format ? await sandbox.format({ language, files, fix: false }, { signal, run: CALLER }) : undefined
          return textResult(checkText(report, { files, formatted }), { structuredContent: { ...report, ...(formatted && { formatted }) } })
        })
      }
    },
    {
      listed: {
        name: 'test_code',
        title: 'Test code',
        description: `Runs the tests of Python or TypeScript files (pytest, unittest; vitest) ${WHERE}. `
          + 'Reports each test, and whether a pass can be trusted.',
        annotations
      },
      input: TestArguments,
      async call (args, call) {
        const { language, files, tests: paths = testsAmong(files, language), timeout_seconds: seconds } = args as TestArguments
        return await run(files, call, async signal => {
          const report = await sandbox.test({ language, files, tests: paths, prove: true }, optionsOf(signal, seconds))
          const tests = report.tests.map(test => ({ ...test, passed: test.outcome === 'passed' }))
          return textResult(testText(report), { structuredContent: { passed: report.outcome === 'passed', ...report, tests } })
        })
      }
    },
    {
      listed: {
        name: 'run_code',
        title: 'Run code',
        description: `Runs a Python or TypeScript program ${WHERE}. Returns what it prints, its exit code, and the files that it writes.`,
        annotations
      },
      input: RunArguments,
      async call (args, call) {
        const { language, files, entry, args: programArgs, stdin, timeout_seconds: seconds } = args as RunArguments
        return await run(files, call, async signal => {
          const program = { language, files, entry, ...(programArgs && { args: programArgs }), ...(stdin !== undefined && { stdin }) }
          const report = await sandbox.run(program, optionsOf(signal, seconds))
          return textResult(runText(report), { structuredContent: { ...report } })
        })
      }
    }
  ]
}

function optionsOf (signal: AbortSignal, seconds: number | undefined): SandboxOptions {
  const limits = seconds !== undefined && { limits: { wallMs: seconds * 1000, cpuMs: seconds * 1000 } }
  return { signal, run: CALLER, ...limits }
}

function testsAmong (files: Files, language: Language): string[] {
  const tests = Object.keys(files).filter(path => TESTS[language].test(path))
  if (tests.length > 0) return tests
  const named = language === 'python' ? 'test_*.py' : '*.test.ts'
  throw new InvalidRequest(`tests is required here: none of the files is named like a test (${named}), so name those that hold tests`)
}

/** Does the work. Errors in the job or of the sandbox become errors that say which argument is wrong, or what the caller can do. */
async function withErrors<T> (files: Files, work: () => Promise<T>): Promise<T> {
  const bytes = Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (bytes > MOST_BYTES) throw new InvalidRequest(`files may hold 1 MiB together, and these hold ${bytes} bytes`)
  try {
    return await work()
  } catch (error) {
    if (error instanceof InvalidJob) throw new InvalidRequest(namingField(error.message))
    if (error instanceof SandboxUnavailable) throw new InvalidRequest(unavailable(error.message))
    throw error
  }
}

function namingField (message: string): string {
  return /^(?:files|tests|entry|args|stdin|language|limits)\b/.test(message) ? message : `files: ${message}`
}

function unavailable (reason: string): string {
  return `The sandbox is not available, so nothing was checked or run: ${reason.replace(/\.$/, '')}. `
    + 'GET /health/ready and the log of svc say more. Once it is repaired, call again; until then, run the code yourself.'
}
