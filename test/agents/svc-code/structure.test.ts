import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../../../agents/svc-code', import.meta.url))
const MOST = { chain: 7, patterns: 5, columns: 140, lines: 300 }
const LANGUAGES = ['python', 'typescript']
const PROFILES = ['languages/', 'scaffolds/']

const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts')).map(name => {
  const path = join(ROOT, name)
  return { path, source: ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true) }
})
const nameOf = (path: string) => relative(ROOT, path).replaceAll('\\', '/')

/** The files of the agent that a file loads. Imports of types are gone when the code runs. */
const imports = new Map(files.map(({ path, source }) => [path, source.statements.flatMap(statement => {
  if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return []
  const { moduleSpecifier } = statement
  if (!moduleSpecifier || !ts.isStringLiteral(moduleSpecifier) || !moduleSpecifier.text.startsWith('.') || isOfTypes(statement)) return []
  const target = resolve(dirname(path), moduleSpecifier.text.replace('.js', '.ts'))
  return files.some(file => file.path === target) ? [target] : []
})]))

function isOfTypes (statement: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(statement)) return statement.isTypeOnly
  const clause = statement.importClause
  if (!clause || clause.isTypeOnly) return clause !== undefined
  const names = clause.namedBindings
  if (clause.name !== undefined || names === undefined || !ts.isNamedImports(names)) return false
  return names.elements.every(({ isTypeOnly }) => isTypeOnly)
}

function nodesOf (source: ts.SourceFile, isMeant: (node: ts.Node) => boolean): ts.Node[] {
  const found: ts.Node[] = []
  const visit = (node: ts.Node): void => {
    if (isMeant(node)) found.push(node)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

void t.test('no chain of imports is longer than seven files, and none is a circle', async t => {
  const known = new Map<string, string[]>()
  const circles: string[] = []
  const longest = (path: string, above: readonly string[]): string[] => {
    if (above.includes(path)) {
      circles.push([...above.slice(above.indexOf(path)), path].map(nameOf).join(' > '))
      return [path]
    }
    const found = known.get(path) ?? [path, ...(imports.get(path) ?? [])
      .map(next => longest(next, [...above, path]))
      .reduce((left, right) => right.length > left.length ? right : left, [])]
    known.set(path, found)
    return found
  }
  const chains = files.map(({ path }) => longest(path, []))
  t.strictSame(circles, [])
  t.strictSame(chains.filter(chain => chain.length > MOST.chain).map(chain => chain.map(nameOf).join(' > ')), [])
})

void t.test('no file holds more than five patterns', async t => {
  const many = files.filter(({ source }) => nodesOf(source, ts.isRegularExpressionLiteral).length > MOST.patterns)
  t.strictSame(many.map(({ path }) => nameOf(path)), [])
})

void t.test('only profiles and scaffolds know a language by its name', async t => {
  const equalities = new Set([
    ts.SyntaxKind.EqualsEqualsEqualsToken, ts.SyntaxKind.ExclamationEqualsEqualsToken,
    ts.SyntaxKind.EqualsEqualsToken, ts.SyntaxKind.ExclamationEqualsToken
  ])
  const isName = (node: ts.Node) => ts.isStringLiteralLike(node) && LANGUAGES.includes(node.text)
  const isEquality = (node: ts.Node) =>
    ts.isBinaryExpression(node) && equalities.has(node.operatorToken.kind) && [node.left, node.right].some(isName)
  const compares = (node: ts.Node) => isEquality(node)
    || (ts.isCaseClause(node) && isName(node.expression))
    || (ts.isPropertyAssignment(node) && LANGUAGES.includes(node.name.getText().replaceAll("'", '')))
  const found = files.filter(({ path, source }) =>
    !PROFILES.some(folder => nameOf(path).startsWith(folder)) && nodesOf(source, compares).length > 0)
  t.strictSame(found.map(({ path }) => nameOf(path)), [])
})

void t.test('lines end at 140 characters, and files at 300 lines', async t => {
  const long = files.flatMap(({ path, source }) => source.text.split('\n').flatMap((line, index) => line.length > MOST.columns ? [`${nameOf(path)}:${index + 1}`] : []))
  t.strictSame(long, [])
  t.strictSame(files.filter(({ source }) => source.text.split('\n').length - 1 > MOST.lines).map(({ path }) => nameOf(path)), [])
})
