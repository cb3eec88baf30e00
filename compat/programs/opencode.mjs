import { packed } from '../support/folders.mjs'

const system = process.platform === 'win32' ? 'windows' : process.platform

const config = url => ({
  autoupdate: false,
  share: 'disabled',
  provider: { svc: { npm: '@ai-sdk/openai-compatible', options: { baseURL: url, apiKey: 'unused' }, models: { 'svc-code': { tool_call: true } } } },
  model: 'svc/svc-code'
})

export default {
  package: 'opencode-ai',
  relayed: true,
  ask: ({ url, prompt }) => ({
    // The package's own command is put in place by an install script, and none is run here.
    command: packed(`opencode-${system}-${process.arch}`, 'bin', `opencode${system === 'windows' ? '.exe' : ''}`),
    args: ['run', prompt],
    env: { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' },
    files: { '.config/opencode/opencode.json': JSON.stringify(config(url)) }
  }),
  edit: ({ file, old, new: now }) => (tools, round) => tools.includes('edit')
    ? [{ name: 'read', arguments: { filePath: file } }, { name: 'edit', arguments: { filePath: file, oldString: old, newString: now } }][round]
    : undefined
}
