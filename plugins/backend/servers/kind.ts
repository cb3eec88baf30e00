import type { Json } from '../json.js'

/** What a server says about its model. */
export interface ModelState {
  /** The model that is loaded, else the one that requests would name; null if the server names none. */
  model: string | null
  loaded: boolean
  /** The context that one request may use, in tokens; null if the server does not say. */
  context: number | null
  slots: number | null
  /** The largest context that the model itself allows. */
  limit: number | null
}

/** A server whose kind is not known yet. */
export interface Candidate {
  /** The entries of /v1/models. */
  listed: Json[]
  /** The model that --backend-model names. */
  wanted: string | undefined
  /** The JSON object at a path; undefined if there is none. */
  get: (path: string) => Promise<Json | undefined>
}

/** One kind of server: how to recognise it, what it says about its model, and the commands that set it up properly. */
export interface Server {
  kind: string
  name: string
  /** It loads a model at the first request for it, and reports the context only then. */
  lazy: boolean
  /** It silently cuts a prompt that does not fit. */
  truncates: boolean
  /** The state of its model, if the server is of this kind. */
  recognise (candidate: Candidate): Promise<ModelState | undefined>
  /** The command that gives the model a context of this many tokens. */
  enlarge (context: number, modelState: ModelState): string
  /** What to do if it has no model at all. */
  supply: string
}
