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
}

/** The engine that runs a model in this service. */
export interface Embedded {
  /** Its model was named with --model: then no server is looked for. */
  isNamed: boolean
  /** The engine with its model, and why; undefined where it has none. It is called once more with every search until it has. */
  open: (reason: string) => Promise<Backend | undefined>
  /** What a person can do to give it one, while it has none. */
  ways: () => string[]
}

const NAMED = 'named with --model'
const NOT_LOOKED = 'no --backend-url was given, and no server is looked for'
const NOT_FOUND = 'no server was found at the usual local addresses'
const START = 'start Ollama, LM Studio, llama.cpp, vLLM or Lemonade (the next request finds it)'
const NAME = 'start this service with --backend-url set to the address of an OpenAI-compatible server, for example --backend-url http://127.0.0.1:1234/v1'

/**
 * The model that is used: a URL that was given is the only one that is asked; else the engine if its model was named;
 * else the server that is found at the usual addresses; else the engine if it has a model; else none, until one comes up.
 */
export async function chooseBackend ({ url, model, key, deadlines, candidates }: ChoiceOptions, { log, embedded }: { log: Logger, embedded?: Embedded | undefined }): Promise<Backend> {
  if (url !== undefined && embedded?.isNamed) throw new Error('--backend-url and --model exclude each other: the one names a server, the other a model that this service runs itself. Give one of them.')
  if (url !== undefined) return new HttpBackend({ url, model, key, deadlines, log })
  if (embedded?.isNamed) return await embedded.open(NAMED) ?? none(candidates, embedded, [])
  if (candidates.length === 0 && !embedded) return none(candidates, embedded, [])
  return new FoundBackend({
    candidates, model, key, deadlines, log,
    async otherwise (silent) {
      const engine = await embedded?.open(candidates.length === 0 ? NOT_LOOKED : NOT_FOUND)
      return engine ? { backend: engine, isFinal: true } : { backend: none(candidates, embedded, silent), isFinal: false }
    }
  })
}

function none (candidates: readonly string[], embedded: Embedded | undefined, silent: string[]): NoBackend {
  const looked = candidates.length === 0 ? '' : `: ${NOT_FOUND} (${[...new Set(candidates.map(candidate => new URL(candidate).host))].join(', ')})`
  const mute = silent.length === 0 ? '' : `, and what listens at ${silent.join(', ')} does not answer`
  const ways = [...(candidates.length === 0 ? [] : [START]), NAME, ...embedded?.ways() ?? []]
  return new NoBackend(`no language model is configured${looked}${mute}`, ways.join(', or '))
}
