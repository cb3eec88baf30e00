import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { chosen } from '../../plugins/backend/models/embedded.js'
import { parseHubName } from '../../plugins/backend/models/hub.js'
import { amount } from '../../plugins/backend/models/pace.js'
import { isWhole, placeOf } from '../../plugins/backend/models/store.js'
import { MODELS } from '../../plugins/backend/models/table.js'
import { search } from '../../plugins/backend/search.js'
import type { StartArgs } from './flags.js'

/** Whether the person at the terminal wants the model to be downloaded that is needed and not there. Nobody else is asked. */
export async function mayDownload (args: StartArgs): Promise<boolean> {
  if (args.pull || args['no-embedded'] || args['backend-url'] !== undefined || !process.stdin.isTTY || !process.stdout.isTTY) return args.pull
  const what = args.model === undefined ? await forWantOfAServer(args) : named(args.model, args['models-dir'])
  return what !== undefined && await says(`Download ${what} to ${args['models-dir']}? [Y/n] `)
}

async function forWantOfAServer ({ 'backend-search': candidates, 'backend-model': model, 'backend-key': key, 'models-dir': folder }: StartArgs): Promise<string | undefined> {
  const { name, repo, file, size, license } = chosen(folder)
  if (isWhole(placeOf(folder, repo, file))) return undefined
  const { found } = await search(candidates, { model, key, signal: new AbortController().signal })
  if (found.length > 0) return undefined
  console.log('There is no language model yet: no server was found at the usual local addresses. This service can run one itself.')
  return `${name} (${amount(size)}, ${license})`
}

function named (name: string, folder: string): string | undefined {
  const listed = MODELS.find(model => model.name === name.toLowerCase())
  if (listed) return isWhole(placeOf(folder, listed.repo, listed.file)) ? undefined : `${listed.name} (${amount(listed.size)}, ${listed.license})`
  const wanted = parseHubName(name)
  if (!wanted || (wanted.file !== undefined && isWhole(placeOf(folder, wanted.repo, wanted.file)))) return undefined
  return `${name} (its size is told when it begins) if it is not there`
}

/** Enter is yes. Whoever closes the input has not agreed. */
async function says (question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  try {
    lines.setPrompt(question)
    lines.prompt()
    const answer = await Promise.race([once(lines, 'line').then(([line]) => String(line)), once(lines, 'close').then(() => 'no')])
    return /^\s*(y(es)?)?\s*$/i.test(answer)
  } finally {
    lines.close()
  }
}
