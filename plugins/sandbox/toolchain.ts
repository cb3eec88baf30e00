import type { Call, CheckReport, Files, Limits, Logger, Outcome, RunReport, TestReport } from '../../agents/types.js'
import type { Guardian } from './guardian.js'
import type { CheckedProgram } from './job.js'
import type { Wall } from './wall.js'

/** What an operation may use and until when. The clock of `limits.wallMs` starts when its tool does. */
export interface Scope {
  signal: AbortSignal
  limits: Limits
  /** Which run it belongs to, or what else tells it from others: where operations wait, runs take turns. */
  run: unknown
}

/** What a language brings. It is given checked jobs, one for each slot, and only once code may be run. */
export interface Toolchain {
  format (files: Files, fix: boolean, scope: Scope): Promise<Files>
  check (files: Files, scope: Scope): Promise<CheckReport>
  test (files: Files, tests: string[], scope: Scope): Promise<TestReport>
  /** The same against code whose functions do nothing. */
  testHollow (files: Files, tests: string[], scope: Scope): Promise<TestReport>
  evaluate (files: Files, calls: Call[], scope: Scope): Promise<Outcome[]>
  run (program: CheckedProgram, scope: Scope): Promise<RunReport>
  /** Has the same cells attempt what must not succeed. Gives what did, in words; throws where the attempts could not be made. */
  leaks (bait: Bait, signal: AbortSignal): Promise<string[]>
  /** Starts what the first job would have to wait for. */
  warm (): void
  close (): Promise<void>
}

/** What the self-test lays out for code to reach, and must not find reached. */
export interface Bait {
  /** Files outside of every job, each of which holds `secret`. */
  json: string
  text: string
  module: string
  /** A folder that the service itself may write to. */
  folder: string
  secret: string
  /** A listener on 127.0.0.1, for TCP and UDP. */
  port: number
  /** A variable of the service's environment that holds `secret`. */
  variable: string
}

/** Where cells live: made once, at the first use. */
export interface Site {
  deno: string
  /** The sandbox's own folder for what is temporary. */
  folder: string
  wall: Wall
  guardian: Guardian
  log: Logger
  /** A node_modules folder whose packages TypeScript may import. */
  packages: string | undefined
}
