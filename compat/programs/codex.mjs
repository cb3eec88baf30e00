import { NODE, packed } from '../support/folders.mjs'

const config = url => `model = "svc-code"
model_provider = "svc"

[model_providers.svc]
name = "svc"
base_url = "${url}"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`

export default {
  package: '@openai/codex',
  relayed: true,
  // Its own sandbox needs namespaces that containers seldom have; the file is in a temporary folder.
  ask: ({ url, prompt }) => ({
    command: NODE,
    args: [packed('@openai', 'codex', 'bin', 'codex.js'), 'exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
    files: { '.codex/config.toml': config(url) }
  }),
  edit: ({ name, old, new: now }) => (tools, round) => {
    const patch = `*** Begin Patch\n*** Update File: ${name}\n@@\n-${old}\n+${now}\n*** End Patch\n`
    const tool = ['exec_command', 'shell_command', 'shell'].find(each => tools.includes(each))
    if (round > 0 || !tool) return undefined
    return { name: tool, arguments: { [tool === 'exec_command' ? 'cmd' : 'command']: `apply_patch <<'END'\n${patch}END\n` } }
  }
}
