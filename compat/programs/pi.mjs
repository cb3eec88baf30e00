import { NODE, packed } from '../support/folders.mjs'

const models = url => ({
  providers: { svc: { baseUrl: url, api: 'openai-completions', apiKey: 'unused', models: [{ id: 'svc-code' }] } }
})

export default {
  package: '@mariozechner/pi-coding-agent',
  relayed: true,
  ask: ({ url, prompt }) => ({
    command: NODE,
    args: [packed('@mariozechner', 'pi-coding-agent', 'dist', 'cli.js'), '--provider', 'svc', '--model', 'svc-code', '-p', prompt],
    env: { PI_OFFLINE: '1', PI_TELEMETRY: '0' },
    files: { '.pi/agent/models.json': JSON.stringify(models(url)) }
  }),
  edit: ({ file, old, new: now }) => (tools, round) => tools.includes('edit') && round === 0
    ? { name: 'edit', arguments: { path: file, edits: [{ oldText: old, newText: now }] } }
    : undefined
}
