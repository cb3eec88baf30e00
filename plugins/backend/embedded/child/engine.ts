import { statSync } from 'node:fs'
import { basename } from 'node:path'
import type * as NodeLlamaCpp from 'node-llama-cpp'
import type { ChatWrapper, Llama, LlamaContext, LlamaModel } from 'node-llama-cpp'
import type { Message } from '../../../../agents/types.js'
import type { ChatOrder, LoadOrder, Loaded, Outcome, Report } from '../messages.js'
import { Unfit, constraintsOf, offeredTools } from './constraints.js'
import { cores } from './cores.js'
import { freeMemory, gigabytes, makeContext } from './memory.js'
import { promptOf } from './prompt.js'
import { write } from './reply.js'
import { Sequences } from './sequences.js'
import { Vocabulary } from './vocabulary.js'

/** Why a model, or the engine itself, cannot be used here, and what to do about it. */
export class Unusable extends Error {
  constructor (readonly problem: string, readonly remedy: string) { super(problem) }
}

const OTHER_WAY = 'use a server instead (Ollama, LM Studio, llama.cpp: start it, or name it with --backend-url)'
const NOT_LOADED = 'the file is incomplete, or of a kind that this engine does not know: get it anew, or give another one with --model'

type Library = typeof NodeLlamaCpp

/** llama.cpp with one model. */
export class Engine {
  readonly loaded: Loaded
  readonly #library: Library
  readonly #model: LlamaModel
  readonly #vocabulary: Vocabulary
  readonly #wrapper: ChatWrapper
  readonly #context: LlamaContext
  readonly #sequences: Sequences
  readonly #send: (report: Report) => void

  private constructor (
    loaded: Loaded, library: Library, model: LlamaModel, wrapper: ChatWrapper, context: LlamaContext, send: (report: Report) => void
  ) {
    this.loaded = loaded
    this.#library = library
    this.#model = model
    this.#vocabulary = new Vocabulary(model)
    this.#wrapper = wrapper
    this.#context = context
    this.#sequences = new Sequences(Array.from({ length: loaded.slots }, () => context.getSequence()))
    this.#send = send
  }

  static async load ({ path, threads, useGpu }: LoadOrder, send: (report: Report) => void): Promise<Engine> {
    const library = await importLibrary()
    const llama = await startLlama(library, { threads, useGpu })
    send({ type: 'started' })
    const model = await loadModel(library, llama, path, percent => send({ type: 'loading', percent }))
    const ideal = threads ?? threadsFor(llama)
    const { context, slots } = await makeContext(library, model, { threads: ideal, note: text => send({ type: 'note', text }) })
    return new Engine({
      name: model.fileInfo.metadata.general?.name ?? null,
      context: context.contextSize,
      contextOfModel: model.trainContextSize,
      slots,
      threads: ideal,
      gpu: llama.gpu === false ? null : llama.gpu
    }, library, model, library.resolveChatWrapper(model), context, send)
  }

  count (messages: readonly Message[]): Outcome {
    return { type: 'counted', tokens: promptOf(messages, this.#model, this.#wrapper).tokens.length }
  }

  async chat (id: number, order: ChatOrder, signal: AbortSignal): Promise<Outcome> {
    const prompt = promptOf(order.messages, this.#model, this.#wrapper, offeredTools(order))
    const size = this.#context.contextSize
    const room = size - prompt.tokens.length - 1
    if (room < 1) return { type: 'overflow', tokens: prompt.tokens.length, context: size }
    let constraints
    try {
      constraints = await constraintsOf(order, this.#library, this.#model, this.#wrapper)
    } catch (error) {
      if (error instanceof Unfit) return { type: 'unfit', problem: error.message }
      throw error
    }
    const onWaiting = (before: number) => this.#send({ type: 'waiting', id, before })
    const sequence = await this.#sequences.take(prompt.tokens, order.run, signal, onWaiting)
    try {
      const place = { sequence, model: this.#model, vocabulary: this.#vocabulary }
      const bounded = { ...order, max_tokens: Math.min(order.max_tokens ?? room, room) }
      return await write(place, prompt, bounded, constraints, signal, event => this.#send({ ...event, id }))
    } finally {
      this.#sequences.give(sequence)
    }
  }
}

async function importLibrary (): Promise<Library> {
  try {
    return await import('node-llama-cpp')
  } catch (error) {
    const remedy = `run "npm ci", or, where this platform has no package of it, ${OTHER_WAY}`
    throw new Unusable(`the engine is not installed (${textOf(error)})`, remedy)
  }
}

type Hardware = Pick<LoadOrder, 'threads' | 'useGpu'>

async function startLlama ({ getLlama, LlamaLogLevel, NoBinaryFoundError }: Library, { threads, useGpu }: Hardware): Promise<Llama> {
  try {
    return await getLlama({
      build: 'never', // otherwise a machine without a matching binary would compile llama.cpp for minutes
      gpu: useGpu ? 'auto' : false,
      logLevel: LlamaLogLevel.error,
      // The threads spin while they wait for each other: with one more thread than cores, everything takes ten times as long.
      maxThreads: threads ?? Math.max(1, cores() - 1)
    })
  } catch (error) {
    if (error instanceof NoBinaryFoundError) throw new Unusable('the engine has no binary for this platform', OTHER_WAY)
    throw new Unusable(`the engine does not start: ${textOf(error)}`, `try --no-gpu, or ${OTHER_WAY}`)
  }
}

/** One core is left for everything else, and two threads on one core slow each other down. */
function threadsFor (llama: Llama): number {
  return Math.max(1, Math.min(cores() - 1, llama.cpuMathCores))
}

async function loadModel (
  { InsufficientMemoryError }: Library, llama: Llama, path: string, onPercent: (percent: number) => void
): Promise<LlamaModel> {
  const name = basename(path)
  const size = statSync(path).size
  const smaller = `close other programs, or use a smaller model: "npm run model -- list" names some, and ${OTHER_WAY}`
  const short = new Unusable(`${name} needs ${gigabytes(size)} of memory, and ${gigabytes(freeMemory())} are free`, smaller)
  if (llama.gpu === false && size > freeMemory()) throw short
  let reported = -1
  try {
    return await llama.loadModel({
      modelPath: path,
      onLoadProgress (share) {
        const percent = Math.floor(share * 100)
        if (percent > reported) onPercent(reported = percent)
      }
    })
  } catch (error) {
    if (error instanceof InsufficientMemoryError) throw short
    throw new Unusable(`${name} cannot be loaded: ${textOf(error)}`, NOT_LOADED)
  }
}

function textOf (error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
