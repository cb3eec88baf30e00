import type { Backend, Logger } from '../../agents/types.js'
import { FoundBackend } from './found-backend.js'
import { HttpBackend } from './http-backend.js'
import { NoBackend } from './no-backend.js'
import type { Deadlines } from './patience.js'

export interface ChoiceOptions {
  url?: string | undefined
  model?: string | undefined
  key?: string | undefined
  deadlines?: Partial<Deadlines> | undefined
  /** Addresses where a server is looked for if no URL is given. */
  candidates: readonly string[]
  /** Whether an address is this very service's. */
  isOwn?: (url: URL) => boolean
}

/** The engine that runs a model in this service. */
export interface Embedded {
  /** Its model was named with --model: then no server is looked for. */
  isNamed: boolean
  /** The engine with its model, and why; undefined where it has none. It is called once more with every search until it has. */
  open: (reason: string) => Promise<Backend | undefined>
  /** What a person can do to give it one, while it has none: what is quickest, and the flags that do, too. */
  ways: () => { quickest: string, flags: string[] }
}

const NAMED = 'named with --model'
const NOT_LOOKED = 'no --backend-url was given, and no server is looked for'
const NOT_FOUND = 'no server was found at the usual local addresses'
// A program that waits at a usual port would only have to ask for it.
const KEY_UNUSED = '--backend-key is sent to nobody: it goes only to a server that is named. Name it with --backend-url, for example --backend-url http://127.0.0.1:1234/v1'
const START = 'start Ollama, LM Studio, llama.cpp, vLLM or Lemonade (the next request finds it)'
const NAMED_SERVER = '--backend-url http://HOST:PORT/v1'

/**
 * The model that is used: a URL that was given is the only one that is asked; else the engine if its model was named;
 * else the server that is found at the usual addresses; else the engine if it has a model; else none, until one comes up.
 */
export async function chooseBackend ({ url, model, key, deadlines, candidates, isOwn = () => false }: ChoiceOptions, { log, embedded }: { log: Logger, embedded?: Embedded | undefined }): Promise<Backend> {
  if (url !== undefined && embedded?.isNamed) throw new Error('--backend-url and --model exclude each other: the one names a server, the other a model that this service runs itself. Give one of them.')
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
  const looked = candidates.length === 0 ? '' : `: ${NOT_FOUND} (${[...new Set(candidates.map(candidate => new URL(candidate).host))].join(', ')})`
  const mute = silent.length === 0 ? '' : `, and what listens at ${silent.join(', ')} does not answer`
  const ways = embedded?.ways()
  const flags = `start this service with ${[NAMED_SERVER, ...ways?.flags ?? []].join(', ').replace(/, (?=[^,]*$)/, ' or ')}`
  const [quickest, ...others] = [...(ways ? [ways.quickest] : []), ...(candidates.length === 0 ? [] : [START]), flags]
  return new NoBackend(`no language model is configured${looked}${mute}`, [quickest, ...(others.length === 0 ? [] : [`or ${others.join('; or ')}`])].join('\n'))
}
