import t from 'tap'
import type { CheckReport, Files } from '../../../agents/types.js'
import { python } from '../../support/python.js'
import { longestBlock } from './support.js'

const { sandbox } = python(t)
const { signal } = new AbortController()

const check = (files: Files, wallMs = 20_000) => sandbox.check({ language: 'python', files }, { signal, limits: { wallMs, cpuMs: wallMs } })
const checkOne = (text: string) => check({ 'main.py': text })
const format = async (text: string, fix?: boolean, file = 'main.py') => (await sandbox.format({ language: 'python', files: { [file]: text }, ...(fix !== undefined && { fix }) }, { signal }))[file]
const errors = ({ diagnostics }: CheckReport) => diagnostics.filter(({ severity }) => severity === 'error').map(({ line, code, source }) => `${line} ${source} ${code}`)

void t.test('code without errors has no diagnostics', async t => {
  t.same(await checkOne('def add(a: int, b: int) -> int:\n    return a + b\n\n\nprint(add(1, 2))\n'), { diagnostics: [], missing: [], unchecked: [] })
})

void t.test('each diagnostic has its source and its position', async t => {
  t.match(await checkOne('def f(:\n    pass\n'), { diagnostics: [{ file: 'main.py', line: 1, column: 7, severity: 'error', source: 'syntax', code: 'invalid-syntax' }] })
  t.match(await checkOne('x = 1\nprint(y)\n'), { diagnostics: [{ file: 'main.py', line: 2, column: 7, severity: 'error', source: 'lint', code: 'F821', message: /Undefined name `y`/ }] })
  t.match(await checkOne('def add(a: int, b: int) -> int:\n    return a + b\n\nadd(1)\n'), { diagnostics: [{ line: 4, column: 1, severity: 'error', source: 'types', code: 'reportCallIssue' }] })
  t.match(await checkOne('import os\n'), { diagnostics: [{ line: 1, column: 8, severity: 'warning', source: 'lint', code: 'F401' }] })
})

void t.test('an error that both tools find is reported once', async t => {
  t.same(errors(await checkOne('print(nope)\n')), ['1 lint F821'])
  t.same(errors(await checkOne('return 1\n')), ['1 lint F706'])
  t.same(errors(await checkOne('x = (1,\n')), ['2 syntax invalid-syntax'])
})

void t.test('mistakes in types that fail when run are errors', async t => {
  for (const [text, code] of [
    ['def f(a: int) -> int:\n    return a\n\nf("x")\n', '4 types reportArgumentType'],
    ['def f() -> int:\n    return "x"\n', '2 types reportReturnType'],
    ['x: int = "a"\n', '1 types reportAssignmentType'],
    ['x = "a" + 1\n', '1 types reportOperatorIssue'],
    ['x = 5\nx.append(1)\n', '2 types reportAttributeAccessIssue'],
    ['"a".to_upper()\n', '1 types reportAttributeAccessIssue'],
    ['import math\nmath.squareroot(4)\n', '2 types reportAttributeAccessIssue'],
    ['def f(a): ...\nf(1, b=2)\n', '2 types reportCallIssue']
  ] as const) t.same(errors(await checkOne(text)), [code], text)
})

void t.test('code that works as meant has no errors', async t => {
  const texts = [
    'def f(x: int = None):\n    return x or 1\n',
    'import re\n\ndef f(s: str) -> str:\n    return re.match("a", s).group()\n',
    'def f(xs: list) -> int:\n    for x in xs:\n        return x\n',
    'from typing import Optional\n\nclass Node:\n    def __init__(self, value, next: "Optional[Node]" = None):\n        self.value = value\n        self.next = next\n\ndef last(node: Node):\n    while node.next:\n        node = node.next\n    return node.value\n',
    'from dataclasses import dataclass, field\n\n@dataclass\nclass A:\n    tags: list[str] = field(default_factory=list)\n\nprint(A().tags[0].upper())\n',
    'import json\n\ndata = json.loads("{}")\nprint(data["a"]["b"].c)\n',
    'def f(x: float) -> float:\n    return x\n\nprint(f(1))\n',
    'class A:\n    def run(self, a): return a\n\nclass B(A):\n    def run(self, a, b): return a + b\n',
    'import unittest\n\nclass T(unittest.TestCase):\n    def setUp(self):\n        self.x = 1\n\n    def test_x(self):\n        self.assertEqual(self.x, 1)\n\nif __name__ == "__main__":\n    unittest.main()\n',
    'match [1, 2]:\n    case [a, *rest]:\n        print(a, rest)\n',
    'x = {}\nx["a"] = 1\nx["b"] = "2"\n',
    'lines = [line.strip() for line in open("f")]\nprint(lines)\n'
  ]
  for (const text of texts) t.same(errors(await checkOne(text)), [], text)
})

void t.test('pytest is known, and so are the files of the job', async t => {
  const report = await check({
    'shop/__init__.py': 'from .cart import Cart\n', 'shop/cart.py': 'class Cart:\n    def add(self, price: float) -> None: ...\n',
    'src/lib_a.py': 'def one() -> int: return 1\n',
    'tests/test_cart.py': `import pytest
from shop import Cart
from lib_a import one

@pytest.fixture(scope="module", params=[1, 2])
def cart(request): return Cart()

@pytest.mark.parametrize("a, b", [(1, 2), pytest.param(3, 4, id="x")])
def test_add(cart: Cart, a: int, b: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    cart.add(a)
    cart.remove(b)
    with pytest.raises(ValueError, match="x") as info:
        raise ValueError("x")
    assert str(info.value) == "x" and one() == pytest.approx(1) and capsys.readouterr().out == ""
`
  })
  t.same(errors(report), ['11 types reportAttributeAccessIssue'])
  t.same(report.missing, [])
})

void t.test('a missing package is no error', async t => {
  const report = await checkOne('import numpy as np\nimport requests\nfrom fastapi import FastAPI\n\napp = FastAPI()\nprint(np.zeros(3), requests.get("x").json())\n')
  t.same(errors(report), [])
  t.same(report.missing.sort(), ['fastapi', 'numpy', 'requests'])
})

void t.test('an unknown module is an error', async t => {
  const report = await check({ 'stack.py': 'class Stack: ...\n', 'main.py': 'from stacks import Stack\nprint(Stack)\n' })
  t.same(errors(report), ['1 types reportMissingImports'])
  t.same(report.missing, [])
})

void t.test('the type checker reads nothing outside of the job', async t => {
  const report = await check({
    'a.py': 'from .......etc import passwd\nfrom ..other import x\nimport js\n', 'pyrightconfig.json': '{"extraPaths": ["/"]}', 'pyproject.toml': '[tool.pyright]\nextraPaths = ["/"]\n',
    'b.py': 'import etc.passwd\nimport tmp\nimport usr.lib.python3\n'
  })
  const said = JSON.stringify(report)
  t.notMatch(said, /unknown import symbol/) // which it would say of a folder that it sees
  t.ok(report.diagnostics.filter(({ code }) => code === 'reportMissingImports').length >= 4, said)
})

void t.test('a check knows nothing of an earlier one', async t => {
  await check({ 'shared.py': 'secret = 1\n', 'main.py': 'from shared import secret\nprint(secret)\n' })
  t.match(await check({ 'main.py': 'from shared import secret\nprint(secret)\n' }), { diagnostics: [{ code: 'reportMissingImports' }] })
  t.match(await check({ 'shared.py': 'other = "x"\n', 'main.py': 'from shared import secret\nprint(secret)\n' }), { diagnostics: [{ code: 'reportAttributeAccessIssue' }] })
})

void t.test('checks at once do not mix', async t => {
  const reports = await Promise.all(Array.from({ length: 6 }, (_, index) => checkOne(`print(name_${index})\n`)))
  t.same(reports.map(({ diagnostics }) => diagnostics.map(({ message }) => message)), reports.map((_, index) => [`Undefined name \`name_${index}\``]))
})

void t.test('hostile files do not block the checks after them', async t => {
  const hostile = {
    'parentheses without end': '('.repeat(20_000),
    'a file of a megabyte': `${'x = 1\n'.repeat(200_000)}`,
    'a deep expression': `x = ${'-'.repeat(50_000)}1\n`,
    'a deep block': Array.from({ length: 120 }, (_, depth) => `${' '.repeat(depth)}if True:`).join('\n'),
    'types that double': `${Array.from({ length: 28 }, (_, index) => `def f${index}(x): return (f${index + 1}(x), f${index + 1}(x))`).join('\n')}\ndef f28(x): return x\nreveal_type(f0(1))\n`,
    'a NUL': 'x = "\0"\n\0\n',
    'half a character': 'x = "\ud800"\n'
  }
  const maySayNothing = new Set(['half a character', 'types that double'])
  const blocked = await longestBlock(async () => {
    for (const [what, text] of Object.entries(hostile)) {
      const report = await check({ 'main.py': text }, 3000)
      t.ok(report.diagnostics.length > 0 || report.unchecked.length > 0 || maySayNothing.has(what), what)
      t.type(await format(text), 'string', what)
    }
  })
  t.comment(`the longest block: ${Math.round(blocked)} ms of CPU time`)
  t.same(errors(await checkOne('print(nope)\n')), ['1 lint F821'])
  t.equal(await format('x  =  1\n'), 'x = 1\n')
})

void t.test('formatting applies safe fixes unless told not to', async t => {
  t.equal(await format("import sys\nimport json,os\ndef f( a,b ):\n  return json.dumps( a ), f'x'\n"), 'import json\n\n\ndef f(a, b):\n    return json.dumps(a), "x"\n')
  t.equal(await format('import os\nx=1\n', false), 'import os\n\nx = 1\n')
  t.equal(await format('from b import y\nimport a\nimport os\nprint(a, os, y)\n'), 'import os\n\nimport a\nfrom b import y\n\nprint(a, os, y)\n')
  t.equal(await format('from .a import x\n', true, 'pkg/__init__.py'), 'from .a import x\n')
})

void t.test('files that do not parse and files that are no Python are not formatted', async t => {
  t.equal(await format('def f(:\n  x  =  1\n'), 'def f(:\n  x  =  1\n')
  t.equal(await format('{ "a" :1 }', true, 'data.json'), '{ "a" :1 }')
})

void t.test('formatting a second time changes nothing', async t => {
  const once = await format('import os, sys, re\nfrom typing import *\nx = { "ä😀": [ 1,2 , ] }\ndef f(a = (1 ,)):\n\n\n\n  if not a is None: return sys . argv\n')
  t.equal(await format(once ?? ''), once)
  t.match(once, /sys\.argv/)
})

void t.test('files that are no Python are not checked', async t => {
  t.same(await check({ 'README.md': '# x\n' }), { diagnostics: [], missing: [], unchecked: [] })
})
