// The contract of the sandbox, which formats, checks, tests, evaluates and runs untrusted code.

export type Language = 'python' | 'typescript'

/** The texts of files by path. Paths are relative to the job's folder, and use `/`. */
export type Files = Readonly<Record<string, string>>

/**
 * The limits of one operation. Time counts from the moment when its turn has come and its process is ready. 500 ms after `wallMs` at
 * the latest, all of it has ended.
 */
export interface Limits {
  wallMs: number
  cpuMs: number
  memoryMiB: number
  outputBytes: number
  /** How much of `wallMs` one test may take; by default the usual time for its language. */
  testMs?: number
}

/**
 * When operations have to wait, runs take turns. The sandbox knows the run by its signal: pass the signal of the run itself, or give
 * the id of the run together with a derived signal.
 */
export interface SandboxOptions { signal: AbortSignal, limits?: Partial<Limits>, run?: string }

export interface Diagnostic {
  file: string
  /** Line and column begin at 1; columns count UTF-16 units. */
  line: number
  column: number
  code: string
  message: string
  severity: 'error' | 'warning'
  source: 'syntax' | 'lint' | 'types'
}

export interface CheckReport {
  diagnostics: Diagnostic[]
  /** Third-party modules that the code imports and that are not available. Code that depends on them was not checked. */
  missing: string[]
  /** Tools that did not finish within the limits, and why: their diagnostics are missing. */
  unchecked: { source: Diagnostic['source'], reason: string }[]
}

export interface Frame { file: string, line: number }

/**
 * How far a result can be trusted. `compared`: values left the process as data and were compared outside, which the code cannot
 * forge. `ran`: the test runner shared its process with the code. `not run`: nothing is known.
 */
export type Trust = 'compared' | 'ran' | 'not run'

export interface TestResult {
  /** The name of the test, after the names of its groups: `Stack > pops in order`, `TestStack.test_pop`. */
  name: string
  file: string
  outcome: 'passed' | 'failed' | 'skipped' | 'not run'
  trust: Trust
  durationMs: number
  /** Why it failed, was skipped or was not run. */
  message: string | null
  /** The innermost line of the job's own files in the stack of the failure. */
  frame: Frame | null
  output: string
}

/** The outcome is `passed` if at least one test ran and none failed. Whether that can be trusted is said by `vouched`. */
export interface TestReport {
  outcome: 'passed' | 'failed' | 'not run'
  /** Why the run as a whole failed or did not happen; null if only the results of the tests matter. */
  cause: null
    | 'no tests' // there was nothing to run
    | 'load error' // a file did not load: `message` and `frame` say why
    | 'not available' // it needs a module that is not available: see `missing`
    | 'exited' // the process ended before the harness had reported
    | 'time' | 'cpu' | 'memory' | 'output' // the limit that was reached
  message: string | null
  frame: Frame | null
  missing: string[]
  /** It passed, and the gates found no code that could have tampered with its tests: the pass can be trusted. */
  vouched: boolean
  /** Why it is not vouched for, one line per reason: `solution.py:3: it reads the frames of its callers`. */
  doubts: string[]
  tests: TestResult[]
  output: string
  durationMs: number
}

/** A value of a program as data. Numbers are texts, because JSON has neither integers beyond 2^53 nor nan. */
export type Value =
  | { type: 'none' | 'undefined' | 'cycle' | 'cut' } // cut: the value was too deep or too long
  | { type: 'bool', value: boolean }
  | { type: 'int' | 'float' | 'number' | 'bigint' | 'str' | 'bytes' | 'symbol', value: string } // bytes in hex
  | { type: 'list' | 'tuple' | 'set' | 'frozenset' | 'array', items: Value[] } // a hole in an array: undefined
  | { type: 'dict' | 'map' | 'record', entries: [Value, Value][] } // record: a plain JavaScript object
  | { type: 'object', name: string, entries: [Value, Value][], text: string } // any other: its class, own fields, repr

export interface TestJob {
  language: Language
  files: Files
  tests: string[]
  /**
   * Runs tests that passed once more, against code whose functions do nothing: tests that pass there as well prove nothing. It takes
   * as long again, and is for callers that claim something because the tests passed.
   */
  prove?: boolean
}

/** One expression to evaluate after `file` was loaded, with everything that the file defines in scope: `add(2, 3)`. */
export interface Call {
  file?: string
  expression: string
  /** Statements to run first, in the same scope. */
  setup?: string
}

export type Outcome =
  | { type: 'returned', value: Value, output: string }
  | { type: 'raised', name: string, message: string, frame: Frame | null, output: string }
  | { type: 'not run', cause: NonNullable<TestReport['cause']>, message: string, missing: string[] }

/** A program to start as a person would: `python ENTRY ARGS`, in the folder of its files. */
export interface Program {
  language: Language
  files: Files
  /** The file to start, one of `files`. */
  entry: string
  args?: string[]
  /** What it reads from standard input. Without it, a program that reads is reported as waiting for input. */
  stdin?: string
}

export interface RunReport {
  /**
   * `exited`: it ended by itself, with any exit code. `time`, `cpu`, `memory`, `output`: it reached that limit. `not available`: it
   * needs a module that is not available (see `missing`). `not run`: it could not run for another reason (see `message`).
   */
  outcome: 'exited' | 'time' | 'cpu' | 'memory' | 'output' | 'not available' | 'not run'
  exitCode: number | null
  stdout: string
  stderr: string
  /** Text files that the program wrote or changed, by path in its folder; at most 20 files, and 1 MiB in total. */
  files: Files
  /** True if it wrote other files as well: beyond these limits, not text, or with a name that paths may not have here. */
  filesCut: boolean
  missing: string[]
  /** Why it did not run to its end, as one sentence for people; otherwise null. */
  message: string | null
  /** The innermost line of the job's own files in the stack of an uncaught error. */
  frame: Frame | null
  durationMs: number
}

export interface SandboxInfo {
  /**
   * `refused`: the self-test found a leak, so no code is run. `unavailable`: the platform is not supported, or a tool is missing.
   * `ready` with a problem: one language works, and the problem is about the other.
   */
  state: 'not started' | 'ready' | 'refused' | 'unavailable'
  problem: string | null
}

/** Runs and checks untrusted code. Every operation ends within its limits, whatever the code does. */
export interface Sandbox {
  /** Formats files, and applies the linter's safe fixes unless `fix` is false. A file that does not parse is returned unchanged. */
  format (job: { language: Language, files: Files, fix?: boolean }, options: SandboxOptions): Promise<Files>
  check (job: { language: Language, files: Files }, options: SandboxOptions): Promise<CheckReport>
  /** Runs the tests in those files that `tests` names. */
  test (job: TestJob, options: SandboxOptions): Promise<TestReport>
  /** Evaluates calls. The caller compares the values, outside the process that ran the code: see `equal` in agents/values.ts. */
  evaluate (job: { language: Language, files: Files, calls: Call[] }, options: SandboxOptions): Promise<Outcome[]>
  /** Starts a program as a person would, and reports what it prints, how it ends and which files it writes. Nothing is written to disk. */
  run (job: Program, options: SandboxOptions): Promise<RunReport>
  /** Prepares a language before its first job, which then need not wait. */
  warm (language: Language): void
  /** Runs the self-test, if that has not been done. */
  prove (): Promise<SandboxInfo>
  info (): SandboxInfo
}
