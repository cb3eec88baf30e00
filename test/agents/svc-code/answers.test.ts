import t from 'tap'
import { callTools, say } from '../../support/backend.js'
import { fence, part, startTalk, stepOf, whole } from '../../support/talk.js'

// Replies without a program that svc-code runs are sent as the model wrote them, after one call.

const started = startTalk(t)

const REPLIES: [what: string, asked: string, reply: string][] = [
  ['a poem', 'Write a poem about the sea.', 'The sea is wide,\n  the sea is deep,\n\nand *never* tired of its sleep.\n'],
  ['thanks', 'thanks, that works great!', "You're welcome! Let me know if there is more."],
  ['an explanation with a snippet', 'What is a decorator in Python?', `A decorator wraps a function:\n\n${fence('@cached\ndef f():\n    ...')}\n\nIt is the same as calling it with the function. Most people meet decorators first in web frameworks, where they bind an address to a function, and in tests. They may take arguments of their own, and they may be stacked, in which case the lowest one is applied first.`],
  ['a Dockerfile', 'Write a Dockerfile for a Flask app.', `Here it is:\n\n${fence('FROM python:3.12-slim\nWORKDIR /app\nCOPY . .\nCMD ["python", "app.py"]', 'dockerfile')}\n`],
  ['a page', 'Make a pricing page.', `${fence('<!doctype html>\n<title>Prices</title>\n<h1>Prices</h1>', 'html')}\n`],
  ['a workflow', 'Add a GitHub workflow that runs the tests.', `.github/workflows/test.yml\n${fence('on: push\njobs:\n  test:\n    runs-on: ubuntu-latest', 'yaml')}`],
  ['a command', 'How do I list the largest files?', `Run this:\n\n${fence('du -ah . | sort -rh | head', 'bash')}\n\nIt sorts by size.`],
  ['fences of an odd kind', 'Show me a fence in Markdown.', '````markdown\n```python\nprint(1)\n```\n````\n\n~~~\nplain\n~~~\n']
]

void t.test('a reply of words, data or snippets takes one call, and is sent unchanged', { timeout: 120_000 }, async t => {
  const { talk } = await started
  for (const [what, asked, reply] of REPLIES) {
    const { text, steps } = await talk(part({ answer: [reply] }), asked)
    t.equal(text, reply, what)
    t.strictSame(steps, ['answer'], what)
  }
})

void t.test('a program in a language that is not run here is sent unchanged, and the reply says that it was not run', async t => {
  const { talk } = await started
  const go = `Here:\n\n${fence('package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("hello")\n}', 'go')}\n\nRun it with \`go run .\`.`
  const heard = await talk(part({ answer: [go] }), 'Write hello world in Go.')
  t.equal(heard.text, `${go}\n\n### Verification\nunverified: Go is not run here.\n`)
  t.strictSame(heard.steps, ['answer'])
  const sql = await talk(part({ answer: [fence('SELECT name\nFROM users\nWHERE age > 30;', 'sql')] }), 'SQL for all users above 30')
  t.match(sql.text, /WHERE age > 30;[^]*### Verification\nunverified: SQL is not run here\.\n$/)
  t.strictSame(sql.steps, ['answer'])
})

void t.test('the first call holds the conversation as it is, below the caller\'s system message and a short one of ours', async t => {
  const { talk } = await started
  const { calls } = await talk(part({ answer: ['Fine.'] }), [
    { role: 'system', content: 'Answer like a pirate.' }, { role: 'user', content: 'Hello' }, { role: 'assistant', content: 'Ahoy!' }, { role: 'user', content: 'How are you?' }
  ], { temperature: 0.3, seed: 7, stop: ['THE END'] })
  const { messages, ...rest } = calls[0]!.body
  t.strictSame(messages.map(({ role }: { role: string }) => role), ['system', 'user', 'assistant', 'user'])
  t.match(messages[0].content, /^Answer like a pirate\.\n\n[^]*Python and TypeScript/)
  t.notMatch(messages[0].content, /^Language:/m, 'no language is named where the user named none')
  t.strictSame(messages.slice(1).map(({ content }: { content: string }) => content), ['Hello', 'Ahoy!', 'How are you?'])
  t.match(rest, { temperature: 0.3, seed: 7, stop: ['THE END'] })
  const named = await talk(part({ answer: ['Fine.'] }), 'Tell me about generics in TypeScript.')
  t.match(whole(named.calls[0]), /^Language: TypeScript$/m)
})

void t.test('text goes out from its first token, while the model still writes', async t => {
  const { service: { post }, play } = await started
  let goOn = () => {}
  const rest = new Promise<void>(resolve => { goOn = resolve })
  play(async ({ chunk, raw, response }) => {
    chunk({ content: 'The sky ' })
    await rest
    chunk({ content: 'is blue.' }, 'stop')
    raw('data: [DONE]\n\n')
    response.end()
  })
  const { body } = await post({ model: 'svc-code', stream: true, messages: [{ role: 'user', content: 'Why?' }] })
  let seen = ''
  for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
    seen += piece
    if (seen.includes('The sky')) goOn() // without it the model would wait for ever
  }
  t.match(seen, /is blue\./)
})

void t.test('a program is held back and shown as progress, while the words before it are sent', { timeout: 120_000 }, async t => {
  const { stream } = await started
  const program = 'for number in range(1, 4):\n    print(f"hello number {number}")'
  const { pieces, progress } = await stream(async ({ chunk, raw, response }) => {
    for (const piece of ['Here is a script.\n\n```python\n', ...program.split(/(?<=\n)/), '\n```\n\nThat is all.']) {
      chunk({ content: piece })
      await new Promise(resolve => setTimeout(resolve, 600))
    }
    chunk({}, 'stop')
    raw('data: [DONE]\n\n')
    response.end()
  }, 'a script that says hello')
  t.match(pieces[0], /^Here/)
  t.match(progress, /```python\nfor number[^]*print/)
  t.match(pieces.join(''), /^Here is a script\.\n\n### main\.py\n```python\nfor number[^]*\)\n```\n\nThat is all\.\n\n### Verification\nunverified: [^]*hello number 3\n/)
})

void t.test('tools and formats of the caller are passed on, and what comes back is as it came', async t => {
  const { talk } = await started
  const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } }]
  const called = await talk(callTools([{ id: 'c1', name: 'weather', arguments: '{"city":"Rome"}' }]), 'Write a function that tells the weather in Rome', { tools })
  t.match(called.reply.choices[0], { finish_reason: 'tool_calls', message: { tool_calls: [{ id: 'c1', function: { name: 'weather', arguments: '{"city":"Rome"}' } }] } })
  t.strictSame(called.calls[0]?.body.tools, tools)
  t.strictSame(called.calls[0]?.body.messages, [{ role: 'user', content: 'Write a function that tells the weather in Rome' }])
  const json = await talk(say('{"name":"Ann"}'), 'Extract the name: Ann is 30.', { response_format: { type: 'json_object' } })
  t.equal(json.text, '{"name":"Ann"}')
  t.match(json.calls[0]?.body.response_format, { type: 'json_object' })
  t.strictSame([called.steps, json.steps], [['answer'], ['answer']])
})

void t.test('editors and front-ends that parse the reply get it to the letter, programs and all', async t => {
  const { talk } = await started
  const change = 'app.py\n```python\n<<<<<<< SEARCH\ndef f(x):\n    return x\n=======\ndef f(x):\n    return x + 1\n>>>>>>> REPLACE\n```\n'
  const code = fence('def f(x: int) -> int:\n    return x')
  const asked: [string, Parameters<typeof talk>[1], string, object?][] = [
    ['SEARCH/REPLACE', [{ role: 'system', content: 'ONLY EVER RETURN CODE IN A *SEARCH/REPLACE BLOCK*!' }, { role: 'user', content: 'f should add one' }], change],
    ['fill in the middle', '<|fim_prefix|>def f(x):\n    <|fim_suffix|>\n<|fim_middle|>', 'return x'],
    ['apply', [{ role: 'user', content: 'def f(): ...\n\nPlease apply it to the previous code. Leave existing comments in place' }], code],
    ['a tool\'s result', [{ role: 'user', content: 'Write f' }, { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] }, { role: 'tool', tool_call_id: 'a', content: 'def f(): ...' }], code],
    ['a title', '### Task:\nGenerate a concise, 3-5 word title for: Write a function', code],
    ['few tokens', 'Name this chat', 'Sorting Lists', { max_tokens: 20 }]
  ]
  for (const [what, messages, reply, more] of asked) {
    const { text, calls } = await talk(part({ answer: [reply] }), messages, more)
    t.equal(text, reply, what)
    t.equal(calls.length, 1, what)
    t.equal(stepOf(calls[0]!), 'answer', what)
    t.strictSame(calls[0]?.body.messages, typeof messages === 'string' ? [{ role: 'user', content: messages }] : messages.map(each => ({ ...each, content: each.content ?? '' })), `${what}: nothing of ours is added`)
  }
})

void t.test('formatting asks no model', { timeout: 120_000 }, async t => {
  const { talk } = await started
  const { text, calls } = await talk(part({}), `Format this code:\n${fence('import os\ndef f( a,b ):\n  return a+b')}`)
  t.match(text, /import os\n\n\ndef f\(a, b\):\n {4}return a \+ b/, 'an import that is not used is kept')
  t.match(text, /### Verification\nunverified: it was formatted and checked, not run/)
  t.equal(calls.length, 0)
})
