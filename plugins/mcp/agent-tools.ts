import type { FastifyInstance } from 'fastify'
import { agentRequest } from '../../schemas/conversation.js'
import { ContextLengthExceeded } from '../../schemas/errors.js'
import { type AgentArguments, agentArguments } from '../../schemas/mcp.js'
import type { RegisteredAgent } from '../agents.js'
import type { Reader } from '../runs.js'
import type { RunView } from '../runs/run.js'
import { toolNames } from './names.js'
import { type Call, type Tool, textResult } from './tool.js'

/** A tool for each agent. A call is a run like any other: the same slots, limits, usage and log. */
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
      description: `${sentence(description)} An agent: it knows nothing of your conversation but the prompt. It answers with text.`
    },
    input: agentArguments(accepts),
    async call (given, call) {
      const { prompt, messages = [], ...settings } = given as AgentArguments
      const request = agentRequest({ ...settings, model: id, messages: [...messages, { role: 'user', content: prompt }] }, accepts)
      if (!await fastify.fitsInput(request, limit)) throw ContextLengthExceeded.over(limit, id)
      call.signal.throwIfAborted()
      const caller = new Caller(call)
      const run = fastify.runs.start({ agent, request }, caller)
      try {
        return await collected(run, call)
      } finally {
        caller.end()
      }
    }
  }
}

async function collected (run: RunView, { progress }: Call) {
  let text = ''
  await run.read(event => {
    if (typeof event === 'string') {
      text += event
      progress.wrote(event.length)
    } else if (event.type === 'progress') progress.say(event.text)
    return undefined
  })
  const { id, finish } = run
  const result = textResult(text, { _meta: { run: id, finish_reason: finish, usage: await run.usage(text) } })
  if (finish === 'length') result.content.push({ type: 'text', text: 'The reply ends here because its bound in tokens was reached.' })
  return result
}

/** Who reads a run: there until the call is cancelled, the connection is gone, or the result is out. */
class Caller implements Reader {
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

  /** The run has ended. Over a connection the result is still on its way. */
  end (): void {
    const { signal, connection } = this.#call
    signal.removeEventListener('abort', this.#cancel)
    if (!connection) this.#leave(true)
  }

  readonly #cancel = (): void => this.#leave(false)
}

function sentence (text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
