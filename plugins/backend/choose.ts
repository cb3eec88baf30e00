import type { Backend, Logger } from '../../agents/types.js'
import { FoundBackend } from './found-backend.js'
import { HttpBackend } from './http-backend.js'
import { NoBackend } from './no-backend.js'
import type { Deadlines } from './call-timeout.js'

export interface ChoiceOptions {
  url?: string | undefined
  model?: string | undefined
  key?: string | undefined
  deadlines?: Partial<Deadlines> | undefined
  /** The addresses to search for a server if no URL is given. */
  candidates: readonly string[]
  /** Whether an address is the one of this service itself. */
  isOwn?: (url: URL) => boolean
}

/** The engine that runs a model in this service. */
export interface Embedded {
  /** Whether its model was named with --model: then no server is searched for. */
  isNamed: boolean
  /** Starts the engine; undefined while it has no model. Every search calls it again until it succeeds. */
  open: (reason: string) => Promise<Backend | undefined>
  /** While it has no model: the quickest way to give it one, and the flags that also do it. */
  ways: () => { quickest: string, flags: string[] }
}

const NAMED = 'named with --model'
const NOT_LOOKED = 'no --backend-url was given, and no server is looked for'
const NOT_FOUND = 'no server was found at the usual local addresses'
// The key is never sent to a server that was found by the search: any program could listen at one of the usual ports.
const KEY_UNUSED = '--backend-key is sent to nobody: it goes only to a server that is named. '
  + 'Name it with --backend-url, for example --backend-url http://127.0.0.1:1234/v1'
const BOTH_NAMED = '--backend-url and --model exclude each other: the one names a server, the other a model that this service '
  + 'runs itself. Give one of them.'
const START = 'start Ollama, LM Studio, llama.cpp, vLLM or Lemonade (the next request finds it)'
const NAMED_SERVER = '--backend-url http://HOST:PORT/v1'

/**
 * Chooses the backend. If a URL is given, only that server is used; else, if a model was named, the engine with that model; else a
 * server that is found at the usual addresses; else the engine, if it has a model; else none, until a later search finds one.
 */
export async function chooseBackend (
  { url, model, key, deadlines, candidates, isOwn = () => false }: ChoiceOptions,
  { log, embedded }: { log: Logger, embedded?: Embedded | undefined }
): Promise<Backend> {
  if (url !== undefined && embedded?.isNamed) throw new Error(BOTH_NAMED)
  if (url !== undefined) return new HttpBackend({ url, model, key, deadlines, log })
  if (key !== undefined) log.warn({}, KEY_UNUSED)
  if (embedded?.isNamed) return await embedded.open(NAMED) ?? none(candidates, embedded, [])
  if (candidates.length === 0 && !embedded) return none(candidates, embedded, [])
  return new FoundBackend({
    candidates, isOwn, model, deadlines, log,
    async otherwise (silent) {
      const engine = await embedded?.open(candidates.length === 0 ? NOT_LOOKED : NOT_FOUND)
      return engine ? { backend: engine, isFinal: true } : { backend: none(candidates, embedded, silent), isFinal: false }
    }
  })
}

function none (candidates: readonly string[], embedded: Embedded | undefined, silent: string[]): NoBackend {
  const hosts = [...new Set(candidates.map(candidate => new URL(candidate).host))]
  const looked = candidates.length === 0 ? '' : `: ${NOT_FOUND} (${hosts.join(', ')})`
  const mute = silent.length === 0 ? '' : `, and what listens at ${silent.join(', ')} does not answer`
  const ways = embedded?.ways()
  const flags = `start this service with ${[NAMED_SERVER, ...ways?.flags ?? []].join(', ').replace(/, (?=[^,]*$)/, ' or ')}`
  const [quickest, ...others] = [...(ways ? [ways.quickest] : []), ...(candidates.length === 0 ? [] : [START]), flags]
  const remedy = [quickest, ...(others.length === 0 ? [] : [`or ${others.join('; or ')}`])].join('\n')
  return new NoBackend(`no language model is configured${looked}${mute}`, remedy)
}
