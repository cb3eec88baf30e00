import t from 'tap'
import { PROFILES } from '../../../agents/svc-code/languages/index.js'
import { type ParsedReply, type Hints, mayBeProgram, parseReply } from '../../../agents/svc-code/reply/parse-reply.js'
import { Cleaner, clean } from '../../../agents/svc-code/reply/clean.js'
import { isPath, partsOf, pathLine } from '../../../agents/svc-code/reply/fences.js'
import { isElided } from '../../../agents/svc-code/reply/gaps.js'
import { Outlet } from '../../../agents/svc-code/reply/outlet.js'

const fence = (code: string, tag = 'python') => `\`\`\`${tag}\n${code}\n\`\`\``
const DEF = 'def add(a, b):\n    return a + b'

const hints = (text = '', known: string[] = []): Hints => ({ profiles: PROFILES, mentions: name => text.split(/\W+/).includes(name), isKnown: name => known.includes(name) })
const read = (text: string, asked = '', known: string[] = []): ParsedReply => parseReply({ ...clean(text), finish: 'stop', loops: false }, hints(asked, known))
const filesOf = (came: ParsedReply) => came.type === 'programs' ? came.draft.files.map(({ path, source }) => ({ path, source })) : came.type

void t.test('the parts of a reply, one after the other, are the reply', async t => {
  const replies = [
    '', 'only text', `Text\n\n### src/a.py\n\n${fence(DEF)}\nmore\n`, `1. First:\n\n   ${fence(DEF).replaceAll('\n', '\n   ')}\n\n2. Done.`, `${fence(DEF)}\n${fence('x', 'ts')}`,
    '```python\nnever closed', '````markdown\n```sh\nls\n```\n````\n', '~~~py\nx = 1\n~~~', '**main.py**\n\nno fence after it', '```python x = 1\n```', 'a ``` b ``` c'
  ]
  for (const reply of replies) t.equal(partsOf(reply).map(({ raw }) => raw).join(''), reply)
})

void t.test('a fence knows its path from the line before, its own first line, or the line inside', async t => {
  const cases: [string, string | undefined][] = [
    [`### src/a.py\n${fence(DEF)}`, 'src/a.py'], [`**a.py**\n\n${fence(DEF)}`, 'a.py'], [`File: \`a.py\`\n${fence(DEF)}`, 'a.py'], [`a.py:\n${fence(DEF)}`, 'a.py'],
    [fence(DEF, 'python:src/a.py'), 'src/a.py'], [fence(DEF, 'py title="a.py"'), 'a.py'], [fence(`# a.py\n${DEF}`), 'a.py'], [fence('// src/a.ts\nexport const a = 1', 'ts'), 'src/a.ts'],
    [`Here is a \`a.py\` for you:\n${fence(DEF)}`, undefined], [`## Node.js\n${fence('let a = 1', 'js')}`, undefined], [fence(`#!/usr/bin/env python3\n${DEF}`), undefined]
  ]
  for (const [reply, path] of cases) t.equal(partsOf(reply).find(part => part.type === 'fence')?.path, path, JSON.stringify(reply))
  t.equal(pathLine('e.g. this'), undefined)
  t.ok(isPath('Dockerfile'))
  t.notOk(isPath('Node.js'))
})

void t.test('marks and reasoning around a reply are removed while it is being written, however it is cut into pieces', async t => {
  const cases: [string, string][] = [
    ['<think>\nhm\n</think>\n\nHello', 'Hello'], ['[THINK]x[/THINK]Hi', 'Hi'], ['Hello<|im_end|>\n<|im_start|>user\nmore', 'Hello'], ['a\r\nb', 'a\nb'], ['\u001b[1mbold\u001b[0m', 'bold'],
    ['Okay, I think.\n</think>\n\nHello', 'Hello'], ['[INST] Hi [/INST]', 'Hi'], ['<s>Hi</s>', 'Hi'], ['about `</think>` tags', 'about `</think>` tags'], ['a <b>x</b> c', 'a <b>x</b> c'],
    ['<think>never ends\n```python\nx = 1\n```', '```python\nx = 1\n```']
  ]
  for (const [reply, wanted] of cases) {
    t.equal(clean(reply).text.trimEnd(), wanted)
    const cleaner = new Cleaner()
    for (const char of reply) cleaner.push(char)
    cleaner.end()
    t.equal(cleaner.whole().text.trimEnd(), wanted, `letter by letter: ${JSON.stringify(reply)}`)
  }
  t.same(clean('<think>hm'), { text: '', onlyThought: true })
  t.same(clean(''), { text: '', onlyThought: false })
})

void t.test('a reply is words, programs or unusable; in doubt a fence is a snippet', async t => {
  t.same(read('A poem about a cat.'), { type: 'words', foreign: undefined })
  t.same(read(fence('SELECT 1\nFROM x', 'sql')), { type: 'words', foreign: 'SQL' })
  t.same(read(`${fence('package main\nfunc main() {}', 'go')}\nGo.`), { type: 'words', foreign: 'Go' })
  t.same(read(fence('services:\n  db:\n    image: x', 'yaml')), { type: 'words', foreign: undefined })
  t.same(read(''), { type: 'lost', why: 'empty' })
  t.same(read('<think>hm'), { type: 'lost', why: 'only thought' })
  t.same(filesOf(read(`Sure:\n${fence(DEF)}`)), [{ path: undefined, source: DEF }], 'most of the reply')
  t.same(filesOf(read(`${'Long words about it. '.repeat(20)}\n${fence(DEF)}`, 'write add')), [{ path: undefined, source: DEF }], 'it defines what the user speaks of')
  t.equal(filesOf(read(`${'Long words about it. '.repeat(20)}\n${fence('print(1)')}`)), 'words', 'a line to show something')
  t.equal(filesOf(read(fence('print(add(1, 2))'), '', ['add'])), 'words', 'how to call what is there')
  t.equal(filesOf(read(`Use a parameter:\n${fence('const rows = await db.query("x", [req.params.id])', 'js')}\n${'And answer with 404. '.repeat(10)}`)), 'words')
  t.equal(filesOf(read(fence('x = 1'.padEnd(300_000, 'x')))), 'words', 'a program over 256 KB is none')
})

void t.test('several fences are one program, a project, or attempts of which the last counts', async t => {
  t.same(filesOf(read(`First the imports:\n${fence('import math')}\nThen:\n${fence('def area(r):\n    return math.pi * r')}`, 'write area')), [{ path: undefined, source: 'import math\n\n\ndef area(r):\n    return math.pi * r' }])
  t.same(filesOf(read(`First attempt:\n${fence('def add(a, b):\n    return None')}\nCorrected:\n${fence(DEF)}`, 'add')), [{ path: undefined, source: DEF }])
  t.same(filesOf(read(`### a.py\n${fence('A = 1')}\n### b.py\n${fence('from a import A')}`)), [{ path: 'a.py', source: 'A = 1' }, { path: 'b.py', source: 'from a import A' }])
  t.same(filesOf(read(`${fence(DEF)}\nUse it:\n${fence('print(add(1, undefined_name))')}`, 'add')), [{ path: undefined, source: DEF }])
  t.same(filesOf(read(fence(DEF, 'javascript'), 'add')), [{ path: undefined, source: DEF }], 'a wrong tag')
})

void t.test('code without a fence, in a tool call, in tags', async t => {
  const wanted = [{ path: undefined, source: DEF }]
  t.same(filesOf(read(DEF)), wanted)
  t.same(filesOf(read(`Here it is:\n\n${DEF}\n\nThis function adds two numbers.`)), wanted)
  t.same(filesOf(read(`[PYTHON]\n${DEF}\n[/PYTHON]`)), wanted)
  t.same(filesOf(read(JSON.stringify({ name: 'write_file', arguments: { path: 'add.py', content: DEF } }))), [{ path: 'add.py', source: DEF }])
  t.same(filesOf(read(`<write_to_file>\n<path>add.py</path>\n<content>\n${DEF}\n</content>\n</write_to_file>`)), [{ path: 'add.py', source: DEF }])
  t.equal(filesOf(read('import duties are high this year, they say.')), 'words')
  t.equal(filesOf(read(`${fence('import "fmt"\nfunc main() {}', 'go')}\nText.`)), 'words', 'not inside a fence of another language')
})

void t.test('a reply that broke off in its program is lost; parts left out are seen', async t => {
  const looping = (text: string) => parseReply({ ...clean(text), finish: 'stop', loops: true }, hints('add'))
  const whole = `Here it is.\n\n\`\`\`python\n${DEF}\n`
  t.same(filesOf(looping(`${whole}${'\n\nprint(add(1, 2))'.repeat(90)}\n\nprint(ad`)), [{ path: undefined, source: `${DEF}\n\n\nprint(add(1, 2))` }], 'the program before the loop')
  t.same(filesOf(looping(`${whole}\`\`\`\n\n${'I hope this helps.\n'.repeat(60)}I ho`)), [{ path: undefined, source: DEF }])
  t.same(looping(`\`\`\`python\nDATA = [${'0, '.repeat(900)}`), { type: 'lost', why: 'loop' })
  t.same(parseReply({ ...clean('```python\ndef add(a, b):\n    return (a +'), finish: 'length', loops: false }, hints('add')), { type: 'lost', why: 'cut' })
  for (const line of ['# ... rest of the code stays the same', '// ... existing code ...', '# unchanged', '// rest of the file unchanged', '# ...', '# Rest bleibt unverändert']) t.ok(isElided(`x = 1\n${line}\n`), line)
  for (const line of ['# the remaining items are sorted', '# same length as before the call?', '# TODO', '// returns the rest']) t.notOk(isElided(`x = 1\n${line}\n`), line)
})

void t.test('text is sent from its first token; a part that may be a program is held back', async t => {
  const pass = (reply: string, size: number) => {
    const outlet = new Outlet({ profiles: PROFILES, mayBeProgram: seen => mayBeProgram(seen, hints()) })
    for (let at = 0; at < reply.length; at += size) outlet.push(reply.slice(at, at + size))
    return { sent: outlet.sent, rest: outlet.end() }
  }
  for (const size of [1, 3, 1000]) {
    for (const reply of [`Sure, here:\n\n${fence(DEF)}\n\nDone.`, `Text\n\n### src/a.py\n${fence(DEF)}`, `${fence('SELECT 1', 'sql')}\nMore.`, 'Just words.\n\n- and\n- bullets\n', `${fence('fun main() {\n    println(1)\n}', '')}\n\nKotlin.`]) {
      const { sent, rest } = pass(reply, size)
      t.equal(sent + rest, reply, 'nothing is lost, and all is in order')
    }
    t.equal(pass(`Sure, here:\n\n${fence(DEF)}\n\nDone.`, size).sent, 'Sure, here:\n\n')
    t.equal(pass(`Text\n\n### src/a.py\n${fence(DEF)}`, size).sent, 'Text\n\n', 'the path line is a part of the program')
    t.equal(pass(`${fence('SELECT 1', 'sql')}\nMore.`, size).rest, '', 'a fence of another language is not held')
    t.match(pass(`${fence('fun main() {\n    println(1)\n}', '')}\n\nKotlin.`, size).sent, /Kotlin/, 'what is ruled out goes out')
    t.equal(pass(`${DEF}\n\nThat is it.`, size).sent, '', 'bare code is held')
  }
  const outlet = new Outlet({ profiles: PROFILES, mayBeProgram: () => true })
  t.equal(outlet.push('The').text, 'The', 'a sentence is not waited for')
})
