import { record, text, whole } from '../json.js'
import type { Question, Server, Sight } from './kind.js'
import { choose } from './models.js'

/** Any other server of chat completions, down to one that knows no other path. */
export const unknown: Server & { look: (question: Question) => Sight } = {
  kind: 'unknown',
  name: 'the backend',
  lazy: false,
  truncates: false, // some do, but what they count as read is anybody's guess
  supply: 'load one there, or name it with --backend-model',

  recognise: async question => unknown.look(question),

  look ({ listed, wanted }) {
    const model = choose(listed, wanted)
    const context = whole(model?.max_model_len) ?? whole(model?.context_length) ?? whole(model?.context_window) ?? whole(record(model?.meta).n_ctx)
    return { model: text(model?.id), loaded: true, context, slots: null, limit: null }
  },

  enlarge: context => `restart it with a context of ${context} tokens`
}
