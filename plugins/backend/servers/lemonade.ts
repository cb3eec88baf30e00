import { type Json, record, records, text, whole } from '../json.js'
import type { Server } from './kind.js'
import { choose, isCalled, ownerOf, quoted } from './models.js'

export const lemonade: Server = {
  kind: 'lemonade',
  name: 'Lemonade',
  lazy: true,
  truncates: false,
  supply: 'get it one: lemonade pull MODEL',

  async recognise (candidate) {
    const { listed, wanted, get } = candidate
    if (listed.length > 0 && ownerOf(candidate) !== 'lemonade') return undefined
    const health = await get('/v1/health')
    if (listed.length === 0 && health?.all_models_loaded === undefined) return undefined
    const loaded = records(health?.all_models_loaded).filter(({ type }) => type === undefined || type === 'llm')
    const found = wanted === undefined ? loaded[0] : loaded.find(model => isCalled(text(model.model_name), wanted))
    const entry = choose(listed, text(found?.model_name) ?? wanted)
    return {
      model: text(found?.model_name) ?? text(entry?.id),
      loaded: found !== undefined,
      // For a model that is not loaded, the list's value may change when it is loaded, so it is not used.
      context: found ? whole(record(found.recipe_options).ctx_size) ?? launched(found) ?? whole(entry?.context_length) : null,
      slots: null,
      limit: whole(entry?.max_context_window)
    }
  },

  enlarge: (context, { model }) => `load the model anew: lemonade load ${quoted(model)} --ctx-size ${context}`
}

/** The context in the command line with which Lemonade started its engine. */
function launched ({ launch_command: command }: Json): number | null {
  if (!Array.isArray(command)) return null
  const at = command.indexOf('--ctx-size')
  return at < 0 ? null : whole(Number(command[at + 1]))
}
