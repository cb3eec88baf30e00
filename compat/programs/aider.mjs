import { inVenv } from '../support/folders.mjs'

const FLAGS = [
  '--model', 'openai/svc-code', '--edit-format', 'diff', '--no-git', '--yes-always', '--no-pretty', '--analytics-disable',
  '--no-check-update', '--no-show-release-notes', '--no-show-model-warnings', '--no-detect-urls'
]

export default {
  python: { package: 'aider-chat' },
  relayed: true,
  ask: ({ url, prompt, trial }) => ({
    command: inVenv('aider', 'aider'),
    args: [...FLAGS, '--openai-api-base', url, '--openai-api-key', 'unused', '--message', prompt, ...trial === 'edit' ? ['greet.py'] : []]
  }),
  edit: ({ name, old, new: now }) => ({
    answer: `Here it is:\n\n${name}\n\`\`\`python\n<<<<<<< SEARCH\n${old}\n=======\n${now}\n>>>>>>> REPLACE\n\`\`\`\n`
  })
}
