import { PROFILES } from '../../../agents/svc-code/languages/index.js'
import type { Backend, BackendInfo, Sandbox, SandboxInfo } from '../../../agents/types.js'

// What functions are given beside text where that is more than data, by the name of its type. It does no work: the time
// that a sandbox or a model takes is none of theirs.

const SANDBOX_INFO: SandboxInfo = { state: 'ready', problem: null }
const BACKEND_INFO: BackendInfo = { kind: 'none', url: null, model: null, context: null, slots: null, reason: null, problem: null, remedy: null }

const sandbox: Sandbox = {
  format: async ({ files }) => files,
  check: async () => ({ diagnostics: [], missing: [], unchecked: [] }),
  test: async () => ({ outcome: 'not run', cause: 'no tests', message: null, frame: null, missing: [], vouched: false, doubts: [], tests: [], output: '', durationMs: 0 }),
  run: async () => ({
    outcome: 'exited', exitCode: 0, stdout: '', stderr: '', files: {}, filesCut: false, missing: [], message: null, frame: null, durationMs: 0
  }),
  evaluate: async ({ calls }) => calls.map(() => ({ type: 'returned', value: { type: 'none' }, output: '' })),
  warm: () => {},
  prove: async () => SANDBOX_INFO,
  info: () => SANDBOX_INFO
}

const backend: Backend = {
  async * chat () { yield { type: 'finish', reason: 'stop' } },
  countTokens: async messages => messages.reduce((sum, { content }) => sum + content.length, 0),
  info: async () => BACKEND_INFO,
  async * ready () { return BACKEND_INFO }, // eslint-disable-line require-yield -- it is ready
  close: async () => {}
}

export const STAND_INS = {
  Sandbox: sandbox,
  Backend: backend,
  AbortSignal: new AbortController().signal,
  Profile: PROFILES[0],
  RegExp: /,/
}

export type StandIn = keyof typeof STAND_INS
