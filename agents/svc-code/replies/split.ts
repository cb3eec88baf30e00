// Tests, demonstrations and main guards under a program: importing it should do nothing.
import type { Language } from '../../types.js'
import { type Statement, statementsOf } from './statements.js'

const TESTY: Record<Language, RegExp> = {
  python: /^(?:@[^\n]*\n)*(?:(?:async )?def test_\w*|class Test\w*|class \w+\((?:unittest\.)?TestCase\)|def (?:run_)?tests?\()/,
  typescript: /^(?:\/\/[^\n]*\s*)*(?:export\s+)?(?:async\s+)?function (?:test[A-Z_]?\w*|runTests?)\b/
}

export interface Split { program: string, tests: string }

export function splitTests (source: string, language: Language, entry: string | undefined): Split {
  const statements = statementsOf(source, language)
  const defined = new Set(statements.filter(({ kind }) => kind === 'definition').flatMap(({ names }) => names))
  const lastDefinition = statements.findLastIndex(statement => statement.kind === 'definition' && !isTest(statement, language, entry))
  if (lastDefinition < 0) return { program: source, tests: '' }
  const runs = statements.map((statement, index) => isTest(statement, language, entry) || runsSomething(statement, index > lastDefinition, defined, language, entry))
  const program = statements.filter((_, index) => !runs[index])
  return { program: tidy(unhead(program).map(({ text }) => text).join('\n')), tests: tidy(statements.filter((_, index) => runs[index]).map(({ text }) => text).join('\n')) }
}

function isTest ({ text, names }: Statement, language: Language, entry: string | undefined): boolean {
  return !(entry !== undefined && names.includes(entry)) && TESTY[language].test(text.trimStart())
}

function runsSomething ({ text, kind, names }: Statement, below: boolean, defined: ReadonlySet<string>, language: Language, entry: string | undefined): boolean {
  if (kind === 'run') return true
  if (kind === 'definition') return language === 'python' && /^\s*if __name__/.test(text)
  // A value that is made of the program's own functions, under all of them, is a demonstration.
  return kind === 'binding' && below && !/\bexport\b/.test(text) && !(entry !== undefined && names.includes(entry))
    && [...defined].some(name => new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}\\s*\\(`).test(text)) && !/=>|\bfunction\b|\blambda\b/.test(text)
}

/** A heading such as `# Test cases` whose statements have gone. */
function unhead (statements: readonly Statement[]): Statement[] {
  let end = statements.length
  while (end > 0 && statements[end - 1]?.kind === 'comment' && !/^\s*(?:"""|''')/.test(statements[end - 1]?.text ?? '')) end--
  return statements.slice(0, end)
}

function tidy (text: string): string {
  return text.replace(/^\n+|\s+$/g, '')
}
