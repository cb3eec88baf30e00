import { freemem } from 'node:os'
import type * as NodeLlamaCpp from 'node-llama-cpp'
import type { LlamaContext, LlamaModel } from 'node-llama-cpp'
import { CONTEXT_NEEDED } from '../../errors.js'

type Library = typeof NodeLlamaCpp

const MOST_SLOTS = 4
// Memory for the rest of this process and for the system.
const RESERVE = 512 * 1024 ** 2

/** The free memory in bytes, within the limit of the control group. */
export function freeMemory (): number {
  return process.availableMemory?.() ?? freemem()
}

export function gigabytes (bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`
}

/** Makes the context that agents need: for several replies at once if there is much memory, a smaller one if there is little. */
export async function makeContext (
  library: Library, model: LlamaModel, { threads, note }: { threads: number, note: (text: string) => void }
): Promise<{ context: LlamaContext, slots: number }> {
  const whole = Math.min(CONTEXT_NEEDED, model.trainContextSize)
  const sizes = [whole, ...[24576, 16384, 8192, 4096].filter(size => size < whole)]
  const tries = [[whole, MOST_SLOTS] as const, [whole, 2] as const, ...sizes.map(size => [size, 1] as const)]
  for (const [contextSize, slots] of tries) {
    const cost = await model.fileInsights.estimateContextResourceRequirementsV2({
      contextSize, sequences: slots, modelGpuLayers: model.gpuLayers, flashAttention: 'auto'
    })
    const free = freeMemory()
    // More than one slot is a luxury: for that, at most half of the free memory is used.
    if (cost.cpuRam > (slots > 1 ? free / 2 : free - RESERVE)) continue
    const size = `${contextSize} tokens${slots > 1 ? ` for each of ${slots} replies at once` : ''}`
    const onGpu = cost.gpuVram > 0 ? ` and ${gigabytes(cost.gpuVram)} of the graphics card's` : ''
    note(`the context of ${size} takes ${gigabytes(cost.cpuRam)} of memory${onGpu}; ${gigabytes(free)} are free`)
    try {
      return { context: await model.createContext({ contextSize, sequences: slots, threads, flashAttention: 'auto' }), slots }
    } catch (error) {
      if (!(error instanceof library.InsufficientMemoryError)) throw error
    }
  }
  const free = gigabytes(freeMemory())
  throw new library.InsufficientMemoryError(`not even a context of ${sizes.at(-1)} tokens fits into ${free} of free memory`)
}
