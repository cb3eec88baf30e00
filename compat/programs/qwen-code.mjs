import { NODE, packed } from '../support/folders.mjs'

export default {
  package: '@qwen-code/qwen-code',
  relayed: true,
  ask: ({ url, prompt }) => ({
    command: NODE,
    args: [packed('@qwen-code', 'qwen-code', 'cli-entry.js'), '--approval-mode', 'yolo', '-p', prompt],
    env: { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'unused', OPENAI_MODEL: 'svc-code' },
    files: { '.qwen/settings.json': JSON.stringify({ security: { auth: { selectedType: 'openai' } }, privacy: { usageStatisticsEnabled: false } }) }
  }),
  edit: ({ file, old, new: now }) => (tools, round) => tools.includes('edit')
    ? [{ name: 'read_file', arguments: { file_path: file } }, { name: 'edit', arguments: { file_path: file, old_string: old, new_string: now } }][round]
    : undefined
}
