import { text, whole } from '../json.js'
import type { Server } from './kind.js'
import { choose, ownerOf, quoted } from './models.js'

export const vllm: Server = {
  kind: 'vllm',
  name: 'vLLM',
  lazy: false,
  truncates: false,
  supply: 'start it as vllm serve MODEL --max-model-len 32768',

  async recognise (candidate) {
    const owner = ownerOf(candidate)
    const model = choose(candidate.listed, candidate.wanted)
    if (owner !== 'vllm' && owner !== null) return undefined
    const looksLikeVllm = async () => model === undefined
      ? text((await candidate.get('/version'))?.version) !== null
      : model.max_model_len !== undefined
    if (owner === null && !await looksLikeVllm()) return undefined
    return { model: text(model?.id), loaded: true, context: whole(model?.max_model_len), slots: null, limit: null }
  },

  enlarge: (context, { model }) => `restart it as vllm serve ${quoted(model)} --max-model-len ${context} with your other options`
}
