import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { intentOf, isFrontEndTask } from '../../../agents/svc-code/intent.js'
import { languageOf } from '../../../agents/svc-code/language.js'
import type { AgentRequest, Message } from '../../../agents/types.js'

const prompts = readFileSync(new URL('../../fixtures/prompts.txt', import.meta.url), 'utf8').split('\n').filter(line => line !== '' && !line.startsWith('#'))
const ask = (content: string, before: Message[] = []): AgentRequest => ({ messages: [...before, { role: 'user', content }], temperature: 0.7, top_p: 1 })
const sides = (request: AgentRequest) => {
  const found = languageOf(request.messages)
  return found.type === 'other' ? 'other' : found.languages.length > 1 ? 'both' : found.languages[0]
}

void t.test('a prompt says its language and what is wanted, in four natural languages', async t => {
  for (const line of prompts) {
    const [language = '', kind = '', ...rest] = line.split(' | ')
    const request = ask(rest.join(' | '))
    t.equal(sides(request), language, line)
    t.equal(intentOf(request).kind, kind, line)
  }
})

const PYTHON = '```python\ndef mean(xs):\n    return sum(xs) / len(x)\n```'

void t.test('given code is mended, tested or formatted, as is asked', async t => {
  t.equal(intentOf(ask(`Fix the bug:\n${PYTHON}`)).kind, 'fix')
  t.equal(intentOf(ask(`This fails with NameError: name 'x' is not defined\n${PYTHON}`)).kind, 'fix')
  t.equal(intentOf(ask(`Write tests for this:\n${PYTHON}`)).kind, 'tests')
  t.equal(intentOf(ask(`Format this code:\n${PYTHON}`)).kind, 'format')
  t.equal(intentOf(ask(`What does this do?\n${PYTHON}`)).kind, 'chat')
  t.equal(intentOf(ask(`Add type hints to this:\n${PYTHON}`)).kind, 'code')
  t.match(intentOf(ask(`Fix the bug:\n${PYTHON}`)).given, [{ tag: 'python' }])
})

void t.test('a follow-up works on the code of earlier turns', async t => {
  const before: Message[] = [{ role: 'user', content: 'Write a function that adds two numbers in TypeScript.' }, { role: 'assistant', content: '```ts\nexport const add = (a: number, b: number) => a + b\n```' }]
  for (const follow of ['Now make it async.', 'Add a third parameter', 'rename it to plus', 'Jetzt bitte mit bigint.', 'mach es schneller']) {
    const intent = intentOf(ask(follow, before))
    t.equal(intent.kind, 'code', follow)
    t.match(intent.given, [{ tag: 'ts' }], follow)
    t.match(intent.task, /adds two numbers[\s\S]*Then the user asked/, follow)
    t.equal(sides(ask(follow, before)), 'typescript', follow)
  }
  t.equal(intentOf(ask('Write tests for it', before)).kind, 'tests')
  t.equal(intentOf(ask('It fails with a TypeError', before)).kind, 'fix')
  t.equal(sides(ask('And the same in Python?', before)), 'python')
  t.equal(intentOf(ask('Why did you use an arrow function?', before)).kind, 'chat')
})

void t.test('an application with a format of its own gets a plain answer', async t => {
  for (const system of ['You are Cline. You have access to a set of tools. Use <write_to_file> to write.', 'Reply only with JSON.', 'Return *SEARCH/REPLACE blocks*.']) {
    t.equal(intentOf(ask('Write a function that adds two numbers', [{ role: 'system', content: system }])).kind, 'chat', system)
  }
  t.equal(intentOf(ask('Write a function that adds two numbers', [{ role: 'system', content: 'You are a Rust expert who writes Go.' }])).kind, 'code')
  t.equal(sides(ask('Write a function that adds two numbers', [{ role: 'system', content: 'You are a TypeScript expert.' }])), 'python', 'the system text is not the task')
})

void t.test('what a front-end asks on its own account is told apart', async t => {
  t.ok(isFrontEndTask(ask('### Task:\nGenerate a title')))
  t.ok(isFrontEndTask({ ...ask('Hello'), max_tokens: 16 }))
  t.ok(isFrontEndTask(ask('Generate a concise, 5-word title for this conversation')))
  t.notOk(isFrontEndTask(ask('Write a function that generates titles')))
})

void t.test('routing never throws, is the same each time, and takes no time', async t => {
  const piece = fc.oneof(fc.string(), fc.constantFrom('```python\n', '```', 'react', 'in Rust', 'no ', 'instead of', '\n', '. ', 'write', 'x.py', 'def f():', 'TypeScript'))
  fc.assert(fc.property(fc.array(fc.array(piece, { maxLength: 20 }), { minLength: 1, maxLength: 4 }), turns => {
    const request: AgentRequest = { messages: turns.map((parts, index): Message => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: parts.join(' ') })), temperature: 1, top_p: 1 }
    return JSON.stringify([intentOf(request), languageOf(request.messages)]) === JSON.stringify([intentOf(request), languageOf(request.messages)])
  }), { numRuns: 300, seed: 3 })
  for (const unit of ['a', ' ', '\n', '(', 'a.', 'in react ', '. ', '```\n', 'no ', 'use', 'f(', '"']) {
    const since = performance.now()
    const request = ask(unit.repeat(200_000 / unit.length))
    intentOf(request)
    languageOf(request.messages)
    t.ok(performance.now() - since < 2000, `${JSON.stringify(unit)}: ${Math.round(performance.now() - since)} ms`)
  }
})
