import { inVenv, PROGRAMS } from '../support/folders.mjs'

export default {
  python: { package: 'openai' },
  ask: ({ url, prompt, trial }) => ({ command: inVenv('openai-python', 'python'), args: [`${PROGRAMS}/scripts/ask_openai.py`, url, prompt, trial] }),
  edit: ({ file: path, old, new: now }) => (tools, round) => round === 0 ? { name: 'replace', arguments: { path, old, new: now } } : undefined
}
