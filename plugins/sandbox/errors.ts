/** The job itself is wrong: nothing was run. */
export class InvalidJob extends TypeError {
  override name = 'InvalidJob'
}

/** No code can be run or checked here. `sandbox.info()` gives the same reason. */
export class SandboxUnavailable extends Error {
  override name = 'SandboxUnavailable'
}
