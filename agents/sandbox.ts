// The contract of the sandbox: code that nobody has read is formatted, checked, tested, evaluated and run there.

export type Language = 'python' | 'typescript'

/** Text by path: relative, with `/`, inside the job's own folder. */
export type Files = Readonly<Record<string, string>>

/** What one operation may use, from when its turn has come and its process is ready. All of it has ended 500 ms after `wallMs`. */
export interface Limits {
  wallMs: number
  cpuMs: number
  memoryMiB: number
  outputBytes: number
  /** What one test may take of `wallMs`. Without it, what is usual for its language. */
  testMs?: number
}

/** Where operations wait, runs take turns. A run is known by its signal: pass the run's own, or name the run beside a derived one. */
export interface SandboxOptions { signal: AbortSignal, limits?: Partial<Limits>, run?: string }

export interface Diagnostic {
  file: string
  /** Both from 1; a column counts UTF-16 units. */
  line: number
  column: number
  code: string
  message: string
  severity: 'error' | 'warning'
  source: 'syntax' | 'lint' | 'types'
}

export interface CheckReport {
  diagnostics: Diagnostic[]
  /** Third-party modules that are imported and not there: no fault of the code. What rests on them was not checked. */
  missing: string[]
  /** Tools that came to no end within the limits, and why: what they would have said is unknown. */
  unchecked: { source: Diagnostic['source'], reason: string }[]
}

export interface Frame { file: string, line: number }

/**
 * How far a result can be relied on. `compared`: values left the process as data and were compared outside, which no code can
 * forge. `ran`: the test runner shared its process with the code. `not run`: nothing is known.
 */
export type Trust = 'compared' | 'ran' | 'not run'

export interface TestResult {
  /** As the test's author named it, with the names of the groups around it: `Stack > pops in order`, `TestStack.test_pop`. */
  name: string
  file: string
  outcome: 'passed' | 'failed' | 'skipped' | 'not run'
  trust: Trust
  durationMs: number
  /** Why it failed, was skipped or was not run. */
  message: string | null
  /** The first line of the job's own files that the failure went through. */
  frame: Frame | null
  output: string
}

/** `passed` where at least one test ran and none failed. What is claimed of it depends on `vouched`. */
export interface TestReport {
  outcome: 'passed' | 'failed' | 'not run'
  /** Why the run as a whole failed or did not take place; null where the tests speak for themselves. */
  cause: null
    | 'no tests' // nothing was there to run
    | 'load error' // a file did not load: `message` and `frame` say why
    | 'not available' // it needs a module that is not here: `missing`
    | 'exited' // the process ended before the harness had reported
    | 'time' | 'cpu' | 'memory' | 'output' // the limit that was reached
  message: string | null
  frame: Frame | null
  missing: string[]
  /** It passed, and nothing was seen of code that reaches for its tests: the pass may be relied on. */
  vouched: boolean
  /** Why it is not vouched for, a line each: `solution.py:3: it reads the frames of its callers`. */
  doubts: string[]
  tests: TestResult[]
  output: string
  durationMs: number
}

/** A value of a program as data. Numbers travel as text: neither an int beyond 2^53 nor a nan survives JSON. */
export type Value =
  | { type: 'none' | 'undefined' | 'cycle' | 'cut' } // cut: deeper or longer than values may be
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
   * What passes is run once more against code whose functions do nothing: tests that pass there, too, prove nothing. For
   * whoever claims something of the pass; it takes as long again.
   */
  prove?: boolean
}

/** One expression to be evaluated after `file` was loaded, with all that the file defines in reach: `add(2, 3)`. */
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

/** A program as a person would start it: `python ENTRY ARGS`, in the folder of its files. */
export interface Program {
  language: Language
  files: Files
  /** The file to start, one of `files`. */
  entry: string
  args?: string[]
  /** What it reads from standard input. Without it, a program that reads is told as one that waits for input. */
  stdin?: string
}

export interface RunReport {
  /**
   * `exited`: it came to its own end, whatever its exit code. The limits by name. `not available`: it needs a module that is
   * not here (`missing`). `not run`: anything else that kept it from running as it would elsewhere; `message` says what.
   */
  outcome: 'exited' | 'time' | 'cpu' | 'memory' | 'output' | 'not available' | 'not run'
  exitCode: number | null
  stdout: string
  stderr: string
  /** Text files that the program wrote or changed, by path in its folder; at most 20 files, 1 MiB in all. */
  files: Files
  /** True where it wrote files that are not among them: beyond these limits, no text, or a name that paths here may not have. */
  filesCut: boolean
  missing: string[]
  /** One plain sentence for a person: why it did not run to its end, or null. */
  message: string | null
  /** Where an uncaught error came from: the innermost line of the job's own files. */
  frame: Frame | null
  durationMs: number
}

export interface SandboxInfo {
  /** `refused`: the self-test found a leak, so no code is run. `unavailable`: the platform or an installed tool lacks. `ready` with a problem: one language works, and the problem names the other. */
  state: 'not started' | 'ready' | 'refused' | 'unavailable'
  problem: string | null
}

/** Runs and checks code that nobody has read. Every operation ends within its limits, whatever the code does. */
export interface Sandbox {
  /** Formatted, with the linter's safe fixes applied unless `fix` is false. A file that does not parse comes back as it was. */
  format (job: { language: Language, files: Files, fix?: boolean }, options: SandboxOptions): Promise<Files>
  check (job: { language: Language, files: Files }, options: SandboxOptions): Promise<CheckReport>
  /** `tests` names those of the files that hold the tests. */
  test (job: TestJob, options: SandboxOptions): Promise<TestReport>
  /** The values are compared by the caller, outside of the process that ran the code: see `equal` in agents/values. */
  evaluate (job: { language: Language, files: Files, calls: Call[] }, options: SandboxOptions): Promise<Outcome[]>
  /** A program as a person would start it: what it prints, how it ends, which files it writes. Nothing is written to a disk. */
  run (job: Program, options: SandboxOptions): Promise<RunReport>
  /** Makes a language ready ahead of its first job, which then need not wait for it. */
  warm (language: Language): void
  /** Runs the self-test where that has not been done. */
  prove (): Promise<SandboxInfo>
  info (): SandboxInfo
}
