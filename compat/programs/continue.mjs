import { NODE, packed } from '../support/folders.mjs'

const config = url => `name: svc
version: 1.0.0
schema: v1
models:
  - { name: svc-code, provider: openai, model: svc-code, apiBase: "${url}", apiKey: unused }
`

export default {
  package: '@continuedev/cli',
  relayed: true,
  ask: ({ url, prompt, home }) => ({
    command: NODE,
    args: [packed('@continuedev', 'cli', 'dist', 'cn.js'), '--config', `${home}/.continue/config.yaml`, '--auto', '-p', prompt],
    env: { CONTINUE_TELEMETRY_ENABLED: '0', CONTINUE_CLI_ENABLE_TELEMETRY: '0' },
    files: { '.continue/config.yaml': config(url) }
  }),
  edit: ({ file, old, new: now }) => (tools, round) => tools.includes('Edit')
    ? [{ name: 'Read', arguments: { filepath: file } }, { name: 'Edit', arguments: { file_path: file, old_string: old, new_string: now } }][round]
    : undefined
}
