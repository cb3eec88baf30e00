import { record, text, whole } from '../json.js'
import type { Candidate, Server, ModelState } from './kind.js'
import { choose } from './models.js'

/** Any other server of chat completions, even one that serves no other path. */
export const unknown: Server & { look: (candidate: Candidate) => ModelState } = {
  kind: 'unknown',
  name: 'the backend',
  lazy: false,
  truncates: false, // some of them do, but their prompt_tokens cannot be relied on
  supply: 'load one there, or name it with --backend-model',

  recognise: async candidate => unknown.look(candidate),

  look ({ listed, wanted }) {
    const model = choose(listed, wanted)
    const stated = [model?.max_model_len, model?.context_length, model?.context_window, record(model?.meta).n_ctx]
    const context = stated.map(whole).find(size => size !== null) ?? null
    return { model: text(model?.id), loaded: true, context, slots: null, limit: null }
  },

  enlarge: context => `restart it with a context of ${context} tokens`
}
