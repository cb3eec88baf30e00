import { type Json, isRecord, record, text, whole } from '../json.js'
import type { Candidate, Server, ModelState } from './kind.js'
import { choose, isCalled, ownerOf } from './models.js'

export const llamaCpp: Server = {
  kind: 'llama.cpp',
  name: 'llama.cpp',
  lazy: true, // if it runs as a router; otherwise it has loaded its model before it answers
  truncates: false,
  supply: 'start it as llama-server -m FILE.gguf -c 32768',

  async recognise (candidate) {
    const { listed, wanted, get } = candidate
    const owner = ownerOf(candidate)
    if (owner !== null && owner !== 'llamacpp') return undefined
    if (listed.some(isRouted)) return await routed(candidate)
    const props = await get('/props')
    if (owner === null && !isRecord(props?.default_generation_settings)) return undefined
    if (props?.role === 'router') return { model: null, loaded: false, context: null, slots: null, limit: null } // without any model
    const model = choose(listed, wanted)
    return modelStateOf(text(model?.id) ?? text(props?.model_alias), model, props)
  },

  // The slots share the context, unless -kvu lets each slot use all of it.
  enlarge (context, { slots }) {
    const shared = slots !== null && slots > 1 ? ` -np ${slots} -kvu` : ''
    return `restart it as llama-server -c ${context}${shared} with your other options`
  }
}

// A llama-server that is started without a model is a router: each model in its list has a status, and runs in a process of its own.
function isRouted ({ status }: Json): boolean {
  return text(record(status).value) !== null
}

async function routed ({ listed, wanted, get }: Candidate): Promise<ModelState> {
  const isLoaded = (model: Json | undefined) => record(model?.status).value === 'loaded'
  const model = wanted === undefined
    ? choose(listed.filter(isLoaded), undefined) ?? choose(listed, undefined)
    : listed.find(({ id }) => isCalled(text(id), wanted))
  const name = text(model?.id) ?? wanted ?? null
  if (name === null || !isLoaded(model)) return { model: name, loaded: false, context: null, slots: null, limit: null }
  return modelStateOf(name, model, await get(`/props?model=${encodeURIComponent(name)}&autoload=false`))
}

function modelStateOf (name: string | null, model: Json | undefined, props: Json | undefined): ModelState {
  const meta = record(model?.meta)
  return {
    model: name,
    loaded: true,
    // The context of one slot, which is what one request may use.
    context: whole(record(props?.default_generation_settings).n_ctx) ?? whole(meta.n_ctx),
    slots: whole(props?.total_slots),
    limit: whole(meta.n_ctx_train)
  }
}
