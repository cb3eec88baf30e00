import { existsSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { entryIn, pathFor, preludeOf } from '../../../agents/svc-code/entry.js'
import { examplesIn } from '../../../agents/svc-code/oracle.js'
import { type Assertion, assertionsIn } from '../../../agents/svc-code/oracle/assertions.js'
import { probes } from '../../../agents/svc-code/probes.js'
import type { Language } from '../../../agents/types.js'

const shown = ({ expression, wanted, tolerance }: Assertion) => `${expression} ${wanted.type === 'value' ? `= ${wanted.source}` : wanted.type === 'raises' ? `! ${wanted.name ?? ''}` : 'ok'}${tolerance === undefined ? '' : ` +-${tolerance}`}`
const examples = (text: string, language: Language = 'python', entry = 'f') => examplesIn(text, entry, language).map(shown)

void t.test('examples are found however they are written', async t => {
  for (const [text, wanted] of [
    ['f(2) -> 4', 'f(2) = 4'], ['f(2) == 4', 'f(2) = 4'], ['`f(2)` returns `4`.', 'f(2) = 4'], ['f(2) should return 4. Thanks', 'f(2) = 4'],
    ['f([1, 2], k=3) => [1]', 'f([1, 2], k=3) = [1]'], ["f('a') ➞ 'b'", "f('a') = 'b'"], ['print(f(2))  # 4', 'f(2) = 4'], ['f(2) # => 4', 'f(2) = 4'],
    ['assert f(2) == 4, "two"', 'f(2) = 4'], ['assert f(2) is None', 'f(2) = None'], ['assert f(2)', 'f(2) ok'], ['assert not f(2)', 'not f(2) ok'],
    ['assert f(2.0) == pytest.approx(4.5, abs=0.1)', 'f(2.0) = 4.5 +-0.1'], ['self.assertEqual(f(2), 4)', 'f(2) = 4'], ['>>> f(2)\n4', 'f(2) = 4'],
    ['>>> f(-1)\nTraceback (most recent call last):\n  ...\nValueError: no', 'f(-1) ! ValueError'], ['f(-1) raises ValueError', 'f(-1) ! ValueError'],
    ['with pytest.raises(TypeError):\n    f(None)', 'f(None) ! TypeError'], ['f(true) -> null', 'f(True) = None'], ['Input: nums = [1, 2], target = 3\nOutput: [0, 1]', 'f([1, 2], 3) = [0, 1]'],
    ['f(2) ergibt 4', 'f(2) = 4'], ['f(2) devuelve 4', 'f(2) = 4'], ['f(2) renvoie 4', 'f(2) = 4']
  ] as const) t.strictSame(examples(text), [wanted], text)
  for (const [text, wanted] of [
    ['@example f(2) // => 4', 'f(2) = 4'], ['console.log(f(2)); // 4', 'f(2) = 4'], ['expect(f(2)).toEqual([4])', 'f(2) = [4]'], ['expect(() => f(-1)).toThrow()', 'f(-1) ! '],
    ['assert.deepStrictEqual(f({ a: 1 }), { b: 2 });', 'f({ a: 1 }) = { b: 2 }'], ['assertEquals(f(1), 2)', 'f(1) = 2'], ['f(None) -> True', 'f(null) = true'], ['expect(f(1)).toBeCloseTo(2.5, 1)', 'f(1) = 2.5 +-0.05'],
    ['console.assert(JSON.stringify(f([1])) === JSON.stringify([2]));', 'f([1]) = [2]'], ['f(2) throws RangeError', 'f(2) ! RangeError'], ['expect(f(0)).toBeNull()', 'f(0) = null'], ['expect(f(0)).not.toBeTruthy()', '!(f(0)) ok']
  ] as const) t.strictSame(examples(text, 'typescript'), [wanted], text)
})

void t.test('what only looks like an example is none', async t => {
  for (const text of ['f(int) -> str', 'def f(x: int) -> int:', 'f(x) returns y', 'f(2) + 1 == 5', 'call f(2) first', 'f(a, b) == f(b, a)', 'f(n) = f(n-1) + f(n-2)', 'f(2) -> ...', 'returns 4', 'g(2) == 4', 'f(2) is a nice call', 'f(2) == x']) t.strictSame(examples(text), [], text)
  t.strictSame(examples('function f(x: number): number', 'typescript'), [])
})

void t.test('asserts of all styles are read, over several lines, too', async t => {
  t.strictSame(assertionsIn('import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(\n            f([1,\n               2]),\n            3)\n        self.assertTrue(f(1))\n        self.assertIsNone(f(2))\n        self.assertAlmostEqual(f(3), 0.5)', 'python').map(shown), ['f([1,\n               2]) = 3', 'f(1) ok', 'f(2) = None', 'f(3) = 0.5 +-5e-8'])
  t.strictSame(assertionsIn("test('a', () => {\n  expect(f(1)).toBe(2);\n});\nit('b', () => { expect(f(2)).toHaveLength(3) })", 'typescript').map(shown), ['f(1) = 2', '(f(2)).length = 3'])
})

void t.test('the entry, its file and what surrounds it are read off the request', async t => {
  t.equal(entryIn('Complete this:\n\ndef helper(x):\n    return x\n\n\ndef wanted(x: int) -> int:\n    """Doc."""\n', [], 'python'), 'wanted')
  t.equal(entryIn('Write a function called `mean_of` please', [], 'python'), 'mean_of')
  t.equal(entryIn('Write a TypeScript function `pick<T>(items: T[]): T` and export it.', [], 'typescript'), 'pick')
  t.equal(entryIn('Implement a class Stack with push and pop', [], 'python'), 'Stack')
  t.equal(entryIn('Sum a list', [], 'python'), undefined)
  t.equal(pathFor('Refactor utils/date.ts', [], 'format', 'typescript'), 'utils/date.ts')
  t.equal(pathFor('x', [], 'LruCache', 'python'), 'lru_cache.py')
  t.equal(pathFor('see /etc/x.py and ../y.py', [], undefined, 'python'), 'solution.py')
  const block = { tag: 'python', path: undefined, source: 'import math\n\ndef helper(x):\n    return x\n\ndef wanted(x):\n    pass', closed: true }
  t.match(preludeOf([block], 'wanted', 'python'), /import math[\s\S]*def helper/)
  t.notMatch(preludeOf([block], 'wanted', 'python') ?? '', /wanted/)
})

void t.test('probes are calls like the known ones, with other arguments', async t => {
  const found = probes([{ expression: "f([1, 2, 3], 'abc')" }, { expression: 'f(g(1))' }], 6).map(({ expression }) => expression)
  t.equal(found.length, 6)
  t.ok(found.every(expression => /^f\(\[.*\], '.*'\)$/.test(expression)), found.join(' '))
  t.notOk(found.includes("f([1, 2, 3], 'abc')"))
})

void t.test('any text is read without a throw, and quickly', async t => {
  const piece = fc.oneof(fc.string(), fc.constantFrom('f(', ')', ' -> ', '>>> f(1)\n', '4', '[', '"', 'assert ', ' == ', '\n', 'Input: ', 'Output: ', 'Traceback (most recent call last)'))
  fc.assert(fc.property(fc.array(piece, { maxLength: 60 }), fc.constantFrom<Language>('python', 'typescript'), (parts, language) => {
    return JSON.stringify(examplesIn(parts.join(''), 'f', language)) === JSON.stringify(examplesIn(parts.join(''), 'f', language))
  }), { numRuns: 500, seed: 5 })
  for (const unit of ['f(', 'f(1) -> ', '>>> f(1)\n', '(', '"', 'assert f(', ' ', '\n', 'Input: x\n']) {
    const since = performance.now()
    examplesIn(unit.repeat(200_000 / unit.length), 'f', 'python')
    t.ok(performance.now() - since < 3000, `${JSON.stringify(unit)}: ${Math.round(performance.now() - since)} ms`)
  }
})

const tasks = new URL('../../../../shared/modelsim/lib/tasks.mjs', import.meta.url)

interface Task { task: string, lang: Language, entry: string, examples: (string | [string, string])[] }

void t.test('the examples of real tasks are found as they are meant', { skip: existsSync(tasks) ? false : 'the tasks are not here' }, async t => {
  const { loadTasks, promptFor } = await import(tasks.href) as { loadTasks: () => Task[], promptFor: (task: Task, examples: boolean) => string }
  const squeeze = (text: string) => text.replace(/\s+/g, '').replaceAll('"', "'")
  let [wanted, found] = [0, 0]
  for (const task of loadTasks()) {
    const prompt = promptFor(task, true)
    const calls = task.examples.map(example => squeeze(typeof example === 'string' ? example.replace(/^assert\s+/, '').split('==')[0] ?? '' : `${task.entry}(${example[0]})`)).filter(call => squeeze(prompt).includes(call))
    const read = new Set(examplesIn(prompt, task.entry, task.lang).map(({ expression }) => squeeze(expression)))
    wanted += calls.length
    found += calls.filter(call => read.has(call)).length
  }
  t.ok(found / wanted > 0.97, `${found} of ${wanted}`)
})
