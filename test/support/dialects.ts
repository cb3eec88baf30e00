import type { Test } from 'tap'
import { type Call, Page, type ScriptedBackend, say, startBackend } from './backend.js'

// The five servers that people run at home, as they answer: field names and shapes are theirs, values are canned.

export const KINDS = ['llama.cpp', 'ollama', 'lm-studio', 'vllm', 'lemonade'] as const
export type Kind = typeof KINDS[number]

/** With a context of so many tokens, or with no model loaded. */
export type State = number | 'unloaded'

type Pages = Record<string, unknown>

const NOT_CALLED = new Page(200, { error: 'Unexpected endpoint or method. Returning 200 anyway' })

export const DIALECTS: Record<Kind, (state: State) => Pages> = {
  'llama.cpp': state => state === 'unloaded'
    ? { '/v1/models': new Page(503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }), '/health': new Page(503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }) }
    : {
        '/health': { status: 'ok' },
        '/v1/models': { models: [{ name: 'qwen.gguf' }], object: 'list', data: [{ id: 'qwen.gguf', object: 'model', owned_by: 'llamacpp', meta: { n_ctx: state, n_ctx_train: 131072, n_params: 7615616512 } }] },
        '/props': { default_generation_settings: { n_ctx: state }, total_slots: 4, model_alias: 'qwen.gguf', model_path: '/models/qwen.gguf' }
      },

  ollama: state => ({
    '/': 'Ollama is running',
    '/api/version': { version: '0.33.3' },
    '/api/ps': { models: state === 'unloaded' ? [] : [{ name: 'qwen3:14b', model: 'qwen3:14b', size: 1, context_length: state }] },
    '/v1/models': { object: 'list', data: [{ id: 'nomic-embed-text:latest', object: 'model', owned_by: 'library' }, { id: 'qwen3:14b', object: 'model', owned_by: 'library' }, { id: 'gemma3:4b', object: 'model', owned_by: 'library' }] }
  }),

  'lm-studio': state => ({
    '/health': NOT_CALLED, '/props': NOT_CALLED, '/api/version': NOT_CALLED, '/api/ps': NOT_CALLED, '/v1/health': NOT_CALLED, '/version': NOT_CALLED,
    '/v1/models': { object: 'list', data: [{ id: 'text-embedding-nomic', object: 'model', owned_by: 'organization_owner' }, { id: 'qwen/qwen3-14b', object: 'model', owned_by: 'organization_owner' }] },
    '/api/v1/models': {
      models: [
        { type: 'embedding', key: 'text-embedding-nomic', loaded_instances: [{ id: 'text-embedding-nomic', config: { context_length: 2048 } }], max_context_length: 2048 },
        { type: 'llm', key: 'qwen/qwen3-14b', loaded_instances: state === 'unloaded' ? [] : [{ id: 'qwen/qwen3-14b', config: { context_length: state, flash_attention: true } }], max_context_length: 131072 }
      ]
    }
  }),

  vllm: state => state === 'unloaded'
    ? { '/health': {}, '/version': { version: '0.20.1' }, '/v1/models': { object: 'list', data: [] } }
    : { '/health': {}, '/version': { version: '0.20.1' }, '/v1/models': { object: 'list', data: [{ id: 'Qwen/Qwen3-14B', object: 'model', owned_by: 'vllm', root: 'Qwen/Qwen3-14B', max_model_len: state }] } },

  lemonade: state => ({
    '/v1/models': { object: 'list', data: [{ id: 'Qwen3-14B-GGUF', object: 'model', owned_by: 'lemonade', recipe: 'llamacpp', max_context_window: 131072, context_length: state === 'unloaded' ? 4096 : state }] },
    '/v1/health': {
      status: 'ok',
      version: '10.0.0',
      model_loaded: state === 'unloaded' ? null : 'Qwen3-14B-GGUF',
      all_models_loaded: state === 'unloaded' ? [] : [
        { model_name: 'nomic-embed', type: 'embedding', recipe: 'llamacpp', recipe_options: { ctx_size: 2048 } },
        { model_name: 'Qwen3-14B-GGUF', type: 'llm', recipe: 'llamacpp', launch_command: ['llama-server', '--ctx-size', String(state)], recipe_options: { ctx_size: state } }
      ]
    },
    // It answers for Ollama, too.
    '/api/version': { version: '10.0.0' },
    '/api/ps': { models: [] }
  })
}

export const MODELS: Record<Kind, string> = { 'llama.cpp': 'qwen.gguf', ollama: 'qwen3:14b', 'lm-studio': 'qwen/qwen3-14b', vllm: 'Qwen/Qwen3-14B', lemonade: 'Qwen3-14B-GGUF' }

/** The command that mends a context that is too small. */
export const REMEDIES: Record<Kind, RegExp> = {
  'llama.cpp': /llama-server -c 32768 -np 4 -kvu/,
  ollama: /OLLAMA_CONTEXT_LENGTH=32768 ollama serve/,
  'lm-studio': /lms load qwen\/qwen3-14b --context-length 32768/,
  vllm: /vllm serve Qwen\/Qwen3-14B --max-model-len 32768/,
  lemonade: /lemonade load Qwen3-14B-GGUF --ctx-size 32768/
}

export interface DialectServer extends ScriptedBackend {
  /** The server is restarted with this context, or unloads its model. */
  set: (state: State) => void
}

/** A server of a kind. One that is not loaded loads its model with `loads` tokens of context when it is asked. */
export async function startDialect (t: Test, kind: Kind, state: State, { loads = 40960, answer = say('Hello') }: { loads?: number, answer?: (call: Call) => unknown } = {}): Promise<DialectServer> {
  const pages: Pages = {}
  let current = state
  const set = (next: State) => {
    current = next
    for (const path of Object.keys(pages)) delete pages[path]
    Object.assign(pages, DIALECTS[kind](next))
  }
  set(state)
  // A model that writes has been loaded.
  const server = await startBackend(t, call => answer({
    ...call,
    chunk (...args) {
      if (current === 'unloaded') set(loads)
      call.chunk(...args)
    }
  }), pages)
  return { ...server, set }
}
