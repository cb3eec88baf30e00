import type { Call, CheckReport, Files, Limits, Logger, Outcome, RunReport, TestReport } from '../../agents/types.js'
import type { Guardian } from './guardian.js'
import type { CheckedProgram } from './job.js'
import type { Wall } from './wall.js'

/** What belongs to one call of the sandbox. The clock of `limits.wallMs` starts when its worker or tool begins with it. */
export interface Operation {
  signal: AbortSignal
  limits: Limits
  /** Identifies the run that the operation is part of: where operations wait, runs take turns. */
  run: unknown
}

/** One language. Its jobs were checked, each holds a slot, and none is run before the self-test has passed. */
export interface Toolchain {
  format (files: Files, fix: boolean, operation: Operation): Promise<Files>
  check (files: Files, operation: Operation): Promise<CheckReport>
  test (files: Files, tests: string[], operation: Operation): Promise<TestReport>
  /** The same with stubs: all functions of the code under test do nothing. */
  testStubs (files: Files, tests: string[], operation: Operation): Promise<TestReport>
  evaluate (files: Files, calls: Call[], operation: Operation): Promise<Outcome[]>
  run (program: CheckedProgram, operation: Operation): Promise<RunReport>
  /** Runs code that tries to escape, and returns the attempts that succeeded, in words. Throws where they could not be made. */
  findEscapes (bait: Bait, signal: AbortSignal): Promise<string[]>
  /** Starts what the first job would otherwise wait for. */
  warm (): void
  close (): Promise<void>
}

/** What the self-test lays out. No code in a worker may reach any of it. */
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

/** What all workers and tools share. It is made at the first use. */
export interface Host {
  /** Deno's binary. */
  deno: string
  /** The sandbox's temporary folder. */
  folder: string
  wall: Wall
  guardian: Guardian
  log: Logger
  /** A node_modules folder whose packages TypeScript may import. */
  packages: string | undefined
}
