import t from 'tap'
import type { Value } from '../../agents/types.js'
import { equal, show } from '../../agents/values.js'
import { cpuMs } from '../support/time.js'

const int = (value: number | bigint): Value => ({ type: 'int', value: String(value) })
const float = (value: string): Value => ({ type: 'float', value })
const num = (value: string): Value => ({ type: 'number', value })
const str = (value: string): Value => ({ type: 'str', value })
const bool = (value: boolean): Value => ({ type: 'bool', value })
const list = (...items: Value[]): Value => ({ type: 'list', items })
const tuple = (...items: Value[]): Value => ({ type: 'tuple', items })
const set = (...items: Value[]): Value => ({ type: 'set', items })
const dict = (...entries: [Value, Value][]): Value => ({ type: 'dict', entries })
const record = (...entries: [string, Value][]): Value => ({ type: 'record', entries: entries.map(([key, value]) => [str(key), value]) })
const object = (name: string, text: string, ...entries: [string, Value][]): Value => ({ type: 'object', name, text, entries: entries.map(([key, value]) => [str(key), value]) })
const NONE: Value = { type: 'none' }
const CUT: Value = { type: 'cut' }

const python = (left: Value, right: Value, tolerance?: number) => equal(left, right, { language: 'python', ...(tolerance !== undefined && { tolerance }) })
const typescript = (left: Value, right: Value, tolerance?: number) => equal(left, right, { language: 'typescript', ...(tolerance !== undefined && { tolerance }) })

void t.test('Python: numbers are equal across their types, exactly', async t => {
  for (const [left, right, wanted] of [
    [int(1), float('1.0'), true], [bool(true), int(1), true], [bool(false), float('0.0'), true], [float('-0.0'), int(0), true], [float('0.1'), float('0.1'), true], [float('1e16'), int(10n ** 16n), true],
    [int(2n ** 53n + 1n), float('9007199254740992.0'), false], [int(2n ** 53n), float('9007199254740992.0'), true], [int(1), str('1'), false], [float('nan'), float('nan'), true], [float('inf'), float('inf'), true],
    [float('inf'), float('-inf'), false], [bool(true), str('True'), false], [NONE, bool(false), false], [int(10n ** 30n), int(10n ** 30n + 1n), false], [float('1e+30'), int(10n ** 30n), false]
  ] as const) t.equal(python(left, right), wanted, `${show(left, 'python')} == ${show(right, 'python')}`)
})

void t.test('Python: a tuple is no list, sets and dicts have no order, keys are equal as numbers are', async t => {
  t.notOk(python(list(int(1)), tuple(int(1))))
  t.ok(python(list(int(1), tuple(float('2.0'))), list(bool(true), tuple(int(2)))))
  t.notOk(python(list(int(1), int(2)), list(int(2), int(1))))
  t.ok(python(set(int(1), str('a')), set(str('a'), float('1.0'))))
  t.ok(python(set(int(1)), { type: 'frozenset', items: [int(1)] }))
  t.notOk(python(set(int(1)), set(int(1), int(2))))
  t.ok(python(dict([int(1), str('a')], [str('b'), NONE]), dict([str('b'), NONE], [float('1.0'), str('a')])))
  t.notOk(python(dict([str('a'), int(1)]), dict([str('a'), int(2)])))
  t.ok(python(object('Point', '<Point object at 0x7f01>', ['x', int(1)]), object('Point', '<Point object at 0x7f02>', ['x', float('1.0')])))
  t.notOk(python(object('Point', 'p', ['x', int(1)]), object('Other', 'p', ['x', int(1)])))
})

void t.test('TypeScript: as deep strict equality has it', async t => {
  for (const [left, right, wanted] of [
    [num('1'), num('1'), true], [num('0'), num('-0'), false], [num('NaN'), num('NaN'), true], [num('1'), { type: 'bigint', value: '1' }, false], [num('1'), bool(true), false], [NONE, { type: 'undefined' }, false],
    [{ type: 'array', items: [num('1')] }, { type: 'array', items: [num('1')] }, true], [record(['a', num('1')], ['b', num('2')]), record(['b', num('2')], ['a', num('1')]), true],
    [record(['a', { type: 'undefined' }]), record(), false], [object('Point', 'Point', ['x', num('1')]), record(['x', num('1')]), false], [object('Date', '1970'), object('Date', '1971'), false],
    [{ type: 'set', items: [num('1'), num('2')] }, { type: 'set', items: [num('2'), num('1')] }, true], [{ type: 'map', entries: [[record(['a', num('1')]), num('1')]] }, { type: 'map', entries: [[record(['a', num('1')]), num('1')]] }, true]
  ] as [Value, Value, boolean][]) t.equal(typescript(left, right), wanted, `${show(left, 'typescript')} and ${show(right, 'typescript')}`)
})

void t.test('a tolerance applies to floating-point numbers at any depth', async t => {
  t.ok(python(float('0.30000000000000004'), float('0.3'), 1e-9))
  t.notOk(python(float('0.30000000000000004'), float('0.3')))
  t.ok(python(list(float('1.0000000001')), list(int(1)), 1e-6))
  t.notOk(python(int(1000001), int(1000000), 1e-3), 'whole numbers are exact')
  t.notOk(python(float('inf'), float('1e308'), 1e-6))
  t.ok(python(set(float('1.0000000001'), str('a')), set(str('a'), float('1.0')), 1e-6))
  t.notOk(python(set(float('1.1')), set(float('1.0')), 1e-6))
  t.ok(python(dict([str('a'), float('0.1')]), dict([str('a'), float('0.10000000001')]), 1e-6))
  t.notOk(python(dict([str('a'), float('0.1')]), dict([str('b'), float('0.1')]), 1e-6))
  t.ok(typescript(record(['a', num('0.1')]), record(['a', num('0.1000000000001')]), 1e-9))
  t.ok(python(object('P', '', ['x', float('0.1')]), object('P', '', ['x', float('0.10000000001')]), 1e-6))
  t.notOk(typescript(num('1'), str('1'), 1))
})

void t.test('nothing equals what was cut, not even itself, however deep', async t => {
  t.notOk(python(CUT, CUT))
  t.notOk(python(list(CUT), list(CUT), 1))
  t.notOk(python(dict([CUT, int(1)]), dict([CUT, int(1)]), 1))
  t.notOk(typescript({ type: 'set', items: [CUT] }, { type: 'set', items: [CUT] }))
  t.notOk(typescript(object('A', 'a', ['x', CUT]), object('A', 'a', ['x', CUT])))
  t.ok(python({ type: 'cycle' }, { type: 'cycle' }))
})

void t.test('texts cannot be mistaken for structure', async t => {
  t.notOk(python(list(str('a'), str('b')), list(str('a","b'))))
  t.notOk(python(str('none'), NONE))
  t.notOk(python(list(), str('list()')))
  t.notOk(python(tuple(list(int(1)), int(2)), tuple(list(int(1), int(2)))))
})

void t.test('large sets are compared without a search', async t => {
  const items = Array.from({ length: 20_000 }, (_, index) => int(index))
  const took = await cpuMs(() => { t.ok(python(set(...items), set(...[...items].reverse()))) })
  t.ok(took < 2000, `${took} ms`)
})

void t.test('values are written as their language writes them', async t => {
  for (const [value, wanted] of [
    [NONE, 'None'], [bool(true), 'True'], [float('nan'), "float('nan')"], [float('-inf'), "float('-inf')"], [float('1.5'), '1.5'], [int(3), '3'], [str("it's"), '"it\'s"'], [str('a\n"\''), "'a\\n\"\\''"], [str('\u0001é'), "'\\x01é'"],
    [{ type: 'bytes', value: '00ff' }, "b'\\x00\\xff'"], [tuple(int(1)), '(1,)'], [tuple(), '()'], [list(int(1), str('a')), "[1, 'a']"], [set(), 'set()'], [set(int(1)), '{1}'], [{ type: 'frozenset', items: [int(1)] }, 'frozenset({1})'],
    [dict([str('a'), list()]), "{'a': []}"], [object('P', '<P object at 0x7f>'), '<P object>'], [CUT, '...']
  ] as [Value, string][]) t.equal(show(value, 'python'), wanted)
  for (const [value, wanted] of [
    [NONE, 'null'], [{ type: 'undefined' }, 'undefined'], [num('-0'), '-0'], [{ type: 'bigint', value: '7' }, '7n'], [str('a"'), '"a\\""'], [record(['a', num('1')], ['b c', str('x')]), '{ a: 1, "b c": "x" }'], [record(), '{}'],
    [{ type: 'map', entries: [[num('1'), { type: 'array', items: [] }]] }, 'new Map([[1, []]])'], [{ type: 'set', items: [num('1')] }, 'new Set([1])'], [object('Point', 'Point', ['x', num('1')]), 'Point { x: 1 }'], [object('Date', '1970'), '1970'],
    [{ type: 'symbol', value: 'Symbol(a)' }, 'Symbol(a)'], [{ type: 'cycle' }, '<cycle>'], [bool(false), 'false']
  ] as [Value, string][]) t.equal(show(value, 'typescript'), wanted)
})
