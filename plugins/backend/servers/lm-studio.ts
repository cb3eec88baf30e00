import { type Json, record, records, text, whole } from '../json.js'
import type { Server, ModelState } from './kind.js'
import { choose, isCalled, quoted } from './models.js'

interface Model { key: string | null, id: string | null, loaded: boolean, context: number | null, limit: number | null }

export const lmStudio: Server = {
  kind: 'lm-studio',
  name: 'LM Studio',
  lazy: true,
  truncates: true,
  supply: 'get it one: lms get MODEL, then lms load MODEL --context-length 32768',

  async recognise ({ listed, wanted, get }) {
    // 'library' means Ollama, which would log an error for each of these paths.
    if (listed[0]?.owned_by === 'library') return undefined
    const models = sinceVersion04(await get('/api/v1/models')) ?? before(await get('/api/v0/models'))
    if (!models) return undefined
    const isWanted = ({ key, id }: Model) => isCalled(id, wanted) || isCalled(key, wanted)
    const found = wanted === undefined
      ? models.find(({ loaded }) => loaded)
      : models.find(model => model.loaded && isWanted(model)) ?? models.find(isWanted)
    const model = found ?? unloaded(models, listed, wanted)
    return { model: model.id ?? model.key, loaded: model.loaded, context: model.context, slots: null, limit: model.limit }
  },

  enlarge (context, { model }: ModelState) {
    return `load the model anew: lms unload --all && lms load ${quoted(model)} --context-length ${context}`
  }
}

function unloaded (models: Model[], listed: Json[], wanted: string | undefined): Model {
  const name = text(choose(listed, wanted)?.id)
  const known = models.find(({ key, id }) => key === name || id === name)
  return known ?? { key: name ?? models[0]?.key ?? null, id: null, loaded: false, context: null, limit: null }
}

function sinceVersion04 (answer: Json | undefined): Model[] | undefined {
  if (!Array.isArray(answer?.models)) return undefined
  const models = records(answer.models)
  if (models.length > 0 && !models.some(model => Array.isArray(model.loaded_instances))) return undefined
  return models.filter(({ type }) => type !== 'embedding').flatMap(model => {
    const [key, limit] = [text(model.key), whole(model.max_context_length)]
    const instances = records(model.loaded_instances).map(({ id, config }) =>
      ({ key, id: text(id), loaded: true, context: whole(record(config).context_length), limit }))
    return instances.length > 0 ? instances : [{ key, id: null, loaded: false, context: null, limit }]
  })
}

function before (answer: Json | undefined): Model[] | undefined {
  const models = records(answer?.data)
  if (models.length === 0 || !models.some(model => model.state !== undefined)) return undefined
  return models.filter(({ type }) => type !== 'embeddings').map(model => {
    const loaded = model.state === 'loaded'
    const context = loaded ? whole(model.loaded_context_length) : null
    return { key: text(model.id), id: text(model.id), loaded, context, limit: whole(model.max_context_length) }
  })
}
