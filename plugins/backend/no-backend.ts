import type { Backend, BackendEvent, BackendInfo, Message } from '../../agents/types.js'
import { BackendMissing } from './errors.js'
import { countMessageTokens } from './tokens.js'

const PROBLEM = 'no language model is configured'
const REMEDY = 'start this service with --backend-url set to the address of an OpenAI-compatible server, for example --backend-url http://127.0.0.1:1234/v1'

/** Stands where no backend was named: everything is served but the model itself. */
export class NoBackend implements Backend {
  async info (): Promise<BackendInfo> {
    return { kind: 'none', url: null, model: null, context: null, slots: null, problem: PROBLEM, remedy: REMEDY }
  }

  countTokens (messages: Message[], limit?: number): Promise<number> {
    return countMessageTokens(messages, limit)
  }

  // eslint-disable-next-line require-yield
  async * chat (): AsyncGenerator<BackendEvent> {
    throw new BackendMissing(`${PROBLEM}; ${REMEDY}`)
  }
}
