import type { Candidate, Server, ModelState } from './servers/kind.js'
import { lemonade } from './servers/lemonade.js'
import { llamaCpp } from './servers/llama-cpp.js'
import { lmStudio } from './servers/lm-studio.js'
import { ollama } from './servers/ollama.js'
import { unknown } from './servers/unknown.js'
import { vllm } from './servers/vllm.js'

/**
 * All kinds of servers, in the order in which they are tried: first those that the model list identifies. Lemonade comes before
 * Ollama because it also answers Ollama's requests.
 */
export const SERVERS: readonly Server[] = [llamaCpp, vllm, lemonade, lmStudio, ollama]

export async function recognise (candidate: Candidate): Promise<{ server: Server, modelState: ModelState }> {
  for (const server of SERVERS) {
    const modelState = await server.recognise(candidate)
    if (modelState) return { server, modelState }
  }
  return { server: unknown, modelState: unknown.look(candidate) }
}
