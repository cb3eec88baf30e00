import t from 'tap'
import { readExamples } from '../../../agents/svc-code/examples/read.js'
import { ARROWS, GIVES, RAISES } from '../../../agents/svc-code/examples/signs.js'
import { callOf, literalAt, sourceOf } from '../../../agents/svc-code/examples/literals.js'
import { PROFILES } from '../../../agents/svc-code/languages/index.js'
import { readConversation } from '../../../agents/svc-code/conversation.js'

const [PYTHON, TYPESCRIPT] = PROFILES as [typeof PROFILES[number], typeof PROFILES[number]]

/** The examples of a request, as one line each. */
function found (asked: string, names: Record<string, string[] | undefined>, profile = PYTHON, isScript = false): string[] {
  const talk = readConversation([{ role: 'user', content: asked }], PROFILES)
  const { calls, runs } = readExamples(talk, { profile, names: new Map(Object.entries(names)), isScript })
  return [
    ...calls.map(({ expression, wanted, setup }) => `${setup === undefined ? '' : `${setup}; `}${expression} ${wanted.type === 'value' ? `= ${wanted.source}` : wanted.type === 'raises' ? `raises ${wanted.name ?? ''}` : 'holds'}`),
    ...runs.map(({ stdin, stdout }) => JSON.stringify([stdin, stdout]))
  ]
}

void t.test('a call with its value is recognised as an example in many languages', async t => {
  for (const [verb, example] of Object.entries(GIVES)) t.same(found(example, { f: ['n'] }), ['f(2) = 4'], `${verb}: ${example}`)
  for (const sign of ARROWS) t.same(found(`f(2) ${sign} 4`, { f: ['n'] }), ['f(2) = 4'], sign)
  for (const [verb, example] of Object.entries(RAISES)) t.match(found(example, { f: ['n'] })[0], /^f\(-1\) raises [A-Z]\w+Error$/, `${verb}: ${example}`)
  const cases: [string, string[]][] = [
    ['rank([30,10,20]) == [1,3,2], equal numbers share the place so rank([5,5,1]) == [1,1,3]', ['rank([30, 10, 20]) = [1, 3, 2]', 'rank([5, 5, 1]) = [1, 1, 3]']],
    ["rank('the lord') should return 'The Lord', rank('a tale') should return 'A Tale'.", ["rank('the lord') = 'The Lord'", "rank('a tale') = 'A Tale'"]],
    ['`rank([])` must give `[]`', ['rank([]) = []']], ['print(rank([3]))  # [1]', ['rank([3]) = [1]']], ['rank("x") raises a ValueError', ['rank("x") raises ValueError']],
    ['I want None for rank([])', ['rank([]) = None']], ['assert rank([1, 2]) == [2, 1]', ['rank([1, 2]) = [2, 1]']], ['rank({"a": 1}) -> {"a": [1, 2]}', ['rank({"a": 1}) = {"a": [1, 2]}']]
  ]
  for (const [asked, wanted] of cases) t.same(found(asked, { rank: ['numbers'] }), wanted, asked)
  t.same(found('chunk([1,2,3], 2) gives [[1,2],[3]] and chunk([], 3) gives []', { chunk: ['items', 'size'] }, TYPESCRIPT), ['chunk([1, 2, 3], 2) = [[1, 2], [3]]', 'chunk([], 3) = []'])
  t.same(found('f(True) is None', { f: ['x'] }, TYPESCRIPT), ['f(true) = null'], 'in the words of the language')
})

void t.test('pairs without the function, tables, sessions', async t => {
  t.same(found('"III" -> 3\n"IV" -> 4', { roman: ['s'] }), ['roman("III") = 3', 'roman("IV") = 4'])
  t.same(found('for input 5 I expect 120', { factorial: ['n'] }), ['factorial(5) = 120'])
  t.same(found('90m should give 5400', { seconds: ['text'] }), ["seconds('90m') = 5400"])
  t.same(found('Input: nums = [2, 7], target = 9\nOutput: [0, 1]', { two: ['nums', 'target'] }), ['two([2, 7], 9) = [0, 1]'])
  t.same(found('Input: flatten([1, [2]])\nOutput: [1, 2]', { flatten: ['items'] }), ['flatten([1, [2]]) = [1, 2]'])
  t.same(found('| kg | express | cost |\n|---|---|---|\n| 0.5 | False | 4.9 |\n| 1 | True | 9.9 |', { ship: ['kg', 'express'] }), ['ship(0.5, False) = 4.9', 'ship(1, True) = 9.9'])
  t.same(found('>>> rle("aab")\n[(\'a\', 2), (\'b\', 1)]\n>>> rle("")\n[]', { rle: ['text'] }), ['rle("aab") = [(\'a\', 2), (\'b\', 1)]', 'rle("") = []'])
  t.same(found('>>> s = Stack()\n>>> s.push(1)\n>>> s.pop()\n1', { Stack: undefined }), ['s = Stack()\ns.push(1); s.pop() = 1'])
})

void t.test('text that is not clearly an example is not read as one', async t => {
  const none = [
    'f(2) takes 3 arguments', 'f(2) runs in 5 ms', 'call f(2) and then f(3)', 'f(2) + 1 == 4 is wrong', 'f(x) == 4', 'f(2) returns 4 times the value', 'f(2) is 4 ms faster', 'f(2) gives an error', 'for example f(2)',
    'f(2) ... 4', 'for input, use 5 files; I expect 120 users', 'version 3.11 -> 3.12 of Python', 'our shop has 5 -> 7 employees', 'assert f(x) == y', 'f(2) == g(3)', '| a | b |\n|---|---|\n| one | two |'
  ]
  for (const asked of none) t.same(found(asked, { f: ['x'] }), [], asked)
  t.same(found('f(g(2)) == 2', { f: ['x'], g: ['x'] }), [], 'the value belongs to the outer call')
  t.same(found('90m should give 5400', { seconds: ['text', 'unit'] }), [], 'it takes two arguments')
})

void t.test('a script\'s input and output, in two blocks', async t => {
  t.same(found('It gets a CSV. Example:\n\ncategory,amount\nfood,3.50\n\nshould print\n\nfood: 3.50', {}, PYTHON, true), ['["category,amount\\nfood,3.50\\n","food: 3.50"]'])
  t.same(found('Input:\n```\n1 2\n```\nOutput:\n```\n3\n```', {}, PYTHON, true), ['["1 2\\n","3"]'])
  t.same(found('Write a script. It reads lines.\n\nIt prints them again.', {}, PYTHON, true), [])
})

void t.test('literals are read as trees and written again', async t => {
  for (const text of ['1', '-2.5', "'a'", '[1, [2]]', '{"a": 1}', '(1, 2)', 'None', 'true', '[]', '{}', '(1,)']) t.equal(sourceOf(literalAt(text, 0)!.literal), text)
  t.equal(literalAt('foo', 0), undefined)
  t.equal(callOf('f(x)'), undefined)
  t.equal(callOf('f(1, k=2)')?.args.length, 2)
  t.equal(literalAt('['.repeat(1000), 0), undefined)
})
