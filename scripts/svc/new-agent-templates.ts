export interface Names {
  name: string
  className: string
  /** The module names by which the test imports the service, and the agent its types. */
  app: string
  types: string
}

/** The files of a new agent. */
export function templates (names: Names, language: 'ts' | 'js'): Record<string, string> {
  const [index, agent] = language === 'ts' ? ['index.ts', 'agent.ts'] : ['index.mjs', 'agent.mjs']
  return {
    [index]: indexOf(names, language),
    [agent]: language === 'ts' ? typed(names) : plain(names),
    [`${names.name}.test.mjs`]: testOf(names)
  }
}

function indexOf ({ name, className }: Names, language: 'ts' | 'js'): string {
  const parameter = language === 'ts' ? 'fastify: FastifyInstance' : 'fastify'
  const typeImport = language === 'ts' ? "import type { FastifyInstance } from 'fastify'\n\n" : ''
  return `${typeImport}// A Fastify plugin. It registers the agent under the model id that clients ask for.
export default async function (${parameter}) {
  fastify.agents.register('${name}', {
    class_name: '${name}.agent.${className}',
    init_params: { greeting: 'You said' },
    description: 'Says it back, a word at a time'
  })
}
`
}

function typed ({ className, types }: Names): string {
  return `import type { Agent, AgentEvent, AgentRequest, AgentRun } from '${types}'

export class ${className} implements Agent {
  readonly greeting: string

  // params: the init_params of the registration. The second argument is { backend, sandbox, log }.
  constructor (params: Record<string, unknown>) {
    this.greeting = String(params.greeting)
  }

  modelInfo () {
    return { max_input_tokens: 32768, max_output_tokens: 8192 }
  }

  // Yield a string for each piece of the reply. Stop when the signal aborts: the client has gone.
  async * reply (request: AgentRequest, signal: AbortSignal, run: AgentRun): AsyncGenerator<AgentEvent> {
    const said = request.messages.at(-1)?.content ?? ''
    yield \`\${this.greeting}:\`
    for (const word of said.split(/\\s+/)) {
      if (signal.aborted) return
      yield \` \${word}\`
    }
  }
}
`
}

function plain (names: Names): string {
  return typed(names)
    .replace(/^import type.*\n\n/, '')
    .replace(' implements Agent', '')
    .replace('  readonly greeting: string\n\n', '')
    .replace('params: Record<string, unknown>', 'params')
    .replace('request: AgentRequest, signal: AbortSignal, run: AgentRun): AsyncGenerator<AgentEvent>', 'request, signal, run)')
}

function testOf ({ name, app }: Names): string {
  return `import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { buildApp } from '${app}'

test('${name} says it back', async () => {
  const service = await buildApp({ agentsDirs: [dirname(dirname(fileURLToPath(import.meta.url)))] })
  const reply = await service.inject({
    method: 'POST',
    url: '/v1/chat/completions',
    payload: { model: '${name}', messages: [{ role: 'user', content: 'hello there' }] }
  })
  assert.equal(reply.json().choices[0].message.content, 'You said: hello there')
  await service.close()
})
`
}
