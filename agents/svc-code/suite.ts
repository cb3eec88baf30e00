import type { Language } from '../types.js'
import { moduleOf } from './prompts.js'

/** A statement of the reply's test file: what the program gives for a call, as it was seen to give it. */
export interface Case { setup?: string | undefined, expression: string, expected: { type: 'value', source: string } | { type: 'raises', name: string | undefined } | { type: 'true' }, tolerance?: number | undefined }

/** The test file that comes with a program: the user's examples, then tests that the model wrote. */
export function suiteOf (language: Language, path: string, names: readonly string[], groups: readonly { title: string, cases: readonly Case[] }[]): { path: string, source: string } | null {
  const filled = groups.filter(({ cases }) => cases.length > 0)
  if (filled.length === 0 || names.length === 0) return null
  return language === 'python' ? pythonSuite(path, names, filled) : typescriptSuite(path, names, filled)
}

function pythonSuite (path: string, names: readonly string[], groups: readonly { title: string, cases: readonly Case[] }[]): { path: string, source: string } {
  const raises = groups.some(({ cases }) => cases.some(({ expected }) => expected.type === 'raises'))
  const approx = groups.some(({ cases }) => cases.some(({ tolerance }) => tolerance !== undefined))
  const tests = groups.map(({ title, cases }) => `def test_${title.replaceAll(' ', '_')}() -> None:\n${cases.flatMap(pythonLines).map(line => `    ${line}`).join('\n')}`)
  const imports = [...(raises || approx ? ['import pytest', ''] : []), `from ${moduleOf(path)} import ${names.join(', ')}`]
  return { path: path.replace(/([^/]+)\.py$/, 'test_$1.py'), source: `${imports.join('\n')}\n\n\n${tests.join('\n\n\n')}\n` }
}

function pythonLines ({ setup, expression, expected, tolerance }: Case): string[] {
  const before = setup === undefined ? [] : setup.split('\n')
  switch (expected.type) {
    case 'raises': return [...before, `with pytest.raises(${expected.name ?? 'Exception'}):`, `    ${expression}`]
    case 'true': return [...before, `assert ${expression}`]
    case 'value': {
      if (tolerance !== undefined) return [...before, `assert ${expression} == pytest.approx(${expected.source}, abs=${tolerance})`]
      return [...before, `assert ${expression} ${/^(None|True|False)$/.test(expected.source) ? 'is' : '=='} ${expected.source}`]
    }
  }
}

function typescriptSuite (path: string, names: readonly string[], groups: readonly { title: string, cases: readonly Case[] }[]): { path: string, source: string } {
  const file = path.slice(path.lastIndexOf('/') + 1)
  const tests = groups.map(({ title, cases }) => `test('${title}', () => {\n${cases.map(one => `  ${typescriptLine(one)}`).join('\n')}\n});`)
  return {
    path: path.replace(/\.([mc]?tsx?)$/, '.test.$1'),
    source: `import assert from 'node:assert/strict';\nimport test from 'node:test';\nimport { ${names.join(', ')} } from './${file}';\n\n${tests.join('\n\n')}\n`
  }
}

function typescriptLine ({ setup, expression, expected, tolerance }: Case): string {
  const line = ((): string => {
    switch (expected.type) {
      case 'raises': return `assert.throws(() => ${expression});`
      case 'true': return `assert.ok(${expression});`
      case 'value': return tolerance === undefined ? `assert.deepStrictEqual(${expression}, ${expected.source});` : `assert.ok(Math.abs(${expression} - ${expected.source}) <= ${tolerance});`
    }
  })()
  return setup === undefined ? line : `{ ${setup.replaceAll('\n', ' ')} ${line} }`
}
