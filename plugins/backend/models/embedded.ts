import { totalmem } from 'node:os'
import type { Logger } from '../../../agents/types.js'
import type { Embedded } from '../choose.js'
import { EmbeddedBackend } from '../embedded/embedded-backend.js'
import { BackendError, BackendMissing } from '../errors.js'
import { FetchedModel, type FetchOptions } from './fetched-model.js'
import { locate } from './hub.js'
import { namedModel } from './named.js'
import { amount } from './pace.js'
import { Question } from './question.js'
import { isWhole, modelsFolder, placeOf } from './store.js'
import { type Listed, MODELS, suitable } from './table.js'

export interface EmbeddedOptions extends Partial<Pick<FetchOptions, 'pull' | 'folder' | 'onPace' | 'stall' | 'attempts' | 'pause'>> {
  /** The value of `--model`. Without it, a model that was downloaded before is used, or one that suits the machine. */
  model?: string
  threads?: number
  useGpu?: boolean
}

/** The engine of this service, with the model that was named or with the one that is there. */
export function embedded ({ model: name, threads, useGpu, ...given }: EmbeddedOptions, log: Logger): Embedded {
  const options: FetchOptions = { pull: false, ...given, folder: given.folder ?? modelsFolder(), log }
  const named = name === undefined ? undefined : namedModel(name, options)
  let unreachable: BackendError | undefined
  const engine = (model: EmbeddedModel, reason: string) =>
    new EmbeddedBackend({ model, reason, threads, ...(useGpu !== undefined && { useGpu }), log })

  return {
    isNamed: named !== undefined,
    async open (reason) {
      if (named) return engine(named, named.kind === 'demo' ? `${reason}; it only recites, and knows a handful of tasks` : reason)
      const listed = chosen(options.folder)
      const isHere = isWhole(placeOf(options.folder, listed.repo, listed.file))
      if (!isHere) {
        if (!(options.pull instanceof Question ? options.pull.isYes : options.pull)) return undefined
        try {
          await locate(listed.repo, listed.file, new AbortController().signal, listed)
        } catch (error) {
          if (!(error instanceof BackendError)) throw error
          unreachable = error
          return undefined // the next search tries again: the network may be back, or a server may have been started
        }
      }
      return engine(new FetchedModel(listed, options), `${reason}; this model ${isHere ? 'is on this machine' : 'suits its memory'}`)
    },
    ways () {
      const { name, size } = chosen(options.folder)
      const isAsked = options.pull instanceof Question && options.pull.isOpen
      const pull = unreachable instanceof BackendMissing
        ? `go online (${unreachable.problem}), and ask again`
        : `npm run model -- pull ${name} (downloads ${amount(size)}; the next request uses it)`
      return {
        quickest: isAsked ? `say in the terminal of this service whether it may download ${name} (${amount(size)})` : pull,
        flags: ['--model FILE.gguf', '--model demo (it only recites)']
      }
    }
  }
}

type EmbeddedModel = ConstructorParameters<typeof EmbeddedBackend>[0]['model']

/** Of the models that were downloaded, the largest that the machine has memory for; if there is none, the one to download. */
export function chosen (folder: string): Listed {
  const memory = machineMemory()
  const here = MODELS.filter(({ repo, file }) => isWhole(placeOf(folder, repo, file)))
  return here.findLast(model => model.memory <= memory) ?? here[0] ?? suitable(memory)
}

// The limit of the control group. If there is none, Node returns 0 or a huge number.
function machineMemory (): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
