import { testWithTools, typedWithTools } from './new-agent-with-tools.js'

export interface Names {
  name: string
  className: string
  /** The module names by which the test imports the service, and the agent its types. */
  app: string
  types: string
}

interface Kind { greeting: string, description: string, agent (names: Names): string, test (names: Names): string }

const KINDS: Record<'echo' | 'tools', Kind> = {
  echo: { greeting: 'You said', description: 'Says it back, a word at a time', agent: typed, test: testOf },
  tools: { greeting: 'The tool says', description: 'Calls the first tool of the request', agent: typedWithTools, test: testWithTools }
}

/** The files of a new agent. */
export function templates (names: Names, { language, kind }: { language: 'ts' | 'js', kind: keyof typeof KINDS }): Record<string, string> {
  const [index, agent] = language === 'ts' ? ['index.ts', 'agent.ts'] : ['index.mjs', 'agent.mjs']
  const text = KINDS[kind].agent(names)
  return {
    [index]: indexOf(names, language, KINDS[kind]),
    [agent]: language === 'ts' ? text : plain(text),
    [`${names.name}.test.mjs`]: KINDS[kind].test(names)
  }
}

function indexOf ({ name, className }: Names, language: 'ts' | 'js', { greeting, description }: Kind): string {
  const parameter = language === 'ts' ? 'fastify: FastifyInstance' : 'fastify'
  const typeImport = language === 'ts' ? "import type { FastifyInstance } from 'fastify'\n\n" : ''
  return `${typeImport}// A Fastify plugin. It registers the agent under the model id that clients ask for.
export default async function (${parameter}) {
  fastify.agents.register('${name}', {
    class_name: '${name}.agent.${className}',
    init_params: { greeting: '${greeting}' },
    description: '${description}'
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

/** Removes the types from an agent in TypeScript. */
function plain (text: string): string {
  return text
    .replace(/^import type.*\n\n/, '')
    .replace(' implements Agent', '')
    .replace('readonly accepts = [\'tools\'] as const', 'accepts = [\'tools\']')
    .replace(/ {2}readonly greeting: string\n\n?/, text.includes('accepts') ? '\n' : '')
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
