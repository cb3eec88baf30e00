import { text, whole } from '../json.js'
import type { Server } from './kind.js'
import { choose, ownerOf, quoted } from './models.js'

export const vllm: Server = {
  kind: 'vllm',
  name: 'vLLM',
  lazy: false,
  truncates: false,
  supply: 'start it as vllm serve MODEL --max-model-len 32768',

  async recognise (question) {
    const owner = ownerOf(question)
    const model = choose(question.listed, question.wanted)
    const isVllm = owner === 'vllm' || (owner === null && (model === undefined ? text((await question.get('/version'))?.version) !== null : model.max_model_len !== undefined))
    if (!isVllm) return undefined
    return { model: text(model?.id), loaded: true, context: whole(model?.max_model_len), slots: null, limit: null }
  },

  enlarge: (context, { model }) => `restart it as vllm serve ${quoted(model)} --max-model-len ${context} with your other options`
}
