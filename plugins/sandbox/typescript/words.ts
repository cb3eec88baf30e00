// Comments, strings and templates.
const SKIPPED = [
  // eslint-disable-next-line regexp/no-super-linear-move -- a line of slashes is one comment, and is read once
  /\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)/,
  /'(?:\\.?|[^'\\\n])*'?|"(?:\\.?|[^"\\\n])*"?|`(?:\\[\s\S]?|[^`\\])*`?/
].map(({ source }) => source).join('|')
const TEMPLATE_CODE = /\$\{[^`{}]*/g

/** Replaces `import.meta.env` or `import.meta.main` wherever it is code: also in `${}`, but not in comments and strings. */
export function replaceMeta (source: string, name: 'env' | 'main', replacement: string): string {
  const words = `import.meta.${name}`
  if (!source.includes(words)) return source
  const pattern = `\\bimport\\.meta\\.${name}\\b`
  return source.replace(new RegExp(`${SKIPPED}|${pattern}`, 'g'), token => {
    if (token.startsWith('`')) return token.replace(TEMPLATE_CODE, code => code.replace(new RegExp(pattern, 'g'), replacement))
    return token === words ? replacement : token
  })
}
