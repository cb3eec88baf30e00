import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { readProgram } from '../../../agents/svc-code/replies.js'
import { LoopWatch } from '../../../agents/svc-code/replies/loop.js'
import type { Language } from '../../../agents/types.js'

interface Shapes { python: string, typescript: string, replies: { shape: string, language: Language, entry: string, holds: string, text: string }[] }

const shapes = JSON.parse(readFileSync(new URL('../../fixtures/reply-shapes.json', import.meta.url), 'utf8')) as Shapes
const bare = (source: string) => source.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|"""[\s\S]*?"""|^# .*$/gm, '').replace(/\s+/g, '')
const said = (text: string, more: Partial<{ finish: 'stop' | 'length', loops: boolean }> = {}) => ({ text, finish: 'stop' as const, loops: false, ...more })

void t.test('a program is found in every wrapping that small models send', async t => {
  for (const { shape, language, entry, holds, text } of shapes.replies.filter(({ holds }) => holds === 'code')) {
    const reading = readProgram(said(text, { loops: shape.startsWith('loop') }), { language, entry })
    t.equal(reading.type, holds, `${shape}, ${language}`)
    if (reading.type === 'code') t.equal(bare(reading.source), bare(shapes[language]), `${shape}, ${language}: the program itself`)
  }
})

void t.test('a reply without a program says what it is instead', async t => {
  for (const { shape, language, entry, holds, text } of shapes.replies.filter(({ holds }) => holds !== 'code')) {
    t.equal(readProgram(said(text), { language, entry }).type, holds, `${shape}, ${language}`)
  }
})

void t.test('a program that was cut off is no program', async t => {
  const cut = shapes.python.slice(0, shapes.python.indexOf('result.append'))
  t.equal(readProgram(said(`\`\`\`python\n${cut}number = (`, { finish: 'length' }), { language: 'python', entry: 'running_max' }).type, 'truncated')
  t.equal(readProgram(said(`\`\`\`python\n${shapes.python}\n\`\`\`\nThis wor`, { finish: 'length' }), { language: 'python', entry: 'running_max' }).type, 'code', 'the program is whole, only the words after it are cut')
})

void t.test('the sentence on the approach is kept, pleasantries are not', async t => {
  const reading = readProgram(said('Sure! Keep the largest number so far and append it.\n\n```python\ndef f(x):\n    return x\n```'), { language: 'python', entry: 'f' })
  t.match(reading, { type: 'code', approach: 'Keep the largest number so far and append it.' })
})

void t.test('a file of a project is the block under its path', async t => {
  const text = '### app/a.py\n```python\ndef a():\n    return 1\n```\n### app/b.py\n```python\ndef b():\n    return 2\n```'
  t.match(readProgram(said(text), { language: 'python', entry: undefined, path: 'app/a.py' }), { type: 'code', source: 'def a():\n    return 1' })
})

void t.test('any text is read without a throw, and quickly', async t => {
  const piece = fc.oneof(fc.string(), fc.constantFrom('```', '```python\n', '~~~', '<think>', '</think>', '\n', 'def f(x):\n', '    return 1\n', '{"content": "', '>>> ', '"""', '...', '\u0000', '// ... rest', '(', ')', '}', '`', 'class A:', '<|im_start|>user'))
  fc.assert(fc.property(fc.array(piece, { maxLength: 60 }), fc.constantFrom<Language>('python', 'typescript'), (parts, language) => {
    const first = readProgram(said(parts.join('')), { language, entry: 'f' })
    return JSON.stringify(first) === JSON.stringify(readProgram(said(parts.join('')), { language, entry: 'f' }))
  }), { numRuns: 500, seed: 7 })
  for (const unit of ['a', '(', '`', '```\n', ' ', '\n', '"', "'", '# x\n', 'def f(', '<think>', '>>> f(1)\n', '// ', '{"content":', '/*', 'x = ', '[[', '@a\n', 'a\n\n']) {
    for (const language of ['python', 'typescript'] as const) {
      const since = performance.now()
      readProgram(said(unit.repeat(200_000 / unit.length)), { language, entry: 'f' })
      t.ok(performance.now() - since < 2000, `200 kB of ${JSON.stringify(unit)}, ${language}: ${Math.round(performance.now() - since)} ms`)
    }
  }
})

void t.test('a stream that repeats itself is noticed, and tables are not', async t => {
  const notices = (text: string) => {
    const watch = new LoopWatch()
    for (let at = 0; at < text.length; at += 7) if (watch.push(text.slice(at, at + 7))) return at
    return null
  }
  t.not(notices(`${shapes.python}\n${'I hope this helps you.\n'.repeat(60)}`), null)
  t.not(notices('\n\nprint(x)'.repeat(90)), null)
  t.not(notices('the the the '.repeat(300)), null)
  t.equal(notices(shapes.replies.filter(({ shape }) => !shape.startsWith('loop')).map(({ text }) => text).join('\n')), null)
  t.equal(notices(Array.from({ length: 200 }, (_, i) => `assert f(${i}) == ${i * i}\n`).join('')), null)
  t.equal(notices(`board = [\n${'    [0, 0, 0, 0, 0, 0, 0, 0, 0],\n'.repeat(9)}]`), null)
  t.equal(notices('-'.repeat(200)), null)
})
