import { type FinishReason, InputTooLong, type Logger } from '../../agents/types.js'
import { AgentFailed, ContextLengthExceeded, type ServiceError, describe } from '../../schemas/errors.js'

export class RunAborted extends Error {
  override name = 'AbortError'
}

/** What an agent threw, as the error that its caller gets. */
export function failure (error: unknown): ServiceError {
  try {
    if (error instanceof AgentFailed) return error
    const isTooLong = error instanceof InputTooLong || (error instanceof Error && error.name === 'InputTooLong')
    if (isTooLong) return new ContextLengthExceeded(describe(error))
  } catch {
    // The thrown object itself throws when its fields are read: an agent failure like any other.
  }
  return new AgentFailed(error)
}

interface Ended { log: Logger, debug: boolean, run: string, since: number, finish: FinishReason }

/** Logs how a run ended. A run that succeeded, or whose client went away, is logged at debug level only. */
export function logEnd ({ log, debug, run, since, finish }: Ended, error: unknown): void {
  if (!debug && (error === undefined || error instanceof RunAborted)) return
  const details = { run, ms: Math.round(performance.now() - since) }
  if (error === undefined) log.debug({ ...details, finish }, 'run ends')
  else if (error instanceof RunAborted) log.debug(details, 'run ends: the client went away')
  else if (error instanceof AgentFailed) logFailure(log, details, error)
  else log.info({ ...details, err: error }, 'run is refused')
}

function logFailure (log: Logger, details: object, error: AgentFailed): void {
  try {
    log.error({ ...details, err: error.cause }, error.message)
  } catch {
    log.error(details, error.message) // the thrown value cannot be printed, for example because its getters throw
  }
}
