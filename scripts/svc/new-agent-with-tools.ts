import type { Names } from './new-agent-templates.js'

/** The source of an agent that calls one of the caller's tools and replies with its result. */
export function typedWithTools ({ className, types }: Names): string {
  return `import type { Agent, AgentEvent, AgentRequest, AgentRun } from '${types}'

export class ${className} implements Agent {
  // Without this line, the agent does not get the tools of a request.
  readonly accepts = ['tools'] as const
  readonly greeting: string

  // params: the init_params of the registration. The second argument is { backend, sandbox, log }.
  constructor (params: Record<string, unknown>) {
    this.greeting = String(params.greeting)
  }

  modelInfo () {
    return { max_input_tokens: 32768, max_output_tokens: 8192 }
  }

  // The caller runs the tools. A call ends the reply, and the next request has the tool's result as its last message.
  async * reply (request: AgentRequest, signal: AbortSignal, run: AgentRun): AsyncGenerator<AgentEvent> {
    const last = request.messages.at(-1)
    const { tools = [], tool_choice: choice = 'auto' } = request
    const wanted = typeof choice === 'object' ? tools.find(({ function: { name } }) => name === choice.function.name) : tools[0]
    const tool = choice === 'none' ? undefined : wanted
    if (last?.role === 'tool') {
      yield \`\${this.greeting}: \${last.content}\`
    } else if (tool) {
      // Here every parameter gets the last message. Replace this with the arguments that your agent, or its language model, chooses.
      const parameters = Object.keys(tool.function.parameters?.properties ?? {})
      const values = Object.fromEntries(parameters.map(name => [name, last?.content ?? '']))
      yield { type: 'tool_call', index: 0, name: tool.function.name, arguments: JSON.stringify(values) }
    } else {
      yield 'Offer me a tool.'
    }
  }
}
`
}

export function testWithTools ({ name, app }: Names): string {
  return `import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { buildApp } from '${app}'

const parameters = { type: 'object', properties: { city: { type: 'string' } } }
const tools = [{ type: 'function', function: { name: 'get_weather', parameters } }]

test('${name} calls a tool and answers with its result', async () => {
  const service = await buildApp({ agentsDirs: [dirname(dirname(fileURLToPath(import.meta.url)))] })
  const ask = async messages => {
    const reply = await service.inject({ method: 'POST', url: '/v1/chat/completions', payload: { model: '${name}', messages, tools } })
    return reply.json().choices[0]
  }

  const question = { role: 'user', content: 'Oslo' }
  const { message, finish_reason: reason } = await ask([question])
  assert.equal(reason, 'tool_calls')
  const [call] = message.tool_calls
  assert.equal(call.function.name, 'get_weather')
  assert.deepEqual(JSON.parse(call.function.arguments), { city: 'Oslo' })

  const answer = await ask([question, message, { role: 'tool', tool_call_id: call.id, content: 'rain' }])
  assert.equal(answer.message.content, 'The tool says: rain')
  await service.close()
})
`
}
