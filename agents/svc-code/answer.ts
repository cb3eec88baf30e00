import type { Files } from '../types.js'

const TAGS: Record<string, string> = {
  py: 'python', ts: 'typescript', tsx: 'tsx', mts: 'typescript', cts: 'typescript', js: 'javascript', jsx: 'jsx', mjs: 'javascript', cjs: 'javascript',
  json: 'json', toml: 'toml', md: 'markdown', yml: 'yaml', yaml: 'yaml', html: 'html', css: 'css', vue: 'vue', sh: 'sh', txt: 'text', ini: 'ini', cfg: 'ini', sql: 'sql'
}

/** The reply: a sentence, each file once under its path, and what is known of it. */
export function answer ({ approach, files, verification, notes = [] }: { approach: string, files: Files, verification: readonly string[], notes?: readonly string[] }): string {
  return [
    ...notes,
    ...(approach === '' ? [] : [approach]),
    ...Object.entries(files).map(([path, source]) => section(path, source)),
    `### Verification\n${verification.join('\n')}`
  ].join('\n\n') + '\n'
}

function section (path: string, source: string): string {
  const tag = TAGS[path.slice(path.lastIndexOf('.') + 1).toLowerCase()] ?? ''
  const fence = '`'.repeat(Math.max(3, longestRun(source) + 1))
  return `### ${path}\n${fence}${tag}\n${source.trimEnd()}\n${fence}`
}

/** A program that holds fences itself wants a longer one around it. */
function longestRun (source: string): number {
  return Math.max(0, ...Array.from(source.matchAll(/^\s*(`{3,})/gm), match => match[1]?.length ?? 0))
}
