import type OpenAI from 'openai'
import type { Test } from 'tap'
import type { AppOptions } from '../../app.js'
import { type Call, type ScriptedBackend, say, startBackend } from './backend.js'
import { type Service, startService } from './service.js'

// Conversations with svc-code as a caller has them: the real service and sandbox, the official SDK, and a model that says its part.

export type Step = 'answer' | 'plan' | 'write' | 'repair' | 'tests'
export type Script = (call: Call) => unknown
type Message = OpenAI.ChatCompletionMessageParam

export interface Heard {
  text: string
  reply: OpenAI.ChatCompletion
  calls: Call[]
  /** What the model was asked for, call by call. */
  steps: string[]
  /** The word after the heading, where there is one. */
  claim: string | undefined
}

export interface Talk {
  backend: ScriptedBackend
  service: Service
  /** Says something to svc-code while the model plays this script. */
  talk: (script: Script, said: string | Message[], more?: object) => Promise<Heard>
  /** The same, streamed: the pieces as they came. */
  stream: (script: Script, said: string, more?: object) => Promise<{ pieces: string[], progress: string, calls: Call[] }>
  /** For those that ask in their own way. */
  play: (script: Script) => void
}

export const fence = (code: string, tag = 'python') => `\`\`\`${tag}\n${code}\n\`\`\``
export const stepOf = (call: Call) => String(call.headers['x-svc-step'])
export const lastOf = (call: Call) => String(call.body.messages.at(-1).content)
export const whole = (call: Call | undefined) => (call?.body.messages as { content: string }[] | undefined ?? []).map(({ content }) => content).join('\n')

/** Says the next line of a step's part; the last one again and again. */
export function part (lines: Partial<Record<Step, string[]>>): Script {
  const turns: Record<string, number> = {}
  return call => {
    const step = stepOf(call)
    const own = lines[step as Step] ?? []
    const turn = turns[step] = (turns[step] ?? -1) + 1
    return say(own[Math.min(turn, own.length - 1)] ?? '')(call)
  }
}

/** One service for many tests: its sandbox proves itself once. */
export async function startTalk (t: Test, options: AppOptions = {}): Promise<Talk> {
  let script: Script = () => undefined
  const backend = await startBackend(t, call => script(call))
  const service = await startService(t, { backendUrl: backend.url, ...options })
  const messagesOf = (said: string | Message[]): Message[] => typeof said === 'string' ? [{ role: 'user', content: said }] : said
  return {
    backend,
    service,
    play: next => { script = next },
    async talk (next, said, more = {}) {
      script = next
      const before = backend.calls.length
      const reply = await service.client.chat.completions.create({ model: 'svc-code', messages: messagesOf(said), ...more }, { timeout: 240_000 })
      const text = reply.choices[0]?.message.content ?? ''
      const calls = backend.calls.slice(before)
      return { text, reply, calls, steps: calls.map(stepOf), claim: /^### Verification\n(\w+): /m.exec(text)?.[1] }
    },
    async stream (next, said, more = {}) {
      script = next
      const before = backend.calls.length
      const chunks = await service.client.chat.completions.create({ model: 'svc-code', messages: messagesOf(said), stream: true, ...more }, { timeout: 240_000 })
      const pieces: string[] = []
      let progress = ''
      for await (const { choices } of chunks) {
        const delta: { content?: string | null, reasoning_content?: string } = choices[0]?.delta ?? {}
        if (delta.content) pieces.push(delta.content)
        progress += delta.reasoning_content ?? ''
      }
      return { pieces, progress, calls: backend.calls.slice(before) }
    }
  }
}
