import { inVenv, PROGRAMS } from '../support/folders.mjs'

export default {
  python: { package: 'langchain-openai' },
  ask: ({ url, prompt, trial }) => ({ command: inVenv('langchain-python', 'python'), args: [`${PROGRAMS}/scripts/ask_langchain.py`, url, prompt, trial] }),
  edit: ({ file: path, old, new: now }) => (tools, round) => round === 0 ? { name: 'replace', arguments: { path, old, new: now } } : undefined
}
