// Command-line tools and libraries in TypeScript for Node.
import { isTest } from '../paths.js'
import { type ProjectKind, type Scaffold, find, findStatement } from './kinds.js'
import { built, fromSrc, isInSrc, node, test } from './npm.js'

export const NODE_SCAFFOLDS: Record<Extract<ProjectKind, 'node-cli' | 'typescript-library'>, Scaffold> = {
  'node-cli': node(
    'Node command line',
    'src/cli.ts parses the arguments with node:util parseArgs and exports run(argv: string[]): string, src/main.ts calls it and prints, '
    + 'logic goes to modules of its own',
    facts => {
      const hasCode = Object.keys(facts.files).some(path => path.endsWith('.ts'))
      const run = findStatement(facts.files, /^export (?:async )?function (run|main)\(/)
      const entry = run?.name ?? 'run'
      const main = find(facts.files, /process\.argv/, isInSrc)?.path ?? 'src/main.ts'
      return {
        files: {
          ...(!hasCode && {
            'src/cli.ts': "import { parseArgs } from 'node:util';\n\nexport function run(argv: string[]): string {\n"
              + "  const { values } = parseArgs({ args: argv, options: { name: { type: 'string', default: 'world' } } });\n"
              + '  return `Hello, ${values.name}!`;\n}\n',
            'test/cli.test.ts': test(
              'it says hello',
              "import { run } from '../src/cli.ts';",
              "  assert.equal(run(['--name', 'Ada']), 'Hello, Ada!');"
            )
          }),
          ...((run !== undefined || !hasCode) && {
            [main]: `#!/usr/bin/env node\nimport { ${entry} } from '${fromSrc(run?.path ?? 'src/cli.ts')}';\n\n`
              + `const said: unknown = await ${entry}(process.argv.slice(2));\nif (typeof said === 'string') console.log(said);\n`
          })
        },
        manifest: { bin: `./${built(main)}` }, run: `npm run build && node ${built(main)} --help`
      }
    }
  ),
  'typescript-library': node('TypeScript library', 'src/index.ts exports what users need, a module for each concern beside it', facts => {
    const modules = Object
      .keys(facts.files)
      .filter(path => isInSrc(path)
        && path.split('/').length === 2
        && !isTest(path)
        && !path.endsWith('.d.ts')
        && (facts.files[path] ?? '').split('\n').some(line => line.startsWith('export ')))
    return {
      files: modules.length > 0
        ? { 'src/index.ts': `${modules.map(path => `export * from '${fromSrc(path)}';`).join('\n')}\n` }
        : {
            'src/index.ts': 'export function greet(name: string): string {\n  return `Hello, ${name}!`;\n}\n',
            'test/index.test.ts': test(
              'it greets',
              "import { greet } from '../src/index.ts';",
              "  assert.equal(greet('Ada'), 'Hello, Ada!');"
            )
          },
      manifest: { exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } }, files: ['dist'] }, run: 'npm run build'
    }
  })
}
