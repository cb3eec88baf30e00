import { type Json, isRecord, record, text, whole } from '../json.js'
import type { Question, Server, Sight } from './kind.js'
import { choose, isCalled, ownerOf } from './models.js'

export const llamaCpp: Server = {
  kind: 'llama.cpp',
  name: 'llama.cpp',
  lazy: true, // as a router; with a model of its own it has loaded it before it answers
  truncates: false,
  supply: 'start it as llama-server -m FILE.gguf -c 32768',

  async recognise (question) {
    const { listed, wanted, get } = question
    const owner = ownerOf(question)
    if (owner !== null && owner !== 'llamacpp') return undefined
    if (listed.some(isRouted)) return await routed(question)
    const props = await get('/props')
    if (owner === null && !isRecord(props?.default_generation_settings)) return undefined
    if (props?.role === 'router') return { model: null, loaded: false, context: null, slots: null, limit: null } // without any model
    const model = choose(listed, wanted)
    return sightOf(text(model?.id) ?? text(props?.model_alias), model, props)
  },

  // Its slots share the context unless -kvu lets each have it all.
  enlarge: (context, { slots }) => `restart it as llama-server -c ${context}${slots !== null && slots > 1 ? ` -np ${slots} -kvu` : ''} with your other options`
}

// Started without a model it is a router: each model that it lists has a status, and a process of its own once it is loaded.
function isRouted ({ status }: Json): boolean {
  return text(record(status).value) !== null
}

async function routed ({ listed, wanted, get }: Question): Promise<Sight> {
  const isLoaded = (model: Json | undefined) => record(model?.status).value === 'loaded'
  const model = wanted === undefined ? choose(listed.filter(isLoaded), undefined) ?? choose(listed, undefined) : listed.find(({ id }) => isCalled(text(id), wanted))
  const name = text(model?.id) ?? wanted ?? null
  if (name === null || !isLoaded(model)) return { model: name, loaded: false, context: null, slots: null, limit: null }
  return sightOf(name, model, await get(`/props?model=${encodeURIComponent(name)}&autoload=false`))
}

function sightOf (name: string | null, model: Json | undefined, props: Json | undefined): Sight {
  const meta = record(model?.meta)
  return {
    model: name,
    loaded: true,
    // Of one slot: what one request may use.
    context: whole(record(props?.default_generation_settings).n_ctx) ?? whole(meta.n_ctx),
    slots: whole(props?.total_slots),
    limit: whole(meta.n_ctx_train)
  }
}
