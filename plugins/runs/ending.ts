import { type FinishReason, InputTooLong, type Logger } from '../../agents/types.js'
import { AgentFailed, ContextLengthExceeded, type ServiceError, describe } from '../../schemas/errors.js'

export class RunAborted extends Error {
  override name = 'AbortError'
}

/** What an agent threw, as the error that its caller gets. */
export function failure (error: unknown): ServiceError {
  try {
    if (error instanceof AgentFailed) return error
    if (error instanceof InputTooLong || (error instanceof Error && error.name === 'InputTooLong')) return new ContextLengthExceeded(describe(error))
  } catch {
    // It throws when it is looked at: a failure like any other.
  }
  return new AgentFailed(error)
}

interface Ended { log: Logger, debug: boolean, run: string, since: number, finish: FinishReason }

/** A run that went well, or whose client went away, is told of in a trace only. */
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
    log.error(details, error.message) // an error that cannot be printed: frozen, or with getters that throw
  }
}
