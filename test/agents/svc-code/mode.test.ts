import t from 'tap'
import type { AgentRequest } from '../../../agents/types.js'
import { budgetOf, projectCalls } from '../../../agents/svc-code/effort.js'
import { PROFILES } from '../../../agents/svc-code/languages/index.js'
import { isBackground, modeOf } from '../../../agents/svc-code/mode.js'
import { BACKGROUND, FORMAT, PROJECT, RELAY } from '../../../agents/svc-code/signs.js'
import { readConversation } from '../../../agents/svc-code/conversation.js'

const tool = { type: 'function' as const, function: { name: 'f', parameters: {} } }

function mode (content: string, more: Partial<AgentRequest> = {}): string {
  const request: AgentRequest = { messages: [{ role: 'user', content }], temperature: 0.7, top_p: 1, ...more }
  return modeOf(request, readConversation(request.messages, PROFILES))
}

void t.test('every rule matches its own example', async t => {
  for (const { example, source } of BACKGROUND) t.equal(mode(example), 'background', source)
  for (const { example, source } of RELAY) {
    t.equal(mode(example), 'relay', source)
    t.equal(mode('hello', { messages: [{ role: 'system', content: example }, { role: 'user', content: 'hello' }] }), 'relay', `as the system message: ${source}`)
  }
  for (const example of PROJECT.examples) t.equal(mode(example), 'project', example)
  for (const example of FORMAT.examples) t.equal(mode(`${example}\n\n\`\`\`python\nx=1\n\`\`\``), 'format', example)
})

void t.test('tools, formats and results of tools are passed on', async t => {
  t.equal(mode('weather?', { tools: [tool] }), 'relay')
  t.equal(mode('weather?', { tools: [tool], tool_choice: 'none' }), 'answer')
  t.equal(mode('weather?', { tools: [] }), 'answer')
  t.equal(mode('x', { response_format: { type: 'json_object' } }), 'relay')
  t.equal(mode('x', { response_format: { type: 'text' } }), 'answer')
  t.equal(mode('', { messages: [{ role: 'user', content: 'x' }, { role: 'tool', content: 'y', tool_call_id: 'c' }] }), 'relay')
})

void t.test('a verb, a tone or a language is no sign', async t => {
  for (const asked of [
    'Write a poem', 'Write a function that adds two numbers', 'thanks, that works great!', 'Schreib mir eine E-Mail', 'Explain this project plan', 'What is a package?', 'You are a pirate. What is a list?',
    'Create a React todo list', 'a function that formats a date', 'format the number with two digits in Python', 'use the library requests to load a page', 'summarize this text for me: ...'
  ]) t.equal(mode(asked), 'answer', asked)
  t.equal(mode('format a date\n```python\nx=1\n```'), 'answer')
  t.ok(isBackground({ messages: [{ role: 'user', content: 'anything' }], max_tokens: 16 }))
})

void t.test('the effort bounds the calls, and the command line bounds the effort', async t => {
  const all = { calls: 40, tokens: 1, seconds: 1 }
  t.same(['none', 'minimal', 'low', undefined, 'medium', 'high', 'xhigh'].map(effort => budgetOf(effort as never, all).calls), [1, 1, 1, 8, 8, 16, 16])
  t.equal(budgetOf('high', { ...all, calls: 3 }).calls, 3)
  t.same([projectCalls('low', 5, 40), projectCalls('medium', 5, 40), projectCalls('medium', 50, 40), projectCalls('high', 50, 40), projectCalls('high', 50, 10)], [1, 18, 24, 40, 10])
})
