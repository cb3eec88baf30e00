// Tests of TypeScript and JavaScript programs: recognises, writes and completes test files.
import { codeOf, wordsIn } from '../code.js'
import type { Assertion, TestGroup } from '../profile.js'
import { importsOf } from './imports.js'
import { SYNTAX } from './syntax.js'

const RUNNERS = new Set(['node:test', 'vitest', '@jest/globals', 'bun:test'])

export function isTestFile (path: string | undefined, source: string): boolean {
  if (path !== undefined) return /(?:^|\/)(?:tests?|__tests__)\/|\.(?:test|spec)\.\w{1,4}$/.test(path)
  return importsOf(source).some(name => RUNNERS.has(name)) || /^(?:describe|it|test|Deno\.test)\s?\(/m.test(source)
}

export function testPath (path: string): string {
  const dot = path.lastIndexOf('.')
  return `${path.slice(0, dot)}.test${path.slice(dot)}`
}

export function moduleOf (path: string): string {
  return `./${path.slice(path.lastIndexOf('/') + 1)}`
}

export function suite (path: string, names: readonly string[], groups: readonly TestGroup[]): { path: string, source: string } | null {
  const filled = groups.filter(({ cases }) => cases.length > 0)
  if (filled.length === 0 || names.length === 0) return null
  const tests = filled.map(({ title, cases }) => `test('${title}', () => {\n${cases.map(one => `  ${lineOf(one)}`).join('\n')}\n});`)
  return {
    path: testPath(path),
    source: `import assert from 'node:assert/strict';\nimport test from 'node:test';\nimport { ${names.join(', ')} } from '${moduleOf(
      path
    )}';\n\n${tests.join('\n\n')}\n`
  }
}

function lineOf ({ setup, expression, wanted, tolerance }: Assertion): string {
  const line = assertOf(expression, wanted, tolerance)
  return setup === undefined ? line : `{ ${setup.replaceAll('\n', ' ')} ${line} }`
}

function assertOf (expression: string, wanted: Assertion['wanted'], tolerance: number | undefined): string {
  switch (wanted.type) {
    case 'raises': return `assert.throws(() => ${expression});`
    case 'true': return `assert.ok(${expression});`
    case 'value':
      return tolerance === undefined
        ? `assert.deepStrictEqual(${expression}, ${wanted.source});`
        : `assert.ok(Math.abs(${expression} - ${wanted.source}) <= ${tolerance});`
  }
}

/** Adds the import of the names under test, if the test file does not have it. */
export function importing (test: string, path: string, names: readonly string[]): string {
  const used = names.filter(name => wordsIn(codeOf(test, SYNTAX)).has(name))
  const isThere = importsOf(test).some(name => name.startsWith('.'))
    || used.every(name => new RegExp(`\\b(?:function|class|const|let) ${name.replaceAll('$', '\\$')}\\b`).test(test))
  return used.length === 0 || path === '' || isThere ? test : `import { ${used.join(', ')} } from '${moduleOf(path)}'\n${test}`
}
