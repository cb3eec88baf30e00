import type { Question, Server, Sight } from './servers/kind.js'
import { lemonade } from './servers/lemonade.js'
import { llamaCpp } from './servers/llama-cpp.js'
import { lmStudio } from './servers/lm-studio.js'
import { ollama } from './servers/ollama.js'
import { unknown } from './servers/unknown.js'
import { vllm } from './servers/vllm.js'

/** In the order of asking: those first that the list of models gives away. Lemonade answers for Ollama, too. */
export const SERVERS: readonly Server[] = [llamaCpp, vllm, lemonade, lmStudio, ollama]

export async function recognise (question: Question): Promise<{ server: Server, sight: Sight }> {
  for (const server of SERVERS) {
    const sight = await server.recognise(question)
    if (sight) return { server, sight }
  }
  return { server: unknown, sight: unknown.look(question) }
}
