// Web frameworks for Node. The scaffold adds a file that listens for an existing app, and a test that is right for every app.
import { type Facts, type FoundStatement, type ProjectKind, type Scaffold, findStatement } from './kinds.js'
import { fromSrc, node, service, test } from './npm.js'

/** How an app of a framework is recognised: as a constant, or as a function that makes one. */
interface Signs { app: RegExp, factory: RegExp }

const EXPRESS: Signs = {
  app: /^export (?:const|let) (\w+)(?::[^=\n]*)? = express\(/,
  factory: /^export function (\w+)\([^)]*\)[^{\n]*\{\s*(?:const|let) \w[^=\n]*= express\(/
}
const FASTIFY: Signs = {
  app: /^export const (\w+)(?::[^=\n]*)? = (?:await )?[Ff]astify\(/,
  factory: /^export (?:async )?(?:function|const) (\w*[Aa]pp\w*|\w*[Ss]erver|build\w*|create\w*)\b(?=[\s\S]*?\b[Ff]astify\()/
}

interface App extends FoundStatement {
  isFactory: boolean
  /** Whether it can be imported: its file exports it, or the scaffold makes that file. */
  isExported: boolean
}

function appIn ({ files }: Facts, { app, factory }: Signs, usual: Pick<App, 'name' | 'isFactory'>): App {
  const plain = findStatement(files, app)
  if (plain !== undefined) return { ...plain, isFactory: false, isExported: true }
  const made = findStatement(files, factory)
  if (made !== undefined) return { ...made, isFactory: true, isExported: true }
  const path = 'src/app.ts'
  const exported = (files[path] ?? `export ${usual.name}`).split('\n').filter(line => line.startsWith('export '))
  return { ...usual, path, isExported: exported.some(line => line.split(/\W+/).includes(usual.name)) }
}

/** The file that listens, and a test that is right for every app. The test does not import a file that listens when it is loaded. */
function around (facts: Facts, app: App, { startCode, testBody }: { startCode: string, testBody: string }): Record<string, string> {
  if (!app.isExported) return {}
  const { path } = service(facts)
  return {
    [path]: `import { ${app.name} } from '${fromSrc(app.path)}';\n\n${startCode}`,
    ...(path === app.path ? {} : {
      'test/service.test.ts': test('an unknown path is not found', `import { ${app.name} } from '../${app.path}';`, testBody)
    })
  }
}

export const NODE_SERVICE_SCAFFOLDS: Record<Extract<ProjectKind, 'express' | 'fastify'>, Scaffold> = {
  express: node(
    'Express',
    'src/app.ts builds and exports `app`, src/server.ts listens, src/routes/*.ts one router each, logic goes to modules of its own',
    facts => {
      const app = appIn(facts, EXPRESS, { name: 'app', isFactory: false })
      const call = app.isFactory ? `${app.name}()` : app.name
      return {
        files: {
          'src/app.ts': "import express from 'express';\n\nexport const app = express();\n\napp.use(express.json());\n\n"
            + "app.get('/health', (_request, response) => {\n  response.json({ status: 'ok' });\n});\n",
          ...around(facts, app, {
            startCode: 'const port = Number(process.env.PORT ?? 3000);\n'
              + `${call}.listen(port, () => console.log(\`listening on http://localhost:\${port}\`));\n`,
            testBody: `  const server = ${call}.listen(0);\n  try {\n    const address = server.address();\n`
              + `    const port = typeof address === 'object' && address !== null ? address.port : 0;\n`
              + '    const response = await fetch(`http://localhost:${port}/no-such-page`);\n'
              + '    assert.equal(response.status, 404);\n  } finally {\n    server.close();\n  }'
          })
        },
        dependencies: { express: '^5.1.0' },
        devDependencies: { '@types/express': '^5.0.0' },
        scripts: service(facts).scripts,
        run: 'npm run dev'
      }
    }
  ),
  fastify: node(
    'Fastify',
    'src/app.ts exports buildApp(), which returns the Fastify instance, src/server.ts listens, src/routes/*.ts one plugin each, logic '
    + 'goes to modules of its own',
    facts => {
      const app = appIn(facts, FASTIFY, { name: 'buildApp', isFactory: true })
      const call = app.isFactory ? `await ${app.name}()` : app.name
      return {
        files: {
          'src/app.ts': "import Fastify, { type FastifyInstance } from 'fastify';\n\nexport function buildApp(): FastifyInstance {\n"
            + "  const app = Fastify({ logger: true });\n  app.get('/health', async () => ({ status: 'ok' }));\n  return app;\n}\n",
          ...around(facts, app, {
            startCode: `const app = ${call};\nawait app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' });\n`,
            testBody: `  const app = ${call};\n  try {\n    const response = await app.inject('/no-such-page');\n`
              + '    assert.equal(response.statusCode, 404);\n  } finally {\n    await app.close();\n  }'
          })
        },
        dependencies: { fastify: '^5.6.0' },
        scripts: service(facts).scripts,
        run: 'npm run dev'
      }
    }
  )
}
