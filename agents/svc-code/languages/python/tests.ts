// Tests of Python programs: recognises, writes and completes test files.
import { codeOf, wordsIn } from '../code.js'
import type { Assertion, TestGroup } from '../profile.js'
import { SYNTAX, importsOf } from './statements.js'

export function isTestFile (path: string | undefined, source: string): boolean {
  if (path !== undefined
    && (/(?:^|\/)(?:tests?\/[^/]|test_)[^/]*\.py$/.test(path) || path.endsWith('_test.py') || path.endsWith('conftest.py'))) {
    return true
  }
  if (path !== undefined) return false
  return importsOf(source).some(name => name === 'pytest' || name.startsWith('unittest'))
    || /^(?:async )?def test_\w+\(|^class Test\w*[:(]/m.test(source)
}

export function testPath (path: string): string {
  const slash = path.lastIndexOf('/') + 1
  return `${path.slice(0, slash)}test_${path.slice(slash)}`
}

/** `shop/prices.py` is imported as `shop.prices`. */
export function moduleOf (path: string): string {
  const plain = path.slice(0, path.lastIndexOf('.py'))
  return (plain.endsWith('/__init__') ? plain.slice(0, -'/__init__'.length) : plain).replaceAll('/', '.')
}

export function suite (path: string, names: readonly string[], groups: readonly TestGroup[]): { path: string, source: string } | null {
  const filled = groups.filter(({ cases }) => cases.length > 0)
  if (filled.length === 0 || names.length === 0) return null
  const cases = filled.flatMap(({ cases }) => cases)
  const needsPytest = cases.some(({ wanted, tolerance }) => wanted.type === 'raises' || tolerance !== undefined)
  const tests = filled.map(({ title, cases }) => `def test_${title.replaceAll(
    ' ',
    '_'
  )}() -> None:\n${cases.flatMap(linesOf).map(line => `    ${line}`).join('\n')}`)
  const imports = [...(needsPytest ? ['import pytest', ''] : []), `from ${moduleOf(path)} import ${names.join(', ')}`]
  return { path: testPath(path), source: `${imports.join('\n')}\n\n\n${tests.join('\n\n\n')}\n` }
}

function linesOf ({ setup, expression, wanted, tolerance }: Assertion): string[] {
  const before = setup === undefined ? [] : setup.split('\n')
  switch (wanted.type) {
    case 'raises': return [...before, `with pytest.raises(${wanted.name ?? 'Exception'}):`, `    ${expression}`]
    case 'true': return [...before, `assert ${expression}`]
    case 'value': {
      if (tolerance !== undefined) return [...before, `assert ${expression} == pytest.approx(${wanted.source}, abs=${tolerance})`]
      return [...before, `assert ${expression} ${['None', 'True', 'False'].includes(wanted.source) ? 'is' : '=='} ${wanted.source}`]
    }
  }
}

/** Adds the import of the names under test, if the test file does not have it. */
export function importing (test: string, path: string, names: readonly string[]): string {
  const module = moduleOf(path)
  const code = codeOf(test, SYNTAX)
  const used = names.filter(name => wordsIn(code).has(name))
  const isThere = importsOf(test).includes(module) || used.every(name => isBound(code, name))
  if (used.length === 0 || module === '' || isThere) return test
  const future = /^from __future__ import [^\n]{1,200}\n/m.exec(test)
  const at = future ? future.index + future[0].length : 0
  const gap = /^\s*(?:from|import)\b/.test(test.slice(at)) ? '\n' : '\n\n\n'
  return `${test.slice(0, at)}from ${module} import ${used.join(', ')}${gap}${test.slice(at).trimStart()}`
}

/** Whether a name is imported or defined in the test file itself. */
function isBound (code: string, name: string): boolean {
  return new RegExp(`\\bimport\\b[^\\n]{0,400}\\b${name}\\b`).test(code) || new RegExp(`\\b(?:def|class) ${name}\\b`).test(code)
}
