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

/** Whether a model may be downloaded: according to --pull, or as a question to the person at the terminal, if there is one. */
export function mayDownload (args: StartArgs): boolean | Question {
  if (args.pull || !process.stdin.isTTY || !process.stdout.isTTY) return args.pull
  return neededDownload(args) === undefined ? false : new Question()
}

/** The model that the engine of this service would have to download, in words; undefined if there is none. */
export function neededDownload (
  { model: name, 'models-dir': folder, 'no-embedded': isOff, 'backend-url': url }: StartArgs
): string | undefined {
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

const NO_MODEL = 'There is no language model yet: no server was found at the usual local addresses. This service can run one itself.'

/** Asks at the terminal, if a download is needed, while the service serves requests. Returns false if the person ends the service. */
export async function askToDownload (question: Question, args: StartArgs, backend: Backend): Promise<boolean> {
  const what = neededDownload(args)
  const isNeeded = what !== undefined && (args.model !== undefined || (await backend.info()).kind === 'none')
  if (!isNeeded || !(await isWritable(args['models-dir']))) {
    question.answer(false)
    return true
  }
  if (args.model === undefined) console.log(NO_MODEL)
  const answer = await answerTo(`Download ${what} to ${args['models-dir']}? [Y/n] `)
  question.answer(answer === 'yes')
  return answer !== 'stop'
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

/** The answer to a question. Enter means yes, Ctrl-C ends the service, and a closed input means no. */
function answerTo (question: string): Promise<'yes' | 'no' | 'stop'> {
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  return new Promise<'yes' | 'no' | 'stop'>(resolve => {
    lines.once('line', line => resolve(/^(?:y(?:es)?)?$/i.test(line.trim()) ? 'yes' : 'no'))
    lines.once('SIGINT', () => { process.stdout.write('\n'); resolve('stop') })
    lines.once('close', () => resolve('no'))
    lines.setPrompt(question)
    lines.prompt()
  }).finally(() => lines.close())
}
