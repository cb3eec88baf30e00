// TypeScript projects that run on Node: no bundler, tests by node:test.
import { type Facts, type ProjectKind, type Scaffold, find, packageName } from './kinds.js'
import { npmPackages } from './packages.js'

export const IGNORED = 'node_modules/\ndist/\ncoverage/\n*.log\n.env\n'

export function json (value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

interface Manifest { scripts: Record<string, string>, dependencies?: Record<string, string>, devDependencies: Record<string, string> }

/** With the packages that the sources import beside those of the framework. */
export function manifest ({ name, summary, files }: Facts, { scripts, dependencies = {}, devDependencies }: Manifest, more: Record<string, unknown> = {}): string {
  const used = npmPackages(files, [...Object.keys(dependencies), ...Object.keys(devDependencies)])
  const all = { ...dependencies, ...used.dependencies }
  return json({ name: packageName(name), version: '0.1.0', private: true, description: summary, type: 'module', engines: { node: '>=20.19' }, ...more, scripts, ...(Object.keys(all).length > 0 && { dependencies: all }), devDependencies: { ...devDependencies, ...used.types } })
}

const TYPES = { typescript: '>=5.9 <8', '@types/node': '>=22', tsx: '^4.20.0' }
const COMPILER = { target: 'es2023', module: 'nodenext', moduleResolution: 'nodenext', strict: true, noUncheckedIndexedAccess: true, skipLibCheck: true, rewriteRelativeImportExtensions: true, declaration: true, rootDir: 'src', outDir: 'dist', types: ['node'] }
const SCRIPTS = { build: 'tsc', check: 'tsc --noEmit', test: 'node --import tsx --test test/*.test.ts' }

interface Parts {
  files: Record<string, string>
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  scripts?: Record<string, string>
  manifest?: Record<string, unknown>
  run: string
}

function node (title: string, layout: string, more: (facts: Facts) => Parts): Scaffold {
  return {
    language: 'typescript', title, layout, setup: 'npm install', test: 'npm test',
    make: facts => {
      const { files, dependencies = {}, devDependencies = {}, scripts = {}, manifest: fields = {}, run } = more(facts)
      return {
        files: {
          '.gitignore': IGNORED,
          'package.json': manifest({ ...facts, files: { ...files, ...facts.files } }, { scripts: { ...scripts, ...SCRIPTS }, dependencies, devDependencies: { ...TYPES, ...devDependencies } }, fields),
          'tsconfig.json': json({ compilerOptions: COMPILER, include: ['src'] }),
          ...files
        },
        run
      }
    }
  }
}

const test = (title: string, imports: string, body: string) => `import assert from 'node:assert/strict';\nimport test from 'node:test';\n${imports}\n\ntest('${title}', async () => {\n${body}\n});\n`

/** `src/server.ts` as the build makes it. */
const built = (path: string) => path.replace(/^src\//, 'dist/').replace(/\.ts$/, '.js')
const LISTENS = /\.listen\(/
const EXPRESS = /^export (?:const|let) (\w+)[^=\n]*= express\(|^export function (\w+)\([^)]*\)[^{\n]*\{\s*(?:const|let) \w+[^=\n]*= express\(/m

/** Started by the file that listens; where none does, by one that is made for it. */
function service (facts: Facts): { path: string, scripts: Record<string, string> } {
  const path = find(facts.files, LISTENS, /^src\/.*\.ts$/)?.path ?? 'src/server.ts'
  return { path, scripts: { dev: `tsx watch ${path}`, start: `node ${built(path)}` } }
}

export const NODE_SCAFFOLDS: Record<Extract<ProjectKind, 'express' | 'fastify' | 'node-cli' | 'typescript-library'>, Scaffold> = {
  express: node('Express', 'src/app.ts builds and exports `app`, src/server.ts listens, src/routes/*.ts one router each, logic goes to modules of its own', facts => {
    const app = find(facts.files, EXPRESS) ?? { path: 'src/app.ts', name: 'app' }
    const makes = /function/.test(EXPRESS.exec(facts.files[app.path] ?? '')?.[0] ?? '')
    const { path, scripts } = service(facts)
    const own = facts.files[app.path] === undefined || EXPRESS.test(facts.files[app.path] ?? '')
    const call = makes ? `${app.name}()` : app.name
    return {
      files: {
        'src/app.ts': "import express from 'express';\n\nexport const app = express();\n\napp.use(express.json());\n\napp.get('/health', (_request, response) => {\n  response.json({ status: 'ok' });\n});\n",
        ...(own && { [path]: `import { ${app.name} } from './${app.path.replace(/^src\//, '').replace(/\.ts$/, '.js')}';\n\nconst port = Number(process.env.PORT ?? 3000);\n${call}.listen(port, () => console.log(\`listening on http://localhost:\${port}\`));\n` }),
        // What listens as it is loaded is no file for a test.
        ...(own && path !== app.path && { 'test/service.test.ts': test('an unknown path is not found', `import { ${app.name} } from '../${app.path}';`, `  const server = ${call}.listen(0);\n  try {\n    const address = server.address();\n    const port = typeof address === 'object' && address !== null ? address.port : 0;\n    const response = await fetch(\`http://localhost:\${port}/no-such-page\`);\n    assert.equal(response.status, 404);\n  } finally {\n    server.close();\n  }`) })
      },
      dependencies: { express: '^5.1.0' }, devDependencies: { '@types/express': '^5.0.0' }, scripts, run: 'npm run dev'
    }
  }),
  fastify: node('Fastify', 'src/app.ts exports buildApp(), which returns the Fastify instance, src/server.ts listens, src/routes/*.ts one plugin each, logic goes to modules of its own', facts => {
    const app = find(facts.files, /^export (?:async )?(?:function|const) (\w*[Aa]pp\w*|\w*[Ss]erver|build\w*|create\w*)\b(?=[\s\S]*?\b[Ff]astify\()/m) ?? { path: 'src/app.ts', name: 'buildApp' }
    const source = facts.files[app.path]
    const makes = source === undefined || !new RegExp(`export const ${app.name}[^=\\n]*= (?:await )?[Ff]astify\\(`).test(source)
    const own = source === undefined || new RegExp(`^export .*\\b${app.name}\\b`, 'm').test(source)
    const { path, scripts } = service(facts)
    const call = makes ? `await ${app.name}()` : app.name
    return {
      files: {
        'src/app.ts': "import Fastify, { type FastifyInstance } from 'fastify';\n\nexport function buildApp(): FastifyInstance {\n  const app = Fastify({ logger: true });\n  app.get('/health', async () => ({ status: 'ok' }));\n  return app;\n}\n",
        ...(own && { [path]: `import { ${app.name} } from './${app.path.replace(/^src\//, '').replace(/\.ts$/, '.js')}';\n\nconst app = ${call};\nawait app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' });\n` }),
        ...(own && path !== app.path && { 'test/service.test.ts': test('an unknown path is not found', `import { ${app.name} } from '../${app.path}';`, `  const app = ${call};\n  try {\n    const response = await app.inject('/no-such-page');\n    assert.equal(response.statusCode, 404);\n  } finally {\n    await app.close();\n  }`) })
      },
      dependencies: { fastify: '^5.6.0' }, scripts, run: 'npm run dev'
    }
  }),
  'node-cli': node('Node command line', 'src/cli.ts parses the arguments with node:util parseArgs and exports run(argv: string[]): string, src/main.ts calls it and prints, logic goes to modules of its own', facts => {
    const hasCode = Object.keys(facts.files).some(path => path.endsWith('.ts'))
    const run = find(facts.files, /^export (?:async )?function (run|main)\(/m)
    const main = find(facts.files, /process\.argv/, /^src\/.*\.ts$/)?.path ?? 'src/main.ts'
    return {
      files: {
        ...(!hasCode && {
          'src/cli.ts': "import { parseArgs } from 'node:util';\n\nexport function run(argv: string[]): string {\n  const { values } = parseArgs({ args: argv, options: { name: { type: 'string', default: 'world' } } });\n  return `Hello, ${values.name}!`;\n}\n",
          'test/cli.test.ts': test('it says hello', "import { run } from '../src/cli.ts';", "  assert.equal(run(['--name', 'Ada']), 'Hello, Ada!');")
        }),
        ...((run !== undefined || !hasCode) && { [main]: `#!/usr/bin/env node\nimport { ${run?.name ?? 'run'} } from './${(run?.path ?? 'src/cli.ts').replace(/^src\//, '').replace(/\.ts$/, '.js')}';\n\nconst said: unknown = await ${run?.name ?? 'run'}(process.argv.slice(2));\nif (typeof said === 'string') console.log(said);\n` })
      },
      manifest: { bin: `./${built(main)}` }, run: `npm run build && node ${built(main)} --help`
    }
  }),
  'typescript-library': node('TypeScript library', 'src/index.ts exports what users need, a module for each concern beside it', facts => {
    const modules = Object.keys(facts.files).filter(path => /^src\/[^/]+\.ts$/.test(path) && !/\.(?:test|spec|d)\.ts$/.test(path) && /^export\b/m.test(facts.files[path] ?? ''))
    return {
      files: modules.length > 0
        ? { 'src/index.ts': `${modules.map(path => `export * from './${path.slice(4).replace(/\.ts$/, '.js')}';`).join('\n')}\n` }
        : { 'src/index.ts': 'export function greet(name: string): string {\n  return `Hello, ${name}!`;\n}\n', 'test/index.test.ts': test('it greets', "import { greet } from '../src/index.ts';", "  assert.equal(greet('Ada'), 'Hello, Ada!');") },
      manifest: { exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } }, files: ['dist'] }, run: 'npm run build'
    }
  })
}
