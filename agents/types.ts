// The contract between the service and its agents. An agent is given plain data and yields plain data;
// nothing of HTTP or Fastify crosses this line.

export type Message =
  | { role: 'system' | 'user', content: string }
  | { role: 'assistant', content: string, tool_calls?: unknown[] }
  | { role: 'tool', content: string, tool_call_id?: string }

export type FinishReason = 'stop' | 'length' | 'tool_calls'

/** A function that the caller can run. It is the caller who runs it: an agent hands on the model's call of it. */
export interface Tool {
  type: 'function'
  /** `parameters` is a JSON schema. Other keys (`strict`) are handed on as they came. */
  function: { name: string, description?: string, parameters?: Record<string, unknown> }
}

export type ToolChoice = 'none' | 'auto' | 'required' | { type: 'function', function: { name: string } }
export type ResponseFormat =
  | { type: 'text' | 'json_object' }
  | { type: 'json_schema', json_schema: { name?: string, schema: Record<string, unknown> } }

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh'

/** What the caller may set beside the sampling: handed on as it came, after validation. */
export interface Settings {
  /** Never empty. */
  tools?: Tool[]
  /** Only beside tools. A name in it is the name of one of them. */
  tool_choice?: ToolChoice
  parallel_tool_calls?: boolean
  response_format?: ResponseFormat
  reasoning_effort?: Effort
  stop?: string[]
  seed?: number
}

/** Names of settings. `tools` covers `tool_choice` and `parallel_tool_calls`. */
export type Acceptable = 'tools' | 'response_format' | 'reasoning_effort' | 'stop' | 'seed'

/** Each usage event is added to the run's sum. reasoning_tokens are a part of completion_tokens that the reply does not show. */
export interface UsageEvent { type: 'usage', prompt_tokens: number, completion_tokens: number, reasoning_tokens?: number }

/**
 * A piece of a call that the caller is to make. The first piece of an index holds the name; the arguments, a JSON text, may
 * come in any number of pieces. An id that is not given is made by the service.
 */
export interface ToolCallEvent { type: 'tool_call', index: number, id?: string, name?: string, arguments: string }

/** A string is a fragment of the reply. Progress says what is being done and is no part of the reply. */
export type AgentEvent =
  | string
  | ProgressEvent
  | UsageEvent
  | ToolCallEvent
  | { type: 'finish', reason: FinishReason }

/** The settings are those that the agent accepts. */
export interface AgentRequest extends Settings {
  messages: Message[]
  temperature: number
  top_p: number
  max_tokens?: number
}

export interface AgentLimits { max_input_tokens: number, max_output_tokens: number }
export interface AgentRun { id: string, log: Logger }

export interface Agent {
  /** The settings that the agent takes notice of. The names of all others go into the header `x-ignored-parameters`. */
  readonly accepts?: readonly Acceptable[]
  modelInfo (): AgentLimits
  /** Must stop promptly when the signal aborts. May throw: the message becomes the caller's `agent_error`. */
  reply (request: AgentRequest, signal: AbortSignal, run: AgentRun): AsyncIterable<AgentEvent>
  /** True for a call that a front-end makes beside the conversation (a title, a tag): it takes no slot of `concurrency` or `--max-runs`. */
  isBackground? (request: AgentRequest): boolean
}

export interface AgentServices { backend: Backend, sandbox: Sandbox, log: Logger }
export type AgentClass = new (params: Record<string, unknown>, services: AgentServices) => Agent

/** What an agent's plugin passes to `fastify.agents.register(id, entry)`. */
export interface AgentEntry {
  /** Dotted path from the folder that holds the agents: `echo.agent.EchoAgent` is export `EchoAgent` of `echo/agent`. */
  class_name: string
  init_params: Record<string, unknown>
  description: string
  /** How many runs of this agent may be under way at once; without it, any number. */
  concurrency?: number
}

/** Thrown by an agent before its first event: the caller gets 400 `context_length_exceeded`. Known by its name, so that an author may also bring an own class. */
export class InputTooLong extends Error {
  override name = 'InputTooLong'
}

export interface Logger {
  debug (details: object, message?: string): void
  info (details: object, message?: string): void
  warn (details: object, message?: string): void
  error (details: object, message?: string): void
}

export type Step = 'answer' | 'plan' | 'write' | 'repair' | 'tests'

export interface BackendRequest extends Settings {
  messages: Message[]
  temperature: number
  top_p: number
  max_tokens?: number
  /** What the call is for and which run it belongs to, so that a backend's log can be read. */
  step: Step
  run: string
}

/** What is being waited for, in words for the caller, a line each: `Ollama loads qwen3`, `model 43 %, 2 min left`. */
export interface ProgressEvent { type: 'progress', text: string }

/** Progress while the model is not there yet, then fragments and reasoning as they come, the usage, the finish. */
export type BackendEvent =
  | { type: 'fragment' | 'reasoning', text: string }
  | ProgressEvent
  | UsageEvent
  | ToolCallEvent
  | { type: 'finish', reason: FinishReason }

export interface BackendInfo {
  kind: string
  url: string | null
  model: string | null
  /** The context that one request may use, in tokens; null where the backend does not tell. */
  context: number | null
  slots: number | null
  /** Why it is this backend: it was named, or found where others were not. */
  reason: string | null
  /** What is wrong, and the command or change that mends it. */
  problem: string | null
  remedy: string | null
}

/** The one door to a language model. */
export interface Backend {
  chat (request: BackendRequest, signal: AbortSignal): AsyncIterable<BackendEvent>
  /** Of the conversation as the model is given it. Counting may stop once it is past the limit. */
  countTokens (messages: Message[], limit?: number): Promise<number>
  /** As far as it is known now: it does not wait for a model that is being loaded. */
  info (): Promise<BackendInfo>
  /** Waits until the model can be asked, telling how far that is. Throws what is wrong, as `chat` would, which waits likewise. */
  ready (signal: AbortSignal): AsyncGenerator<ProgressEvent, BackendInfo>
  close (): Promise<void>
}

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
  test (job: { language: Language, files: Files, tests: string[] }, options: SandboxOptions): Promise<TestReport>
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
