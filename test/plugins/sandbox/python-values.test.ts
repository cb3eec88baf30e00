import t from 'tap'
import type { Outcome, Value } from '../../../agents/types.js'
import { python } from '../../support/python.js'

const { evaluate } = python(t)

const int = (value: string | number): Value => ({ type: 'int', value: String(value) })
const str = (value: string): Value => ({ type: 'str', value })
const valueOf = (outcome: Outcome | undefined) => outcome?.type === 'returned' ? outcome.value : outcome

const SOURCE = `
import asyncio, collections, dataclasses, decimal, enum, fractions, datetime, pathlib, typing

@dataclasses.dataclass
class Point:
    x: int
    y: float = 0.5

class Slotted:
    __slots__ = ("a", "b")
    def __init__(self): self.a = 1

class Plain:
    def __init__(self): self.own = [1]

class Odd:
    def __repr__(self): raise ValueError("no")

class Many(list): pass
class Color(enum.Enum): RED = 1
class Level(enum.IntEnum): LOW = 3
Pair = collections.namedtuple("Pair", "a b")
counter = 0

def count():
    global counter
    counter += 1
    return counter

async def later(x):
    await asyncio.sleep(0.001)
    return x

def gen():
    yield 1
    yield "b"

def deep(n):
    x = []
    for _ in range(n): x = [x]
    return x

def endless():
    n = 0
    while True:
        yield n
        n += 1
`

void t.test('values of all kinds are encoded as data', async t => {
  const cases: [string, Value][] = [
    ['None', { type: 'none' }],
    ['True', { type: 'bool', value: true }],
    ['2**70', int('1180591620717411303424')],
    ['-(10**30)', int(`-1${'0'.repeat(30)}`)],
    ['0.1 + 0.2', { type: 'float', value: '0.30000000000000004' }],
    ['float("nan")', { type: 'float', value: 'nan' }],
    ['float("-inf")', { type: 'float', value: '-inf' }],
    ['-0.0', { type: 'float', value: '-0.0' }],
    ['1e400 - 1e400', { type: 'float', value: 'nan' }],
    ['1e22', { type: 'float', value: '1e+22' }],
    ['"ä😀\\n\\x00"', str('ä😀\n\0')],
    ['"\\ud800"', str('\ud800')],
    ['b"\\x00\\xff"', { type: 'bytes', value: '00ff' }],
    ['bytearray(b"a")', { type: 'bytes', value: '61' }],
    ['[1, [2, ()]]', { type: 'list', items: [int(1), { type: 'list', items: [int(2), { type: 'tuple', items: [] }] }] }],
    ['{1, 1}', { type: 'set', items: [int(1)] }],
    ['frozenset([2])', { type: 'frozenset', items: [int(2)] }],
    ['{(1, 2): "a", None: 3.0}', { type: 'dict', entries: [[{ type: 'tuple', items: [int(1), int(2)] }, str('a')], [{ type: 'none' }, { type: 'float', value: '3.0' }]] }],
    ['collections.Counter("aab")', { type: 'dict', entries: [[str('a'), int(2)], [str('b'), int(1)]] }],
    ['collections.defaultdict(list, {1: 2})', { type: 'dict', entries: [[int(1), int(2)]] }],
    ['Many([1])', { type: 'list', items: [int(1)] }],
    ['Pair(1, 2)', { type: 'tuple', items: [int(1), int(2)] }],
    ['Level.LOW', int(3)],
    ['Color.RED', { type: 'object', name: 'Color', entries: [[str('name'), str('RED')], [str('value'), int(1)]], text: '<Color.RED: 1>' }],
    ['Point(1)', { type: 'object', name: 'Point', entries: [[str('x'), int(1)], [str('y'), { type: 'float', value: '0.5' }]], text: 'Point(x=1, y=0.5)' }],
    ['Slotted()', { type: 'object', name: 'Slotted', entries: [[str('a'), int(1)]], text: '<main.Slotted object>' }],
    ['Plain()', { type: 'object', name: 'Plain', entries: [[str('own'), { type: 'list', items: [int(1)] }]], text: '<main.Plain object>' }],
    ['1 + 2j', { type: 'object', name: 'complex', entries: [[str('real'), { type: 'float', value: '1.0' }], [str('imag'), { type: 'float', value: '2.0' }]], text: '(1+2j)' }],
    ['decimal.Decimal("1.10")', { type: 'object', name: 'Decimal', entries: [], text: "Decimal('1.10')" }],
    ['gen()', { type: 'object', name: 'generator', entries: [[int(0), int(1)], [int(1), str('b')]], text: '<generator object gen>' }],
    ['{1: 2}.items()', { type: 'object', name: 'dict_items', entries: [[int(0), { type: 'tuple', items: [int(1), int(2)] }]], text: 'dict_items([(1, 2)])' }],
    ['range(3)', { type: 'object', name: 'range', entries: [], text: 'range(0, 3)' }],
    ['count', { type: 'object', name: 'function', entries: [], text: '<function count>' }],
    ['ValueError("a", 1)', { type: 'object', name: 'ValueError', entries: [[str('args'), { type: 'tuple', items: [str('a'), int(1)] }]], text: "ValueError('a', 1)" }],
    ['later([1])', { type: 'list', items: [int(1)] }],
    ['await later(2) + 1', int(3)]
  ]
  const outcomes = await evaluate(SOURCE, cases.map(([expression]) => expression))
  for (const [index, [expression, value]] of cases.entries()) t.same(valueOf(outcomes[index]), value, expression)
})

void t.test('a value that contains itself has a cycle; a deep or long one is cut', async t => {
  const [cycle, deep, long, wide, big, endless, odd, huge] = await evaluate(SOURCE, [
    { expression: 'x', setup: 'x = [1]\nx.append({"x": x})' }, 'deep(5000)', '"a" * 10_000_000', 'list(range(1_000_000))', '1 << 1_000_000', 'endless()', 'Odd()', '[[0] * 1000] * 1000'
  ])
  t.same(valueOf(cycle), { type: 'list', items: [int(1), { type: 'dict', entries: [[str('x'), { type: 'cycle' }]] }] })
  t.match(JSON.stringify(valueOf(deep)), /"cut"/)
  t.same(valueOf(long), { type: 'cut' })
  t.match(JSON.stringify(valueOf(wide)), /\{"type":"cut"\}\]\}$/)
  t.same(valueOf(big), { type: 'cut' })
  t.match(valueOf(endless), { type: 'object', name: 'generator' })
  t.match(valueOf(odd), { type: 'object', name: 'Odd', entries: [], text: '<Odd instance>' })
  t.match(JSON.stringify(valueOf(huge)), /cut/)
})

void t.test('the same value twice is no cycle', async t => {
  const [twice] = await evaluate('', [{ expression: '[x, x]', setup: 'x = [1]' }])
  t.same(valueOf(twice), { type: 'list', items: [{ type: 'list', items: [int(1)] }, { type: 'list', items: [int(1)] }] })
})

void t.test('an exception has its name, message and place', async t => {
  const outcomes = await evaluate('class Empty(Exception):\n    pass\n\ndef pop():\n    print("popping")\n    raise Empty("nothing there")\n', ['pop()', '1 / 0', 'nope', '1 +', { expression: '1', setup: 'raise KeyError("a")' }, 'exit(3)', '[].x'])
  t.match(outcomes, [
    { type: 'raised', name: 'Empty', message: 'nothing there', frame: { file: 'main.py', line: 6 }, output: 'popping\n' },
    { type: 'raised', name: 'ZeroDivisionError', message: 'division by zero', frame: null },
    { type: 'raised', name: 'NameError' }, { type: 'raised', name: 'SyntaxError' }, { type: 'raised', name: 'KeyError', message: "'a'" },
    { type: 'raised', name: 'SystemExit', message: '3' }, { type: 'raised', name: 'AttributeError' }
  ])
})

void t.test('calls share a loaded file, and each has its own variables', async t => {
  const outcomes = await evaluate(SOURCE, ['count()', 'count()', { expression: 'x', setup: 'x = 5' }, 'x', { expression: 'Point(y).x', setup: 'from math import floor\ny = floor(2.5)\nassert y == 2' }])
  t.same(outcomes.map(outcome => outcome.type === 'returned' ? outcome.value : outcome.type), [int(1), int(2), int(5), 'raised', int(2)])
})

void t.test('if a file does not load, each of its calls says so', async t => {
  const outcomes = await evaluate('def f(:\n', ['f(1)', { expression: '1' }])
  t.match(outcomes[0], { type: 'not run', cause: 'load error', message: /^SyntaxError: .*main\.py, line 1/ })
  t.match((await evaluate('import numpy\n', ['1']))[0], { type: 'not run', cause: 'not available', missing: ['numpy'] })
  t.match((await evaluate('import sys\nsys.exit(0)\n', ['1']))[0], { type: 'not run', cause: 'exited' })
  t.match((await evaluate('x = 1\n', [{ expression: '__import__("torch")' }]))[0], { type: 'not run', cause: 'not available', missing: ['torch'] })
})

void t.test('a call that hangs or takes too much does not affect the others', async t => {
  const outcomes = await evaluate('def hang():\n    while True: pass\n\nasync def never():\n    import asyncio\n    await asyncio.Event().wait()\n', ['1', 'hang()', 'never()', '"a" * 10**9', '2'], { wallMs: 4000 })
  t.match(outcomes, [{ value: int(1) }, { type: 'not run', cause: 'time' }, { type: 'not run', cause: 'time' }, { type: 'not run', cause: 'memory' }, { value: int(2) }])
})

void t.test('if a call ends the process, the calls before it keep their values', async t => {
  t.match(await evaluate('import os\n', ['1', 'os._exit(0)', '2']), [{ value: int(1) }, { type: 'not run', cause: 'exited' }, { type: 'not run', cause: 'exited', message: /an earlier call ended it/ }])
})

void t.test('a value is encoded as what it is, even if it claims to be something else', async t => {
  const [always, hidden, fake] = await evaluate(`
class Always:
    def __eq__(self, other): return True
    def __repr__(self): return "3"

class Fake(int):
    def __repr__(self): return "42"
    def __int__(self): return 42
    def __str__(self): return "42"

class Hidden:
    __class__ = int
`, ['Always()', 'Hidden()', 'Fake(7)'])
  t.match(valueOf(always), { type: 'object', name: 'Always' })
  t.match(valueOf(hidden), { type: 'object', name: 'Hidden' })
  t.same(valueOf(fake), int(7))
})

void t.test('each outcome has what its own call printed', async t => {
  const outcomes = await evaluate('print("loading")\ndef f(x):\n    print("got", x)\n    return x\n', ['f(1)', 'f(2)'])
  t.match(outcomes, [{ output: 'loading\ngot 1\n' }, { output: 'got 2\n' }])
})

void t.test('there is nothing to read on standard input', async t => {
  t.match(await evaluate('', ['input()']), [{ type: 'raised', name: 'EOFError' }])
})
