import { mkdirSync, writeFileSync } from 'node:fs'
import { inVenv, PROGRAMS } from '../support/folders.mjs'
import { freePort, startProgram, untilAnswered } from '../support/processes.mjs'

const KEY = 'sk-any' // it starts with none no more

const config = url => `model_list:
  - model_name: svc-code
    litellm_params:
      model: openai/svc-code
      api_base: ${url}
      api_key: unused
      max_retries: 0
litellm_settings:
  num_retries: 0
`

/** LiteLLM as a proxy in front; the one that asks it is the official Python library. */
export default {
  python: { package: 'litellm' },
  async begin ({ url, home }) {
    const port = await freePort()
    mkdirSync(home, { recursive: true })
    writeFileSync(`${home}/config.yaml`, config(url))
    const proxy = startProgram({
      command: inVenv('litellm', 'litellm'),
      args: ['--config', `${home}/config.yaml`, '--host', '127.0.0.1', '--port', String(port), '--telemetry', 'False'],
      env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_MASTER_KEY: KEY }
    }, { home, work: home })
    await untilAnswered(`http://127.0.0.1:${port}/health/liveliness`, proxy)
    return { url: `http://127.0.0.1:${port}/v1`, end: proxy.sweep }
  },
  ask: ({ shared, prompt, trial }) => ({
    command: inVenv('litellm', 'python'),
    args: [`${PROGRAMS}/scripts/ask_openai.py`, shared.url, prompt, trial],
    env: { API_KEY: KEY }
  }),
  edit: ({ file: path, old, new: now }) => (tools, round) => round === 0 ? { name: 'replace', arguments: { path, old, new: now } } : undefined
}
