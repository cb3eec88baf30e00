import t from 'tap'
import { PROFILES } from '../../../agents/svc-code/languages/index.js'
import { codeOf, isOpen } from '../../../agents/svc-code/languages/code.js'
import { NAMES, requestedLanguage } from '../../../agents/svc-code/languages/requested-language.js'
import { FRAMEWORKS } from '../../../agents/svc-code/languages/words.js'
import { readConversation } from '../../../agents/svc-code/conversation.js'

const [PYTHON, TYPESCRIPT] = PROFILES as [typeof PROFILES[number], typeof PROFILES[number]]

void t.test('code is the source without what texts and comments say, place by place', async t => {
  const python = { comment: '#', blockComments: false, triple: true, templates: false }
  const script = { comment: '//', blockComments: true, triple: false, templates: true }
  const cases: [string, object, string][] = [
    ['a = "x # y" # c', python, 'a = "     "    '], ['"""doc\nmore"""\nx', python, `"${' '.repeat(12)}"\nx`], ["s = 'it\\'s'", python, "s = '     '"],
    ['a /* { */ + 1 // }', script, 'a         + 1     '], ['`a${b}c`', script, '"   b" "'], ['x = /[{/]/.test(y)', script, 'x = /    /.test(y)'], ['a / b / c', script, 'a / b / c']
  ]
  for (const [source, syntax, code] of cases) {
    t.equal(codeOf(source, syntax as typeof python).length, source.length, source)
    t.equal(codeOf(source, syntax as typeof python).replace(/["'/]/g, '"'), code.replace(/["'/]/g, '"'), source)
  }
  t.ok(isOpen('f(a,', python))
  t.ok(isOpen('"""x', python))
  t.notOk(isOpen('f(")")', python))
})

void t.test('a program is its statements', async t => {
  const python = 'import os\n\nX = 1\n\n@cache\ndef f(a,\n      b):\n    """Doc\nat the margin."""\n    return (a +\nb)\n\nclass A:\n    pass\n\nif __name__ == "__main__":\n    f(1, 2)\nelse:\n    pass\nprint(f)'
  t.same(PYTHON.statements(python).map(({ kind, names }) => [kind, ...names]), [['import'], ['binding', 'X'], ['definition', 'f'], ['definition', 'A'], ['run'], ['run']])
  t.equal(PYTHON.statements(python).map(({ text }) => text).join('\n'), python, 'no line is lost')
  const script = "import a from 'a'\n\nconst x = 1\n// about f\nexport function f<T>(a: T) {\n  return a\n}\n\nexport const g = async (a: number) =>\n  a + 1\n\n@Injectable()\nclass A {}\ntype B = { a: 1 }\napp.get('/x', (r) => {\n  r.send()\n})\n  .then(1)\n"
  t.same(TYPESCRIPT.statements(script).map(({ kind, names }) => [kind, ...names]).filter(([kind]) => kind !== 'comment'), [['import'], ['binding', 'x'], ['definition', 'f'], ['definition', 'g'], ['definition', 'A'], ['definition', 'B'], ['run']])
  t.equal(TYPESCRIPT.statements(script).map(({ text }) => text).join('\n'), script)
})

void t.test('stubs, programs that break off, parameters, imports', async t => {
  for (const [profile, stub, whole] of [
    [PYTHON, 'def f(a):\n    """Doc."""\n    pass', 'def f(a):\n    return a'], [PYTHON, 'def f(a: dict[str, int]) -> int:\n    raise NotImplementedError("x")', 'def f(a):\n    pass\n    return 2'],
    [TYPESCRIPT, 'export function f(a: string): string', 'export function f(a: string): string { return a }'], [TYPESCRIPT, 'export const f = (a: any): any => {\n  // TODO\n  throw new Error("Not implemented");\n};', 'const f = (a) => a + 1']
  ] as const) {
    t.ok(profile.isStub(stub, 'f'), stub)
    t.notOk(profile.isStub(whole, 'f'), whole)
  }
  t.ok(PYTHON.isUnfinished('def f(a):'))
  t.ok(TYPESCRIPT.isUnfinished('const a = [1,'))
  t.notOk(PYTHON.isUnfinished('def f(a):\n    return 1'))
  t.same(PYTHON.parametersOf('async def f(a: int = 1, *, b, **rest):\n    pass', 'f'), ['a', 'b', 'rest'])
  t.same(TYPESCRIPT.parametersOf('export const f = (a: number, { b }: X): void => {}', 'f'), ['a', 'b'])
  t.equal(PYTHON.parametersOf('class A(B): pass', 'A'), undefined)
  t.same(PYTHON.importsOf('import os, numpy as np\nfrom a.b import c\n"""import no"""'), ['os', 'numpy', 'a.b'])
  t.same(TYPESCRIPT.importsOf("import a from 'x'\nconst b = require('y')\nexport * from './z'\n// import n from 'no'"), ['x', 'y', './z'])
})

void t.test('the nature of a program is recognised, and a loadable copy leaves out what would never end', async t => {
  const natures: [typeof PYTHON, string, string][] = [
    [PYTHON, 'def f(a):\n    return a\n\nprint(f(1))', 'definitions'], [PYTHON, 'def f(a):\n    return a\n\nif __name__ == "__main__":\n    print(f(1))', 'definitions'],
    [PYTHON, 'import sys\nfor line in sys.stdin:\n    print(line)', 'script'], [PYTHON, 'total = 0\nfor i in range(3):\n    total += i\nprint(total)', 'script'],
    [PYTHON, 'from flask import Flask\napp = Flask(__name__)\napp.run()', 'server'], [PYTHON, 'import pygame\nwhile True:\n    pass', 'window'],
    [TYPESCRIPT, 'export const f = (a: number) => a', 'definitions'], [TYPESCRIPT, "import express from 'express'\nconst app = express()\napp.listen(3000)", 'server'],
    [TYPESCRIPT, 'console.log(1 + 1)', 'script'], [TYPESCRIPT, "import { useState } from 'react'\nexport function A() {}", 'component'], [TYPESCRIPT, 'const [, , a] = process.argv\nfunction f() {}\nconsole.log(f(a))', 'script']
  ]
  for (const [profile, source, nature] of natures) t.equal(profile.natureOf(source, ''), nature, source)
  const server = "import express from 'express'\nconst app = express()\napp.get('/x', () => {})\napp.listen(3000, () => {\n  console.log(1)\n})\nexport const y = 1"
  t.equal(TYPESCRIPT.loadable(server).split('\n').length, server.split('\n').length, 'the lines stay where they are')
  t.match(TYPESCRIPT.loadable(server), /app\.get[^]*export const y/)
  t.notMatch(TYPESCRIPT.loadable(server), /listen/)
  t.match(TYPESCRIPT.leftOut(server)[0], /app\.listen/)
  t.notMatch(PYTHON.loadable('x = 1\nwhile True:\n    x += 1\nif __name__ == "__main__":\n    input()\n'), /while|input/)
  t.equal(PYTHON.bare('def f():\n    pass\nassert f() == 1\nprint(f())').trim(), 'def f():\n    pass')
})

void t.test('mends only add lines', async t => {
  t.match(TYPESCRIPT.mend('function f(a: number) {\n  return a\n}', { entry: 'f' }), /^export function f\(/)
  t.match(PYTHON.mend('def other(a):\n    return a', { entry: 'wanted' }), /def other[^]*\nwanted = other\n$/)
  t.match(PYTHON.mend('def f(a):\n    return helper(a)', { entry: 'f', prelude: 'def helper(a):\n    return a' }), /^def helper[^]*def f/)
  t.equal(PYTHON.withImports('"""Doc."""\nfrom __future__ import annotations\nx = math.pi', ['math', 'unknown']), '"""Doc."""\nfrom __future__ import annotations\nimport math\nx = math.pi')
  t.match(TYPESCRIPT.withImports('fs.readFileSync(a)', ['fs']), /^import \* as fs from 'node:fs'/)
  t.equal(PYTHON.splice('import os\n\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n', 'def f():\n    return 10\n\ndef h():\n    return 3'), 'import os\n\ndef f():\n    return 10\n\n\ndef g():\n    return 2\n\n\n\ndef h():\n    return 3')
})

void t.test('tests are known, written, and always import what they test', async t => {
  t.ok(PYTHON.isTestFile(undefined, 'import pytest\n\ndef test_a():\n    pass'))
  t.ok(TYPESCRIPT.isTestFile('a.test.ts', ''))
  t.notOk(PYTHON.isTestFile('main.py', 'import unittest'))
  t.match(PYTHON.importing('def test_a():\n    assert add(1, 2) == 3', 'add.py', ['add']), /^from add import add\n/)
  t.match(TYPESCRIPT.importing("test('a', () => { add(1) })", 'src/add.ts', ['add']), /^import \{ add \} from '.\/add.ts'\n/)
  t.equal(PYTHON.importing('from add import add\n\ndef test_a():\n    add()', 'add.py', ['add']).match(/import/g)?.length, 1)
  t.match(PYTHON.suite('a.py', ['f'], [{ title: 'examples', cases: [{ expression: 'f(1)', wanted: { type: 'raises', name: 'ValueError' } }, { expression: 'f(2)', wanted: { type: 'value', source: '2' } }] }])?.source, /import pytest[^]*from a import f[^]*pytest\.raises\(ValueError\)[^]*assert f\(2\) == 2/)
  t.equal(TYPESCRIPT.suite('a.ts', [], []), null)
  t.same(PYTHON.assertionsIn('assert f(1) == 2, "x"\nself.assertEqual(f(2), 3)\nwith pytest.raises(KeyError):\n    f(0)').map(({ expression, wanted }) => [expression, wanted.type]), [['f(1)', 'value'], ['f(2)', 'value'], ['f(0)', 'raises']])
  t.same(TYPESCRIPT.assertionsIn("assert.deepStrictEqual(f(1), { a: 1 });\nexpect(f(2)).toBe(3)\ntest('x', () => { expect(f(3)).toEqual([1]); });\nassert.throws(() => f(0), RangeError);").map(({ expression, wanted }) => [expression, 'source' in wanted ? wanted.source : wanted.type]), [['f(1)', '{ a: 1 }'], ['f(2)', '3'], ['f(3)', '[1]'], ['f(0)', 'raises']])
})

void t.test('names of files never shadow a library', async t => {
  t.equal(PYTHON.fileFor('parseDuration', ''), 'parse_duration.py')
  t.equal(PYTHON.fileFor('numpy', 'import numpy'), 'my_numpy.py')
  t.equal(TYPESCRIPT.fileFor('chunk', ''), 'chunk.ts')
  t.equal(PYTHON.fileFor(undefined, 'from flask import Flask'), 'app.py')
})

void t.test('the requested language is recognised by its name, a framework, a file or a fence, and otherwise left open', async t => {
  const said = (...turns: string[]) => requestedLanguage(readConversation(turns.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })), PROFILES), PROFILES)?.name
  for (const [, , name, example] of NAMES) t.equal(said(example), name, example)
  for (const [, id, example] of FRAMEWORKS) t.equal(said(example), PROFILES.find(profile => profile.id === id)?.name, example)
  const cases: [string, string | undefined][] = [
    ['Write a poem about a cat', undefined], ['a Rust program', undefined], ['Convert this JavaScript to Python:\n```js\nconst a = 1\n```', 'Python'], ['Port this class to TypeScript:\n```python\nclass A: pass\n```', 'TypeScript'],
    ['Should I learn Python or TypeScript first?', undefined], ['a function that reacts to a negative argument', undefined], ['Express a fraction in lowest terms', undefined], ['given angular velocity', undefined],
    ['Refactor utils/date.ts so that it takes a zone', 'TypeScript'], ['no Python please, use TypeScript', 'TypeScript'], ['write me a dockerfile for my python app', 'Python'], ['fix this:\n```python\ndef f(): return x\n```', 'Python'],
    ['why?\nTraceback (most recent call last):\n  File "a", line 1', 'Python'], ['SQL: top 5 customers', undefined]
  ]
  for (const [asked, name] of cases) t.equal(said(asked), name, asked)
})
