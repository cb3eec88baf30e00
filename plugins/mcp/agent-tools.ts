import type { FastifyInstance } from 'fastify'
import { agentRequest } from '../../schemas/conversation.js'
import { ContextLengthExceeded } from '../../schemas/errors.js'
import { type AgentArguments, agentArguments } from '../../schemas/mcp.js'
import type { RegisteredAgent } from '../agents.js'
import type { Reader } from '../runs.js'
import type { RunView } from '../runs/run.js'
import { toolNames } from './names.js'
import { type Call, type Tool, textResult } from './tool.js'

/** A tool for each agent. A call is an ordinary run, with the same slots, limits, usage and log. */
export function agentTools (fastify: FastifyInstance, taken: readonly string[]): Tool[] {
  const agents = fastify.agents.list()
  const names = toolNames(agents.map(({ id }) => id), taken)
  return agents.map((agent, at) => toolOf(fastify, agent, names[at] ?? agent.id))
}

function toolOf (fastify: FastifyInstance, agent: RegisteredAgent, name: string): Tool {
  const { id, accepts, model: { description, max_input_tokens: limit } } = agent
  return {
    listed: {
      name,
      title: id,
      description: `${sentence(description)} An agent: of your conversation it knows only the prompt. It answers with text.`
    },
    input: agentArguments(accepts),
    async call (args, call) {
      const { prompt, messages = [], ...settings } = args as AgentArguments
      const request = agentRequest({ ...settings, model: id, messages: [...messages, { role: 'user', content: prompt }] }, accepts)
      if (!await fastify.fitsInput(request, limit)) throw ContextLengthExceeded.over(limit, id)
      call.signal.throwIfAborted()
      const reader = new CallReader(call)
      const run = fastify.runs.start({ agent, request }, reader)
      try {
        return await collect(run, call)
      } finally {
        reader.finish()
      }
    }
  }
}

async function collect (run: RunView, { progress }: Call) {
  let text = ''
  await run.read(event => {
    if (typeof event === 'string') {
      text += event
      progress.count(event.length)
    } else if (event.type === 'progress') progress.add(event.text)
    return undefined
  })
  const { id, finish } = run
  const result = textResult(text, { _meta: { run: id, finish_reason: finish, usage: await run.usage(text) } })
  if (finish === 'length') result.content.push({ type: 'text', text: 'The reply ends here because its limit in tokens was reached.' })
  return result
}

/** The caller as the reader of a run. It leaves when the call is cancelled, the connection has closed, or the result has been sent. */
class CallReader implements Reader {
  readonly #call: Call
  #leave: (hasAll: boolean) => void = () => {}

  constructor (call: Call) {
    this.#call = call
  }

  onLeave (leave: (hasAll: boolean) => void): void {
    const { signal, connection } = this.#call
    this.#leave = leave
    signal.addEventListener('abort', this.#cancel)
    connection?.onLeave(leave)
  }

  /** Call it when the run has ended. A caller with a connection leaves later, when the result has been sent over it. */
  finish (): void {
    const { signal, connection } = this.#call
    signal.removeEventListener('abort', this.#cancel)
    if (!connection) this.#leave(true)
  }

  readonly #cancel = (): void => this.#leave(false)
}

function sentence (text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
