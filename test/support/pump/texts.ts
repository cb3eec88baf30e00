// What texts are made of to find out whether the time that they take grows faster than they do: a prefix that opens
// something, a unit that is repeated, a suffix at which what seemed to match fails.

const SPACES = [
  ' ', '\t', '\n', '\r', '\r\n', '\u00a0', '\u2003', '\u2028', '\ufeff', '\f', '\v', ' \n', '\n ', '\n\n ', ' \t', '\u00a0\n', '\n\u00a0',
  '    \n', '\t\n', ' \r\n'
]
const CHARACTERS = [
  ...'abcA0_$.,;:!?*+-=/\\|&^%~@#<>()[]{}\'"`', '\0',
  '\u200b', '\u202e', 'é', '中', '😀', '\ud83d', '…', '→', '“'
]
const DOUBLES = [
  '//', '/*', '*/', '/**/', '**', '--', '-- ', '==', '= ', '=>', '->', '::', '..', '../', './', '/..', '\\\\', '\\"', "\\'", '\\`', '\\n',
  '\'\'', '""', '``', '()', '[]', '{}', '<>', '</', '/>', '({', '})', '[(', ')]', '{[', '()()', '((', '${', '${`', '`${', '<!--', '-->',
  '# ', '#!', '@a', '@a ', 'a.', 'a,', 'a, ', 'a:', 'a: ', 'a=', 'a = ', 'a;', 'a/', '/a', '/a ', 'a-', 'a_', 'a$', 'a ', ' a', 'a\n',
  'A ', 'Ab ', 'a1', 'a(', 'a)', 'a[', '.a', ',a', '1,', '1 ', '0.', '-1', '1e', '1\n'
]
const QUOTES = [
  '"""', "'''", '```', '~~~', '```\n', '~~~\n', '"""\n', "'''\n", '````', '```a\n', '```python\n', '```ts\n', '```\n```\n', '"a"', "'a'",
  '"a",', '`a`', 'r"', 'f"{', '"a" "b" ', '"\n', "'\n", '`\n', '\\\n'
]
const MARKERS = [
  '<<<<', '<<<<<<<', '>>>>', '>>> ', '>>> f(1)\n', '... ', '....', '====', '=======\n', '----', '---\n', '____', '####', '### ', '****',
  '* ', '- ', '1. ', '1) ', '> ', '| a ', '|-', '+++ ', '@@ ', '< SEARCH', '<<<<< SEARCH\n', '*** Begin Patch\n', '- a\n', '* a\n',
  '# a\n', '// a\n', '//a\n', '/* a', '<!-- a', '#\n', '//\n', 'TODO ', '# TODO\n', '# ...\n', '// ...\n', '...\n'
]
const TAGS = [
  '<a', '<a>', '</a>', '<a ', '<a b="', '<a href=', '<think>', '</think>', '<think>\n', '\n</think>', '<code>', '</code>', '<code>\n',
  '<file_text>', '<content>\n', '<path>', '<path>a', '<python>\n', '<answer>\n', '[PYTHON]', '[PYTHON]\n', '[/PYTHON]', '<tool_call>',
  '<|im_start|>', '<script>', '&lt;', '&amp'
]
const WORDS = [
  ' as ', ' is ', ' and ', ' or ', ' to ', ' of ', ' in ', 'in ', 'to ', 'a function ', 'function ', 'called ', 'named ', 'write a ',
  'please ', 'use ', 'no ', 'not ', 'but ', ', but ', 'without ', 'returns ', 'should return ', 'equals ', 'raises ', 'error ', 'Error: ',
  'python ', 'Python, ', 'typescript ', 'react ', 'express ', 'next ', 'flask app ', 'java ', 'go ', 'c++ ', 'unit test ', 'fix ',
  'project ', 'React app ', 'short ', 'chat title ', 'generate a ', 'small python ', 'make a plan ', 'with ', 'moving from ', 'für ',
  'schreibe ', 'input: ', 'Input: ****', 'input: ****', 'input: a\n', 'Input: a = 1\n', 'Output: ', 'output: 1\n', 'a -> ', 'f(1) -> 2\n',
  'f(1) == 2\n', 'f(1) => ', 'f(', 'f()', 'f(1', 'f(f(', 'f(a, ', 'f(a=', 'f("', 'example: ', 'a.py ', 'a/b.ts ', 'src/a', 'https://',
  'https://a', 'file:/', 'C:\\', 'C:\\a', '/home/a ', '~/', '"/a', "'/a b", '{"code": "', '{"a":', '{"a":1},', '[1,', '[[', '"content":',
  'max context 1 ', 'context length 1', '1 tokens ', 'prompt ', 'request ', 'length (', 'file:///', "module '", 'Could not find "',
  'skip(', '.only', 'only:', 'a b c. ', 'A b. ', 'Sentence one is here. '
]
const PYTHON = [
  'def f():\n', 'def f(', 'def f())))', 'def f(a, ', 'def f(a:', 'def f(x): ', 'def f():\n    pass\n', 'def f(): ...\n',
  'def f():\n    """', 'def f(\n', 'def test_a():\n', 'async def ', 'async ', 'class A', 'class A:\n', 'class A(B', 'import a\n',
  'import a, ', 'import ', 'from a import b\n', 'from a import (', 'from ', 'a = 1\n', 'A = (', 'a: int = 1\n', 'if a:\n', 'elif a:\n',
  'else:\n', '  a\n', '    ', '    a = 1\n', '        \n', 'return ', 'return a\n', 'assert f(1) == 2\n', 'assert ', 'assert (',
  'assert a, ', 'pass\n', 'raise ', 'with a as b, ', 'lambda: ', 'print(', 'print(f(1))\n', 'for a in b:\n', '@a\n', '@a(',
  '@pytest.mark.', 'try:\n', 'except a as b:\n', 'if __name__ == "__main__":\n', '-> ', ') -> ', '): ', ' for a in', 'self.a', 'f"{a}"',
  'def f(a\n', 'def main(a\n', '@click.group(\n', 'a if b else ', 'Traceback ', 'File "a.py", line 1\n'
]
const TYPESCRIPT = [
  'function f() {}\n', 'function f(a', 'function f(a\n', 'function f(', 'function ', 'function* ', 'async function ', 'export ',
  'export default ', 'export const a = 1\n', 'export {', 'export * from ', 'const a = 1;\n', 'const a', 'const a$$$$', 'const a = (',
  'const a = async (', 'const {', 'const [', 'const a = () => {\n', 'let a: ', 'let a\n', 'var a, ', 'class A {\n', 'class A extends ',
  'interface A {\n', 'interface A ', 'type A = ', 'type A = B | ', 'enum A {', 'import a from "a"\n', 'import { a',
  'import { a } from "a";\n', 'import {', 'import type ', 'import(', 'require(', 'require("a")', 'from "a"\n', 'declare ',
  'namespace A {', '=> ', '=> {\n', '() => ', ') => ', ' {\n', '}\n', '};\n', '});\n', '{\n', '{ {', ' }', 'a<', 'a<b>', '<T', '<T>(',
  ': a', '?: ', '? a : ', 'a?.', 'a!', 'as const ', ' satisfies ', 'typeof ', 'await ', 'return (\n', 'if (a) {\n', 'if (', 'for (;;) ',
  'describe("a", ', 'describe(', 'it("a", () => {\n', 'it(', 'test("', 'test.each([', 'Deno.test(', 'expect(', 'expect(f(1)).toBe(2)\n',
  'assert.equal(', 'assert.equal(f(1), 2)\n', 'console.log(', 'console.log(f(1)) // 2\n', 'new ', '/a/', '/[', '/(', 'case a:\n',
  '/** a */\n', '/**\n * ', ' * a\n', ' * @param ', 'at a (a.ts:1:1)\n', '    at a\n', ' at ', 'TS1', 'use strict', '"use client"\n',
  'export const app_a = 1\n', 'import.meta.', 'vi.mock(', 'jest.'
]

export const UNITS = [...new Set([SPACES, CHARACTERS, DOUBLES, QUOTES, MARKERS, TAGS, WORDS, PYTHON, TYPESCRIPT].flat())]

export const PREFIXES = [
  '', 'a', '\n', '```python\n', '```ts\ncode\n', '<think>', '<code>', '"', '/*', '(', '[{"code": "', 'def f(x):',
  'def f(x):\n    return 1\n', 'function f(a', 'export const f = ', 'import a\n',
  'def f(', 'const a', 'maximum context length ', 'Write a function called f. ', 'f(1', 'assert f(', 'x = 1 ', '//', '<', 'Input: ', 'a:',
  '/'
]
export const SUFFIXES = [
  '', 'x', '\n', '\n```', '\nx', ' {', '"', '*/', ')', '):\n', '}]', '</think>', '</code>',
  '!', '\u0000', '\nOutput: 1', '=', ' x = 1;', ';', '\u2028x', '<', ': x', '.py'
]

export interface Recipe { unit: number, prefix: number, suffix: number }

/** Every unit with every prefix, and with each of these another suffix. */
export const RECIPES: readonly Recipe[] = UNITS.flatMap((_, unit) => PREFIXES.map((_, prefix) => {
  return { unit, prefix, suffix: (prefix + unit) % SUFFIXES.length }
}))

export function cook ({ unit, prefix, suffix }: Recipe, size: number): string {
  const [first = '', repeated = ' ', last = ''] = [PREFIXES[prefix], UNITS[unit], SUFFIXES[suffix]]
  const text = first + repeated.repeat(Math.max(1, Math.floor((size - first.length - last.length) / repeated.length))) + last
  return Buffer.from(text, 'utf16le').toString('utf16le') // in one piece: no pattern has to put it together first
}

export function told ({ unit, prefix, suffix }: Recipe): string {
  const [first, repeated, last] = [PREFIXES[prefix], UNITS[unit], SUFFIXES[suffix]].map(part => JSON.stringify(part))
  return `${first} + n * ${repeated} + ${last}`
}

/** Numbers from 0 to below 1, the same ones for the same seed. */
export function * chances (seed: number): Generator<number, never> {
  for (let state = seed >>> 0; ;) {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    yield ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
