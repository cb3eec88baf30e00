import { stat } from 'node:fs/promises'
import type { Logger } from '../../../agents/types.js'
import type { Model } from '../embedded/embedded-backend.js'
import { BackendMissing } from '../errors.js'
import { type DownloadOptions, download } from './download.js'
import { type HubName, fileOf, locate } from './hub.js'
import { withLock } from './lock.js'
import { type Pace, Speed, amount, inFull, shortly } from './pace.js'
import { isWhole, placeOf } from './store.js'
import type { Question } from './question.js'
import type { Listed } from './table.js'

export interface FetchOptions extends Pick<DownloadOptions, 'stall' | 'attempts' | 'pause'> {
  /** The folder where models are kept. */
  folder: string
  /** Whether the model may be downloaded, or the question to a person whether it may. */
  pull: boolean | Question
  /** Shows the progress of a download; by default it is logged. */
  onPace?: ((name: string, pace: Pace) => void) | undefined
  log: Logger
}

// Milliseconds between two log lines about a download.
const LOG_INTERVAL = 15_000

/** A model from the hub, which is downloaded once. */
export class FetchedModel implements Model {
  readonly kind = 'embedded'
  readonly name: string
  readonly #wanted: HubName
  readonly #listed: Listed | undefined
  readonly #options: FetchOptions

  constructor (wanted: HubName | Listed, options: FetchOptions) {
    this.#wanted = wanted
    this.#listed = 'sha256' in wanted ? wanted : undefined
    this.name = this.#listed?.name ?? `${wanted.repo}${'quant' in wanted ? `:${wanted.quant}` : `/${wanted.file}`}`
    this.#options = options
  }

  async obtain (onProgress: (text: string) => void, signal: AbortSignal): Promise<string> {
    const { folder, pull } = this.#options
    const known = this.#wanted.file === undefined ? undefined : placeOf(folder, this.#wanted.repo, this.#wanted.file)
    if (known !== undefined && isWhole(known)) return known
    const mayPull = typeof pull === 'boolean' ? pull : await this.#answerTo(pull, onProgress, signal)
    if (!mayPull && this.#listed) throw this.#notHere()
    // Only the hub knows which file a quantisation stands for.
    const name = await fileOf(this.#wanted, signal)
    const file = placeOf(folder, this.#wanted.repo, name)
    if (isWhole(file)) return file
    if (!mayPull) throw this.#notHere()
    const remote = await locate(this.#wanted.repo, name, signal, this.#listed)
    const report = this.#reporter(onProgress)
    await withLock(`${file}.lock`, async alive => {
      if (isWhole(file)) return // another process has just finished the download
      await download(remote, file, { ...this.#options, signal: alive, onProgress: report })
    }, {
      signal,
      async whileWaiting () {
        report((await stat(`${file}.part`).catch(() => ({ size: 0 }))).size, remote.size)
        return isWhole(file)
      }
    })
    return file
  }

  async #answerTo (question: Question, onProgress: (text: string) => void, signal: AbortSignal): Promise<boolean> {
    if (question.isOpen) {
      onProgress(`the terminal of this service asks whether ${this.#sized} may be downloaded, and has no answer yet`)
    }
    return await question.answered(signal)
  }

  get #sized (): string { return this.#listed ? `${this.name} (${amount(this.#listed.size)})` : this.name }

  #notHere (): BackendMissing {
    const pull = `start with --pull, or run "npm run model -- pull ${this.#listed?.name ?? `hf:${this.name}`}", and ask again`
    const others = 'a file of yours is used with --model FILE.gguf, and --model demo shows how the service works without a real model'
    return new BackendMissing(`the model ${this.#sized} is not on this machine`, `download it: ${pull}; ${others}`)
  }

  #reporter (onProgress: (text: string) => void): (done: number, total: number | undefined) => void {
    const { onPace = this.#logged() } = this.#options
    const speed = new Speed()
    let last = -Infinity
    return (done, total) => {
      const now = performance.now()
      if (now - last < 500 && done !== total) return
      last = now
      const pace = { done, total, speed: speed.measure(done, now) }
      onProgress(`model ${shortly(pace)} (${this.name} is being downloaded)`)
      onPace(this.name, pace)
    }
  }

  #logged (): NonNullable<FetchOptions['onPace']> {
    let last = -Infinity
    return (model, pace) => {
      const now = performance.now()
      if (now - last < LOG_INTERVAL && pace.done !== pace.total) return
      last = now
      this.#options.log.info({ model, ...pace }, `${model} is being downloaded: ${inFull(pace)}`)
    }
  }
}
