/** The job itself is wrong: nothing was run. */
export class InvalidJob extends TypeError {
  override name = 'InvalidJob'
}

/** Code cannot be run or checked here, whatever it is: `sandbox.info()` says the same. */
export class SandboxUnavailable extends Error {
  override name = 'SandboxUnavailable'
}
