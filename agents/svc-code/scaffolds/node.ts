// TypeScript projects that run on Node: services, command lines, libraries.
import { isTest } from '../paths.js'
import { type ProjectKind, type Scaffold, find } from './kinds.js'
import { built, fromSrc, isInSrc, node, service, test } from './npm.js'

const APP = /^export (?:const|let) (\w+)(?::[^=\n]*)? = express\(/m
const FACTORY = /^export function (\w+)\([^)]*\)[^{\n]*\{\s*(?:const|let) \w[^=\n]*= express\(/m

export const NODE_SCAFFOLDS: Record<Extract<ProjectKind, 'express' | 'fastify' | 'node-cli' | 'typescript-library'>, Scaffold> = {
  express: node(
    'Express',
    'src/app.ts builds and exports `app`, src/server.ts listens, src/routes/*.ts one router each, logic goes to modules of its own',
    facts => {
      const app = find(facts.files, APP) ?? find(facts.files, FACTORY) ?? { path: 'src/app.ts', name: 'app' }
      const source = facts.files[app.path]
      const makes = source !== undefined && FACTORY.test(source) && !APP.test(source)
      const { path, scripts } = service(facts)
      const own = source === undefined || APP.test(source) || FACTORY.test(source)
      const call = makes ? `${app.name}()` : app.name
      return {
        files: {
          'src/app.ts': "import express from 'express';\n\nexport const app = express();\n\napp.use(express.json());\n\n"
            + "app.get('/health', (_request, response) => {\n  response.json({ status: 'ok' });\n});\n",
          ...(own
            && {
              [path]: `import { ${app.name} } from '${fromSrc(app.path)}';\n\nconst port = Number(process.env.PORT ?? 3000);\n`
                + `${call}.listen(port, () => console.log(\`listening on http://localhost:\${port}\`));\n`
            }),
          // What listens as it is loaded is no file for a test.
          ...(own
            && path !== app.path
            && {
              'test/service.test.ts': test(
                'an unknown path is not found',
                `import { ${app.name} } from '../${app.path}';`,
                `  const server = ${call}.listen(0);\n  try {\n    const address = server.address();\n`
                + `    const port = typeof address === 'object' && address !== null ? address.port : 0;\n`
                + '    const response = await fetch(`http://localhost:${port}/no-such-page`);\n'
                + '    assert.equal(response.status, 404);\n  } finally {\n    server.close();\n  }'
              )
            })
        },
        dependencies: { express: '^5.1.0' }, devDependencies: { '@types/express': '^5.0.0' }, scripts, run: 'npm run dev'
      }
    }
  ),
  fastify: node(
    'Fastify',
    'src/app.ts exports buildApp(), which returns the Fastify instance, src/server.ts listens, src/routes/*.ts one plugin each, logic '
    + 'goes to modules of its own',
    facts => {
      const app = find(
        facts.files,
        /^export (?:async )?(?:function|const) (\w*[Aa]pp\w*|\w*[Ss]erver|build\w*|create\w*)\b(?=[\s\S]*?\b[Ff]astify\()/m
      )
      ?? { path: 'src/app.ts', name: 'buildApp' }
      const source = facts.files[app.path]
      const makes = source === undefined || !new RegExp(`export const ${app.name}[^=\\n]*= (?:await )?[Ff]astify\\(`).test(source)
      const own = source === undefined || new RegExp(`^export .*\\b${app.name}\\b`, 'm').test(source)
      const { path, scripts } = service(facts)
      const call = makes ? `await ${app.name}()` : app.name
      return {
        files: {
          'src/app.ts': "import Fastify, { type FastifyInstance } from 'fastify';\n\nexport function buildApp(): FastifyInstance {\n"
            + "  const app = Fastify({ logger: true });\n  app.get('/health', async () => ({ status: 'ok' }));\n  return app;\n}\n",
          ...(own
            && {
              [path]: `import { ${app.name} } from '${fromSrc(
                app.path
              )}';\n\nconst app = ${call};\nawait app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' });\n`
            }),
          ...(own
            && path !== app.path
            && {
              'test/service.test.ts': test(
                'an unknown path is not found',
                `import { ${app.name} } from '../${app.path}';`,
                `  const app = ${call};\n  try {\n    const response = await app.inject('/no-such-page');\n`
                + '    assert.equal(response.statusCode, 404);\n  } finally {\n    await app.close();\n  }'
              )
            })
        },
        dependencies: { fastify: '^5.6.0' }, scripts, run: 'npm run dev'
      }
    }
  ),
  'node-cli': node(
    'Node command line',
    'src/cli.ts parses the arguments with node:util parseArgs and exports run(argv: string[]): string, src/main.ts calls it and prints, '
    + 'logic goes to modules of its own',
    facts => {
      const hasCode = Object.keys(facts.files).some(path => path.endsWith('.ts'))
      const run = find(facts.files, /^export (?:async )?function (run|main)\(/m)
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
