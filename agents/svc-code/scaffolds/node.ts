// TypeScript projects that run on Node: no bundler, tests by node:test.
import { type Facts, type ProjectKind, type Scaffold, packageName } from './kinds.js'

export const IGNORED = 'node_modules/\ndist/\ncoverage/\n*.log\n.env\n'

export function json (value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

export function manifest ({ name, summary }: Facts, more: { scripts: Record<string, string>, dependencies?: Record<string, string>, devDependencies?: Record<string, string> } & Record<string, unknown>): string {
  return json({ name: packageName(name), version: '0.1.0', private: true, description: summary, type: 'module', engines: { node: '>=20.19' }, ...more })
}

const TYPES = { typescript: '>=5.9 <8', '@types/node': '>=22' }
const COMPILER = { target: 'es2023', module: 'nodenext', moduleResolution: 'nodenext', strict: true, noUncheckedIndexedAccess: true, skipLibCheck: true, rewriteRelativeImportExtensions: true, declaration: true, rootDir: 'src', outDir: 'dist', types: ['node'] }
const SCRIPTS = { build: 'tsc', check: 'tsc --noEmit', test: 'node --import tsx --test "test/**/*.test.ts"' }

function node (title: string, layout: string, run: string, dependencies: Record<string, string>, { devDependencies = {}, scripts = {}, more = {}, entry }: { devDependencies?: Record<string, string>, scripts?: Record<string, string>, more?: Record<string, unknown>, entry: Scaffold['entry'] }): Scaffold {
  return {
    language: 'typescript', title, layout, setup: 'npm install', run, test: 'npm test', entry,
    files: facts => ({
      '.gitignore': IGNORED,
      'package.json': manifest(facts, { ...more, scripts: { ...SCRIPTS, ...scripts }, ...(Object.keys(dependencies).length > 0 && { dependencies }), devDependencies: { ...TYPES, tsx: '^4.20.0', ...devDependencies } }),
      'tsconfig.json': json({ compilerOptions: COMPILER, include: ['src'] })
    })
  }
}

const test = (title: string, imports: string, body: string) => `import assert from 'node:assert/strict';\nimport test from 'node:test';\n${imports}\n\ntest('${title}', async () => {\n${body}\n});\n`

export const NODE_SCAFFOLDS: Record<Extract<ProjectKind, 'express' | 'fastify' | 'nestjs' | 'node-cli' | 'typescript-library'>, Scaffold> = {
  express: node('Express', 'src/app.ts builds and exports the app, src/server.ts listens, src/routes/*.ts one router each, logic goes to modules of its own', 'npm run dev', { express: '^5.1.0' }, {
    devDependencies: { '@types/express': '^5.0.0' },
    scripts: { dev: 'tsx watch src/server.ts', start: 'node dist/server.js' },
    entry: {
      matches: /(?:^|\/)(?:app|server|index|main)\.ts$/,
      files: () => ({
        'src/app.ts': "import express from 'express';\n\nexport const app = express();\n\napp.use(express.json());\n\napp.get('/health', (_request, response) => {\n  response.json({ status: 'ok' });\n});\n",
        'src/server.ts': "import { app } from './app.js';\n\nconst port = Number(process.env.PORT ?? 3000);\napp.listen(port, () => console.log(`listening on http://localhost:${port}`));\n",
        'test/app.test.ts': test('the service is healthy', "import { app } from '../src/app.js';", "  const server = app.listen(0);\n  try {\n    const address = server.address();\n    const port = typeof address === 'object' && address !== null ? address.port : 0;\n    const response = await fetch(`http://localhost:${port}/health`);\n    assert.deepEqual(await response.json(), { status: 'ok' });\n  } finally {\n    server.close();\n  }")
      })
    }
  }),
  fastify: node('Fastify', 'src/app.ts builds the app (buildApp), src/server.ts listens, src/routes/*.ts one plugin each, logic goes to modules of its own', 'npm run dev', { fastify: '^5.6.0' }, {
    scripts: { dev: 'tsx watch src/server.ts', start: 'node dist/server.js' },
    entry: {
      matches: /(?:^|\/)(?:app|server|index|main)\.ts$/,
      files: () => ({
        'src/app.ts': "import Fastify, { type FastifyInstance } from 'fastify';\n\nexport function buildApp(): FastifyInstance {\n  const app = Fastify({ logger: true });\n  app.get('/health', async () => ({ status: 'ok' }));\n  return app;\n}\n",
        'src/server.ts': "import { buildApp } from './app.js';\n\nawait buildApp().listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' });\n",
        'test/app.test.ts': test('the service is healthy', "import { buildApp } from '../src/app.js';", "  const app = buildApp();\n  const response = await app.inject('/health');\n  assert.deepEqual(response.json(), { status: 'ok' });\n  await app.close();")
      })
    }
  }),
  nestjs: node('NestJS', 'src/main.ts boots AppModule, src/app.module.ts lists the modules, src/NAME/NAME.{module,controller,service}.ts for each part', 'npm run start:dev', { '@nestjs/common': '>=11 <13', '@nestjs/core': '>=11 <13', '@nestjs/platform-express': '>=11 <13', 'reflect-metadata': '^0.2.2', rxjs: '^7.8.1' }, {
    devDependencies: { '@nestjs/cli': '>=11 <13', '@nestjs/testing': '>=11 <13' },
    scripts: { build: 'nest build', start: 'node dist/main.js', 'start:dev': 'nest start --watch', test: 'nest build && node --test "dist/**/*.spec.js"' },
    entry: {
      matches: /(?:^|\/)main\.ts$/,
      files: facts => ({
        'src/main.ts': "import 'reflect-metadata';\nimport { NestFactory } from '@nestjs/core';\nimport { AppModule } from './app.module.js';\n\nconst app = await NestFactory.create(AppModule);\nawait app.listen(Number(process.env.PORT ?? 3000));\n",
        ...(!facts.files.includes('src/app.module.ts') && { 'src/app.module.ts': "import { Controller, Get, Module } from '@nestjs/common';\n\n@Controller('health')\nexport class HealthController {\n  @Get()\n  health(): { status: string } {\n    return { status: 'ok' };\n  }\n}\n\n@Module({ controllers: [HealthController] })\nexport class AppModule {}\n" })
      })
    }
  }),
  'node-cli': node('Node command line', 'src/cli.ts parses the arguments with node:util parseArgs and exports run(argv), src/main.ts calls it, logic goes to modules of its own', 'npm run build && node dist/main.js --help', {}, {
    more: { bin: './dist/main.js' },
    entry: {
      matches: /(?:^|\/)(?:cli|main|index)\.ts$/,
      files: () => ({
        'src/cli.ts': "import { parseArgs } from 'node:util';\n\nexport function run(argv: string[]): string {\n  const { values } = parseArgs({ args: argv, options: { name: { type: 'string', default: 'world' } } });\n  return `Hello, ${values.name}!`;\n}\n",
        'src/main.ts': "#!/usr/bin/env node\nimport { run } from './cli.js';\n\nconsole.log(run(process.argv.slice(2)));\n",
        'test/cli.test.ts': test('it says hello', "import { run } from '../src/cli.js';", "  assert.equal(run(['--name', 'Ada']), 'Hello, Ada!');")
      })
    }
  }),
  'typescript-library': node('TypeScript library', 'src/index.ts exports what users need, a module for each concern beside it', 'npm run build', {}, {
    more: { exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } }, files: ['dist'] },
    entry: {
      matches: /\.ts$/,
      files: () => ({ 'src/index.ts': 'export function greet(name: string): string {\n  return `Hello, ${name}!`;\n}\n', 'test/index.test.ts': test('it greets', "import { greet } from '../src/index.js';", "  assert.equal(greet('Ada'), 'Hello, Ada!');") })
    }
  })
}
