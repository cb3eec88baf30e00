import t from 'tap'
import type { Outcome, Sandbox, Value } from '../../../agents/types.js'
import { print } from '../../../agents/svc-code/draft/comparable.js'
import { expectations } from '../../../agents/svc-code/examples/expectations.js'
import type { Assertion } from '../../../agents/svc-code/languages/profile.js'
import { PYTHON } from '../../../agents/svc-code/languages/python/index.js'
import { TYPESCRIPT } from '../../../agents/svc-code/languages/typescript/index.js'

// Reads asserts in all styles of tests, and compares values with their expected results.

const value = (expression: string, source: string, tolerance?: number): Assertion =>
  ({ expression, wanted: { type: 'value', source }, ...(tolerance !== undefined && { tolerance }) })
const truth = (expression: string): Assertion => ({ expression, wanted: { type: 'true' } })
const raises = (expression: string, name?: string): Assertion => ({ expression, wanted: { type: 'raises', name } })

type Cases = [text: string, said: Assertion | undefined][]

const IN_PYTHON: Cases = [
  ['assert f(1) == 2', value('f(1)', '2')],
  ['assert 2 == f(1)', value('f(1)', '2')],
  ['assert (f(1) == 2)', value('f(1)', '2')],
  ['assert f(1) == 2, "it counts"', value('f(1)', '2')],
  ['assert f(1) == 2  # one more', value('f(1)', '2')],
  ['assert f(1) is None', value('f(1)', 'None')],
  ['assert f(1) is not None', truth('f(1) is not None')],
  ['assert f(1)', truth('f(1)')],
  ['assert not f(1)', truth('not f(1)')],
  ['assert f(1) == 2 == g(1)', truth('f(1) == 2 == g(1)')],
  ['assert f(1) == 2 and g(1) == 3', truth('f(1) == 2 and g(1) == 3')],
  ['assert f([\n  1,\n  2\n]) == 3', value('f([\n  1,\n  2\n])', '3')],
  ['assert f(1) == approx(2)', value('f(1)', '2', 2e-6)],
  ['assert f(1) == pytest.approx(2.5, abs=0.1)', value('f(1)', '2.5', 0.1)],
  ['>>> assert f(1) == 2', value('f(1)', '2')],
  ['self.assertEqual(f(1), 2)', value('f(1)', '2')],
  ['self.assertEqual(2, f(1));', value('f(1)', '2')],
  ['self.assertListEqual(f(1), [2])', value('f(1)', '[2]')],
  ['self.assertAlmostEqual(f(1), 2.5)', value('f(1)', '2.5', 0.5e-7)],
  ['self.assertAlmostEqual(f(1), 2.5, 2)', value('f(1)', '2.5', 0.005)],
  ['self.assertTrue(f(1))', truth('f(1)')],
  ['self.assertFalse(f(1))', truth('not (f(1))')],
  ['self.assertIsNone(f(1))', value('f(1)', 'None')],
  ['self.assertRaises(ValueError, f, -1)', raises('f(-1)', 'ValueError')],
  ['with pytest.raises(ValueError): f(-1)', raises('f(-1)', 'ValueError')],
  ['with pytest.raises(ValueError):\n    f(-1)', raises('f(-1)', 'ValueError')],
  ['with self.assertRaises(KeyError):\n    f("x")', raises('f("x")', 'KeyError')],
  ['self.assertEqual(f(1))', undefined], ['self.assertAlmostEqual(f(1))', undefined], ['self.assertRaises(ValueError)', undefined],
  ['self.assertGreater(f(1), 2)', undefined], ['self.assertEqual()', undefined], ['with pytest.raises(ValueError):', undefined],
  ['with pytest.raises(ValueError)', undefined], ['assert', undefined], ['asserted = f(1)', undefined], ['x = f(1) == 2', undefined]
]

const IN_TYPESCRIPT: Cases = [
  ['assert.equal(f(1), 2)', value('f(1)', '2')],
  ['assert.deepStrictEqual(f(1), [2]);', value('f(1)', '[2]')],
  ['assertEquals(f(1), 2)', value('f(1)', '2')],
  ['assert.strictEqual(2, f(1));', value('f(1)', '2')],
  ['assert(f(1) === 2)', value('f(1)', '2')],
  ['assert.ok(f(1))', truth('f(1)')],
  ['assert(f(1) === 2 && g(1) === 3)', truth('f(1) === 2 && g(1) === 3')],
  ['console.assert(f(1) == 2)', value('f(1)', '2')],
  ['console.assert(JSON.stringify(f(1)) === JSON.stringify([2]))', value('f(1)', '[2]')],
  ['console.assert(JSON.stringify(f(1)) === "[2]")', value('JSON.stringify(f(1))', '"[2]"')],
  ['assert.throws(() => f(-1), RangeError)', raises('f(-1)', 'RangeError')],
  ['assert.throws(() => { f(-1); })', raises('f(-1)')],
  ['assert.equal(f(1), 2); });', value('f(1)', '2')],
  ['assert.throws(() => { return f(-1) }, /negative/)', raises('f(-1)')],
  ['assert.throws(function () { f(-1) })', raises('f(-1)')],
  ['assertThrows(() => f(-1))', raises('f(-1)')],
  ['expect(f(1)).toBe(2)', value('f(1)', '2')],
  ['expect(f(1)).toEqual([2]);', value('f(1)', '[2]')],
  ['expect(f(1)).to.equal(2)', value('f(1)', '2')],
  ['expect(f(1)).to.deep.equal([2])', value('f(1)', '[2]')],
  ['expect(f(1)).toBeCloseTo(2.5)', value('f(1)', '2.5', 0.005)],
  ['expect(f(1)).toBeCloseTo(2.5, 1)', value('f(1)', '2.5', 0.05)],
  ['expect(f(1)).toBeTruthy()', truth('f(1)')],
  ['expect(f(1)).not.toBeTruthy()', truth('!(f(1))')],
  ['expect(f(1)).toBeFalsy()', truth('!(f(1))')],
  ['expect(f(1)).not.toBeFalsy()', truth('f(1)')],
  ['expect(f(1)).toBeNull()', value('f(1)', 'null')],
  ['expect(f(1)).toBeUndefined()', value('f(1)', 'undefined')],
  ['expect(f(1)).toHaveLength(3)', value('(f(1)).length', '3')],
  ['expect(() => f(-1)).toThrow()', raises('f(-1)')],
  ['expect(() => f(-1)).toThrow(TypeError)', raises('f(-1)', 'TypeError')],
  ['expect(() => f(-1)).toThrow("negative")', raises('f(-1)')],
  ["it('counts', () => { expect(f(1)).toBe(2); });", value('f(1)', '2')],
  ["test('counts', () => expect(f(1)).toBe(2))", value('f(1)', '2')],
  ["Deno.test('counts', () => { assertEquals(f(1), 2) })", value('f(1)', '2')],
  ['expect(f(1)).not.toBe(2)', undefined], ['expect(f(1)).toBe()', undefined], ['expect(f(1)).not.toBeNull()', undefined],
  ['expect(f(1)).not.toBeUndefined()', undefined], ['expect(f(1)).not.toHaveLength(3)', undefined], ['expect(f(1)).toHaveLength()', undefined],
  ['expect(() => f(1)).not.toThrow()', undefined], ['expect(f(1)).not.toBeCloseTo(2)', undefined], ['expect(f(1)).toSatisfy(g)', undefined],
  ['expect(f(1))', undefined], ['assert.equal(f(1))', undefined], ['assert.rejects(f(1))', undefined], ['assert()', undefined],
  ['assertion(f(1))', undefined], ["test('counts', function () {", undefined]
]

for (const [profile, cases] of [[PYTHON, IN_PYTHON], [TYPESCRIPT, IN_TYPESCRIPT]] as const) {
  void t.test(`asserts of ${profile.name} are read as what they say, or not at all`, async t => {
    for (const [text, said] of cases) t.match(profile.assertionsIn(text), said === undefined ? [] : [said], text)
    for (const [text] of cases.filter(([, said]) => said === undefined)) t.equal(profile.assertionsIn(text).length, 0, text)
  })
}

void t.test('sessions of an interpreter are examples, with the lines that they need', async t => {
  const sessions = (text: string) => PYTHON.sessionsIn(text, ['f', 'Stack'])
  t.strictSame(sessions('>>> f(1)\n2'), [value('f(1)', '2')])
  t.strictSame(sessions('    >>> f(1)  # one\n    2\n    """'), [value('f(1)', '2')])
  t.strictSame(sessions('>>> x = 3\n>>> f(x)\n4'), [{ setup: 'x = 3', ...value('f(x)', '4') }])
  t.strictSame(sessions('>>> import doctest\n>>> from m import f\n>>> f(1)\n2'), [value('f(1)', '2')])
  t.strictSame(sessions('>>> s = Stack()\n>>> s.push(1)\n>>> s.pop()\n1'), [{ setup: 's = Stack()\ns.push(1)', ...value('s.pop()', '1') }])
  t.strictSame(sessions('>>> x = 1\n\ntext\n\n>>> f(1)\n2'), [value('f(1)', '2')])
  t.match(sessions('>>> f(-1)\nTraceback (most recent call last):\n  ...\nValueError: negative'), [raises('f(-1)', 'ValueError')])
  t.strictSame(sessions('>>> f(1)\n2 # two'), [value('f(1)', '2')])
  for (const none of ['>>> f(1)', '>>> for x in f(1):\n...     print(x)\n1', '>>> g(1)\n2', '>>> f(1)\n<object at 0x1>', '>>> f(1)\n2 and more', 'f(1)\n2']) {
    t.strictSame(sessions(none), [], none)
  }
})

// What is no literal is worked out elsewhere.
const sandbox = {
  evaluate: async ({ calls }: { calls: readonly { expression: string }[] }): Promise<Outcome[]> => calls.map(({ expression }) => expression.startsWith('Point')
    ? { type: 'not run', cause: 'load error', message: 'no Point', missing: [] }
    : { type: 'returned', value: { type: 'set', items: [{ type: 'int', value: '2' }, { type: 'int', value: '1' }] }, output: '' })
} as unknown as Sandbox

void t.test('an example is met by equal values, by values within its tolerance, by errors of its kind, and by true conditions', async t => {
  const { signal } = new AbortController()
  const met = async (assertion: Assertion, outcome: Outcome, profile = PYTHON) => {
    const [example] = await expectations([assertion], profile, { sandbox, signal })
    return example?.matches({ outcome, print: outcome.type === 'returned' ? print(outcome.value) : outcome.type === 'raised' ? 'raises' : 'not run' })
  }
  const gives = (value: Value): Outcome => ({ type: 'returned', value, output: '' })
  const raised = (name: string): Outcome => ({ type: 'raised', name, message: '', frame: null, output: '' })
  const int = (value: number): Value => ({ type: 'int', value: String(value) })
  const cases: [boolean, Assertion, Outcome][] = [
    [true, value('f(1)', '2'), gives(int(2))], [false, value('f(1)', '2'), gives(int(3))], [false, value('f(1)', '2'), raised('ValueError')],
    [true, value('f(1)', '2.0'), gives(int(2))], [true, value('f(1)', '2.5', 0.1), gives({ type: 'float', value: '2.55' })],
    [false, value('f(1)', '2.5', 0.1), gives({ type: 'float', value: '2.7' })],
    [true, value('f(1)', '"a"'), gives({ type: 'str', value: 'a' })], [true, value('f(1)', 'None'), gives({ type: 'none' })],
    [true, value('f(1)', 'True'), gives({ type: 'bool', value: true })], [true, value('f(1)', '[1, "b"]'), gives({ type: 'list', items: [int(1), { type: 'str', value: 'b' }] })],
    [true, value('f(1)', '(1, 2)'), gives({ type: 'tuple', items: [int(1), int(2)] })],
    [true, value('f(1)', '{"a": 1}'), gives({ type: 'dict', entries: [[{ type: 'str', value: 'a' }, int(1)]] })],
    [true, value('f(1)', '{1, 2}'), gives({ type: 'set', items: [int(1), int(2)] })],
    [true, value('f(1)', '123456789012345678'), gives({ type: 'set', items: [int(1), int(2)] })],
    [true, value('f(1)', 'Point(1)'), gives({ type: 'bool', value: true })], [false, value('f(1)', 'Point(1)'), gives({ type: 'bool', value: false })],
    [true, raises('f(1)', 'ValueError'), raised('ValueError')], [true, raises('f(1)', 'ValueError'), raised('m.ValueError')],
    [false, raises('f(1)', 'ValueError'), raised('KeyError')], [true, raises('f(1)', 'Exception'), raised('KeyError')],
    [true, raises('f(1)'), raised('KeyError')], [false, raises('f(1)'), gives(int(1))],
    [true, truth('f(1)'), gives({ type: 'bool', value: true })], [false, truth('f(1)'), gives({ type: 'bool', value: false })]
  ]
  for (const [isMet, assertion, outcome] of cases) t.equal(await met(assertion, outcome), isMet, `${JSON.stringify(assertion)} by ${JSON.stringify(outcome)}`)
  t.equal(await met(value('f(1)', '{ a: [1, null] }'), gives({ type: 'record', entries: [[{ type: 'str', value: 'a' }, { type: 'array', items: [{ type: 'number', value: '1' }, { type: 'none' }] }]] }), TYPESCRIPT), true)
  const [plain, error, unnamed, claim] = await expectations([value('f(1)', '2'), raises('f(2)', 'KeyError'), raises('f(3)'), { ...truth('f(4)'), setup: 'x = 1' }], PYTHON, { sandbox, signal })
  t.strictSame([plain?.shown, error?.shown, unnamed?.shown, claim?.shown], ['give `2`', 'raise KeyError', 'raise an error', 'be true'])
  t.match(claim?.call, { expression: 'bool(f(4))', setup: 'x = 1' })
})

void t.test('values print alike where they are alike, and only there', async t => {
  const int = (value: string): Value => ({ type: 'int', value })
  const text = (value: string): Value => ({ type: 'str', value })
  const prints: [Value, string][] = [
    [{ type: 'undefined' }, 'none'], [{ type: 'cycle' }, 'cycle'], [{ type: 'cut' }, 'cut'], [{ type: 'bool', value: false }, '0'], [{ type: 'bigint', value: '12' }, '12'],
    [{ type: 'float', value: '0.30000000000000004' }, '0.3'], [{ type: 'number', value: '-0' }, '0'], [{ type: 'float', value: 'nan' }, 'nan'],
    [{ type: 'bytes', value: '00ff' }, '"00ff"'], [{ type: 'symbol', value: 'a' }, '"a"'], [{ type: 'tuple', items: [int('1')] }, '(1)'],
    [{ type: 'frozenset', items: [int('2'), int('1')] }, '{1,2}'], [{ type: 'map', entries: [[text('b'), int('1')], [text('a'), int('2')]] }, '{"a":2,"b":1}'],
    [{ type: 'object', name: 'P', entries: [[text('x'), int('1')]], text: 'P(1)' }, 'P{"x":1}'],
    [{ type: 'object', name: 'P', entries: [], text: '<P at 0x7f12ab>' }, 'P <P at >']
  ]
  for (const [value, printed] of prints) t.equal(print(value), printed)
})

void t.test('every profile writes truth, equality and names in its own language', async t => {
  t.strictSame([PYTHON.truth('a'), PYTHON.equal('a', 'b'), PYTHON.keyOf('a'), PYTHON.comment('a')], ['bool(a)', 'bool((a) == (b))', "'a'", '# a'])
  t.strictSame([TYPESCRIPT.truth('a'), TYPESCRIPT.equal('a', 'b'), TYPESCRIPT.keyOf('a'), TYPESCRIPT.comment('a')], ['!!(a)', 'JSON.stringify(a) === JSON.stringify(b)', 'a', '// a'])
  t.strictSame([PYTHON.word('true'), PYTHON.word('None'), PYTHON.word('maybe'), TYPESCRIPT.word('None'), TYPESCRIPT.word('NaN'), TYPESCRIPT.word('maybe')], ['True', 'None', undefined, 'null', 'NaN', undefined])
  t.strictSame([PYTHON.number('12n'), TYPESCRIPT.number('12n'), PYTHON.text('r"a"'), TYPESCRIPT.text('r"a"')], ['12', '12n', 'r"a"', '"a"'])
  t.ok(PYTHON.isHintedIn('with pandas') && !PYTHON.isHintedIn('a function') && TYPESCRIPT.isHintedIn('a useDebounce hook') && !TYPESCRIPT.isHintedIn('a function'))
  t.ok(PYTHON.isPlain('x = 1', '') && !PYTHON.isPlain('import re', '') && TYPESCRIPT.isPlain('export const f = (n: number) => n', 'ts') && !TYPESCRIPT.isPlain("import a from 'a'", 'ts'))
  t.strictSame([PYTHON.testFolder('test_a.py'), TYPESCRIPT.testFolder('src/a.test.ts')], ['tests/test_a.py', 'test/a.test.ts'])
  t.equal(TYPESCRIPT.fromFolder("import { f } from './a.ts'", 'src/a.ts'), "import { f } from '../src/a.ts'")
  t.equal(PYTHON.fromFolder('from a import f', 'a.py'), 'from a import f')
  t.strictSame(['a.py', 'a/__init__.py', 'a/__main__.py'].map(path => PYTHON.exportsOf(path)), [true, false, false])
  t.strictSame(['a.ts', 'src/index.ts'].map(path => TYPESCRIPT.exportsOf(path)), [true, false])
  t.match(TYPESCRIPT.linked("import { f } from './b.js'\n", 'src/a.ts', ['src/a.ts', 'src/b.ts']), /\.\/b/)
  t.equal(PYTHON.linked('import b\n', 'a.py', ['b.py']), 'import b\n')
  t.strictSame(PYTHON.leftOut('app.run()\nwhile True:\n    pass\n').length, 2)
  const cases = [value('f(1)', '2'), value('f(2)', '2.5', 0.1), truth('f(3)'), raises('f(4)'), { ...value('f(5)', 'None'), setup: 'x = 1' }]
  t.match(PYTHON.suite('shop/a.py', ['f'], [{ title: 'a b', cases }])?.source, /import pytest[^]*from shop\.a import f[^]*def test_a_b[^]*approx\(2\.5, abs=0\.1\)[^]*assert f\(3\)[^]*raises\(Exception\)[^]*x = 1\n {4}assert f\(5\) is None/)
  t.match(TYPESCRIPT.suite('a.ts', ['f'], [{ title: 'a b', cases }])?.source, /from '\.\/a\.ts'[^]*Math\.abs\(f\(2\) - 2\.5\) <= 0\.1[^]*assert\.ok\(f\(3\)\)[^]*throws\(\(\) => f\(4\)\)[^]*\{ x = 1 assert\.deepStrictEqual\(f\(5\)/)
  t.equal(PYTHON.suite('a.py', ['f'], [{ title: 'none', cases: [] }]), null)
})
