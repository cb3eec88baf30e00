import { packed } from '../support/folders.mjs'

const system = process.platform === 'win32' ? 'windows' : process.platform

// What `cline auth openai-compatible` writes; without the last two it is not taken.
const providers = url => ({
  version: 1,
  lastUsedProvider: 'openai-compatible',
  providers: {
    'openai-compatible': {
      settings: { provider: 'openai-compatible', apiKey: 'unused', model: 'svc-code', baseUrl: url },
      updatedAt: new Date().toISOString(),
      tokenSource: 'manual'
    }
  }
})

export default {
  package: 'cline',
  relayed: true,
  ask: ({ url, prompt }) => ({
    command: packed('@cline', `cli-${system}-${process.arch}`, 'bin', `cline${system === 'windows' ? '.exe' : ''}`),
    args: ['-P', 'openai-compatible', '-m', 'svc-code', prompt],
    files: { '.cline/data/settings/providers.json': JSON.stringify(providers(url)) }
  }),
  edit: ({ file, old, new: now }) => (tools, round) => tools.includes('editor') && round === 0
    ? { name: 'editor', arguments: { path: file, old_text: old, new_text: now } }
    : undefined
}
