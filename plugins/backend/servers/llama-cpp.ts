import { isRecord, record, text, whole } from '../json.js'
import type { Server } from '../servers.js'
import { choose, ownerOf } from './models.js'

export const llamaCpp: Server = {
  kind: 'llama.cpp',
  name: 'llama.cpp',
  lazy: false,
  truncates: false,
  supply: 'start it as llama-server -m FILE.gguf -c 32768',

  async recognise (question) {
    const { listed, wanted, get } = question
    const owner = ownerOf(question)
    if (owner !== null && owner !== 'llamacpp') return undefined
    const props = await get('/props')
    if (owner === null && !isRecord(props?.default_generation_settings)) return undefined
    const model = choose(listed, wanted)
    const meta = record(model?.meta)
    return {
      model: text(model?.id) ?? text(props?.model_alias),
      loaded: true,
      // Of one slot: what one request may use.
      context: whole(record(props?.default_generation_settings).n_ctx) ?? whole(meta.n_ctx),
      slots: whole(props?.total_slots),
      limit: whole(meta.n_ctx_train)
    }
  },

  // Its slots share the context unless -kvu lets each have it all.
  enlarge: (context, { slots }) => `restart it as llama-server -c ${context}${slots !== null && slots > 1 ? ` -np ${slots} -kvu` : ''} with your other options`
}
