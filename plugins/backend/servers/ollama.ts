import { records, text, whole } from '../json.js'
import type { Server } from './kind.js'
import { choose, isCalled } from './models.js'

export const ollama: Server = {
  kind: 'ollama',
  name: 'Ollama',
  lazy: true,
  truncates: true,
  supply: 'get it one: ollama pull MODEL',

  async recognise ({ listed, wanted, get }) {
    const [version, running] = await Promise.all([get('/api/version'), get('/api/ps')])
    if (text(version?.version) === null || !Array.isArray(running?.models)) return undefined
    const loaded = records(running.models)
    const found = wanted === undefined ? choose(loaded, undefined, 'model') : loaded.find(({ model }) => isCalled(text(model), wanted))
    return {
      model: text(found?.model) ?? text(choose(listed, wanted)?.id),
      loaded: found !== undefined,
      // The context of the loaded runner. /api/show gives the maximum of the model instead.
      context: whole(found?.context_length),
      slots: null,
      limit: null
    }
  },

  enlarge: context => `stop Ollama and start it as OLLAMA_CONTEXT_LENGTH=${context} ollama serve (its app has a slider for it), `
    + 'and see that no num_ctx in the model\'s Modelfile is smaller'
}
