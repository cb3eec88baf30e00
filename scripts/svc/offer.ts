import { createInterface } from 'node:readline'
import type { Backend } from '../../agents/types.js'
import { chosen } from '../../plugins/backend/models/embedded.js'
import { parseHubName } from '../../plugins/backend/models/hub.js'
import { amount } from '../../plugins/backend/models/pace.js'
import { Question } from '../../plugins/backend/models/question.js'
import { isWhole, placeOf } from '../../plugins/backend/models/store.js'
import { type Listed, MODELS } from '../../plugins/backend/models/table.js'
import { type StartArgs, UsageError } from './flags.js'
import { checkModels } from './folders.js'

/** Whether a model may be downloaded: as the flags say, else what the person at the terminal will. Nobody else is asked. */
export function leaveToDownload (args: StartArgs): boolean | Question {
  if (args.pull || !process.stdin.isTTY || !process.stdout.isTTY) return args.pull
  return lacks(args) === undefined ? false : new Question()
}

/** What the engine of this service would have to download first. */
export function lacks ({ model: name, 'models-dir': folder, 'no-embedded': isOff, 'backend-url': url }: StartArgs): string | undefined {
  if (isOff || url !== undefined) return undefined
  const listed = name === undefined ? chosen(folder) : MODELS.find(model => model.name === name.toLowerCase())
  if (listed) return isWhole(placeOf(folder, listed.repo, listed.file)) ? undefined : described(listed)
  const wanted = parseHubName(name ?? '')
  if (!wanted || (wanted.file !== undefined && isWhole(placeOf(folder, wanted.repo, wanted.file)))) return undefined
  return `${name} (its size is told when it begins) if it is not there`
}

function described ({ name, size, license }: Listed): string {
  return `${name} (${amount(size)}, ${license})`
}

/** Asks where a download is what is needed. The service answers meanwhile. Says whether the person wants the service to stay. */
export async function put (question: Question, args: StartArgs, backend: Backend): Promise<boolean> {
  const what = lacks(args)
  if (what === undefined || (args.model === undefined && (await backend.info()).kind !== 'none') || !(await isWritable(args['models-dir']))) {
    question.answer(false)
    return true
  }
  if (args.model === undefined) console.log('There is no language model yet: no server was found at the usual local addresses. This service can run one itself.')
  const answer = await says(`Download ${what} to ${args['models-dir']}? [Y/n] `)
  question.answer(answer === 'yes')
  return answer !== 'leave'
}

async function isWritable (folder: string): Promise<boolean> {
  try {
    await checkModels(folder, { downloads: true })
    return true
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.log(`No model can be downloaded: ${error.message}`)
    return false
  }
}

/** Enter is yes, and Ctrl-C ends the service. Whoever closes the input has not agreed. */
function says (question: string): Promise<'yes' | 'no' | 'leave'> {
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  return new Promise<'yes' | 'no' | 'leave'>(resolve => {
    lines.once('line', line => resolve(/^(?:y(?:es)?)?$/i.test(line.trim()) ? 'yes' : 'no'))
    lines.once('SIGINT', () => { process.stdout.write('\n'); resolve('leave') })
    lines.once('close', () => resolve('no'))
    lines.setPrompt(question)
    lines.prompt()
  }).finally(() => lines.close())
}
