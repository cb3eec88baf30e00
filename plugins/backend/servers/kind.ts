import type { Json } from '../json.js'

/** What a server tells of itself. */
export interface Sight {
  /** The model that is loaded, else the one that would be asked for; null where it tells of none. */
  model: string | null
  loaded: boolean
  /** What one request may use of the context; null where it does not tell. */
  context: number | null
  slots: number | null
  /** The largest context that the model itself allows. */
  limit: number | null
}

export interface Question {
  /** The entries of /v1/models. */
  listed: Json[]
  /** The model that was asked for with --backend-model. */
  wanted: string | undefined
  /** The JSON of a path; undefined where there is none. */
  get: (path: string) => Promise<Json | undefined>
}

/** One kind of server: how it is known, what it tells, and which command mends it. */
export interface Server {
  kind: string
  name: string
  /** It loads a model when it is first asked for it, and tells the context only then. */
  lazy: boolean
  /** It cuts a prompt that does not fit, and answers as if nothing had happened. */
  truncates: boolean
  recognise (question: Question): Promise<Sight | undefined>
  /** The command that gives the model a context of so many tokens. */
  enlarge (context: number, sight: Sight): string
  /** What to do where it has no model at all. */
  supply: string
}
