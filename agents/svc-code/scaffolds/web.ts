// TypeScript projects for the browser, and for frameworks that have their own build, with the tools that they recommend.
import { type Facts, type ProjectKind, type Scaffold, find, findStatement, packageName } from './kinds.js'
import { IGNORED, json, manifest } from './npm.js'

const STRICT = {
  strict: true, noUncheckedIndexedAccess: true, skipLibCheck: true, noEmit: true, moduleResolution: 'bundler', module: 'esnext',
  target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable'], isolatedModules: true, allowImportingTsExtensions: true
}
const VITE = { typescript: '>=5.9 <8', vite: '>=8 <9', vitest: '>=4 <6', jsdom: '>=27 <32' }

const page = ({
  name
}: Facts, script: string, root: string) => '<!doctype html>\n<html lang="en">\n  <head>\n    <meta charset="utf-8" />\n'
  + `    <meta name="viewport" content="width=device-width, initial-scale=1" />\n    <title>${packageName(
    name
  )}</title>\n  </head>\n  <body>\n    <div id="${root}"></div>\n    <script type="module" src="/${script}"></script>\n  </body>\n</html>\n`

/** How to import the component of `App.tsx`: as `{ App }`, or as the default export. */
function importOf (files: Facts['files']): string {
  const path = 'src/App.tsx'
  const isNamed = files[path] === undefined
    || findStatement(files, /^export (?:(?:const|function|class|async function) |\{[^}]*\b)App\b/, file => file === path) !== undefined
  return isNamed ? '{ App }' : 'App'
}

/** Empty style sheets for imports of style sheets that do not exist: the build would fail without them. */
function styles (files: Facts['files']): Record<string, string> {
  const found = Object
    .entries(files)
    .flatMap(([path, source]) => Array.from(
      source.matchAll(/\bimport\s+(?:\w+\s+from\s+)?['"]\.\/([\w./-]+\.s?css)['"]/g),
      ([, name = '']) => `${path.slice(0, path.lastIndexOf('/')
      + 1)}${name}`
    ))
  return Object.fromEntries(found.map(path => [path, `/* ${path.slice(path.lastIndexOf('/') + 1)} */\n`]))
}

function web (title: string, layout: string, make: (facts: Facts) => Record<string, string>): Scaffold {
  return {
    language: 'typescript',
    title,
    layout,
    setup: 'npm install',
    test: 'npm test',
    make: facts => ({ files: { '.gitignore': IGNORED, ...styles(facts.files), ...make(facts) }, run: 'npm run dev' })
  }
}

export const WEB_SCAFFOLDS: Record<Extract<ProjectKind, 'react' | 'nextjs' | 'vue' | 'nestjs'>, Scaffold> = {
  react: web(
    'React with Vite',
    'src/main.tsx mounts <App />, src/App.tsx exports App and composes it, src/components/*.tsx one component each, logic without JSX '
    + 'in modules of its own',
    facts => {
      const main = find(facts.files, /createRoot\(/, path => path.endsWith('.tsx'))?.path ?? 'src/main.tsx'
      const App = importOf(facts.files)
      return {
        'package.json': manifest(facts, {
          scripts: { dev: 'vite', build: 'tsc && vite build', preview: 'vite preview', test: 'vitest run --environment jsdom' },
          dependencies: { react: '^19.0.0', 'react-dom': '^19.0.0' },
          devDependencies: {
            '@testing-library/dom': '^10.4.0', '@testing-library/react': '^16.3.0', '@types/react': '^19.0.0',
            '@types/react-dom': '^19.0.0',
            '@vitejs/plugin-react': '>=6 <7', ...VITE
          }
        }),
        'tsconfig.json': json({ compilerOptions: { ...STRICT, jsx: 'react-jsx', types: ['vite/client'] }, include: ['src'] }),
        'vite.config.ts': "import react from '@vitejs/plugin-react';\nimport { defineConfig } from 'vite';\n\n"
          + 'export default defineConfig({ plugins: [react()] });\n',
        'index.html': page(facts, main, 'root'),
        [main]: `import { StrictMode } from 'react';\nimport { createRoot } from 'react-dom/client';\nimport ${App} from './App';\n\n`
          + `const root = document.getElementById('root');\nif (root) createRoot(root).render(<StrictMode><App /></StrictMode>);\n`,
        'src/App.tsx': `export function App() {\n  return <h1>${packageName(facts.name)}</h1>;\n}\n`,
        'test/App.test.tsx': `import { render } from '@testing-library/react';\nimport { expect, test } from 'vitest';\n`
          + `import ${App} from '../src/App';\n\ntest('the app is shown', () => {\n`
          + `  expect(render(<App />).container.innerHTML).not.toBe('');\n});\n`
      }
    }
  ),
  nextjs: web(
    'Next.js',
    'app/layout.tsx and app/page.tsx, app/ROUTE/page.tsx for each page, app/api/NAME/route.ts for each endpoint, components/*.tsx, '
    + 'logic in lib/*.ts',
    facts => {
      const root = Object.keys(facts.files).some(path => path.startsWith('src/app/')) ? 'src/app' : 'app'
      return {
        '.gitignore': `${IGNORED}.next/\nnext-env.d.ts\n`,
        'package.json': manifest(facts, {
          scripts: {
            dev: 'next dev',
            build: 'next build',
            start: 'next start',
            check: 'tsc --noEmit',
            test: 'vitest run --environment jsdom'
          },
          dependencies: { next: '>=16 <17', react: '^19.0.0', 'react-dom': '^19.0.0' },
          devDependencies: {
            '@types/node': '>=22', '@types/react': '^19.0.0', '@types/react-dom': '^19.0.0', '@vitejs/plugin-react': '>=6 <7', ...VITE,
            typescript: '>=5.9 <7'
          }
        }),
        'tsconfig.json': json({
          compilerOptions: {
            ...STRICT,
            jsx: 'react-jsx',
            incremental: true,
            allowJs: true,
            esModuleInterop: true,
            resolveJsonModule: true,
            plugins: [{ name: 'next' }],
            paths: { '@/*': [root === 'app'
              ? './*'
              : './src/*'] }
          },
          include: ['next-env.d.ts', '**/*.ts', '**/*.tsx', '.next/types/**/*.ts'],
          exclude: ['node_modules']
        }),
        'next.config.ts': "import type { NextConfig } from 'next';\n\nconst config: NextConfig = {};\n\nexport default config;\n",
        'vitest.config.ts': `import { fileURLToPath } from 'node:url';\nimport react from '@vitejs/plugin-react';\n`
          + `import { defineConfig } from 'vite';\n\nexport default defineConfig({\n  plugins: [react()],\n`
          + `  resolve: { alias: { '@': fileURLToPath(new URL('${root === 'app'
            ? '.'
            : './src'}', import.meta.url)) } },\n});\n`,
        [`${root}/layout.tsx`]: `import type { Metadata } from 'next';\nimport type { ReactNode } from 'react';\n\n`
          + `export const metadata: Metadata = { title: '${packageName(
            facts.name
          )}' };\n\nexport default function Layout({ children }: { children: ReactNode }) {\n  return (\n    <html lang="en">\n`
          + '      <body>{children}</body>\n    </html>\n  );\n}\n',
        [`${root}/page.tsx`]: `export default function Page() {\n  return <h1>${packageName(facts.name)}</h1>;\n}\n`,
        'test/page.test.tsx': `import { expect, test } from 'vitest';\nimport Page from '../${root}/page';\n\n`
          + `test('the first page is a component', () => {\n  expect(typeof Page).toBe('function');\n});\n`
      }
    }
  ),
  vue: web(
    'Vue',
    'src/main.ts mounts App, src/App.vue composes it, src/components/*.vue one component each, logic in src/composables/*.ts',
    facts => {
      const main = find(facts.files, /createApp\(/, path => path.endsWith('.ts'))?.path ?? 'src/main.ts'
      return {
        'package.json': manifest(facts, {
          scripts: { dev: 'vite', build: 'vue-tsc && vite build', preview: 'vite preview', test: 'vitest run --environment jsdom' },
          dependencies: { vue: '^3.5.0' },
          devDependencies: {
            '@vitejs/plugin-vue': '^6.0.0',
            '@vue/test-utils': '^2.4.0',
            ...VITE,
            typescript: '>=5.9 <7',
            'vue-tsc': '^3.0.0'
          }
        }),
        'tsconfig.json': json({
          compilerOptions: { ...STRICT, jsx: 'preserve', types: ['vite/client'] },
          include: ['src/**/*.ts', 'src/**/*.vue']
        }),
        'vite.config.ts': "import vue from '@vitejs/plugin-vue';\nimport { defineConfig } from 'vite';\n\n"
          + 'export default defineConfig({ plugins: [vue()] });\n',
        'index.html': page(facts, main, 'app'),
        [main]: "import { createApp } from 'vue';\nimport App from './App.vue';\n\ncreateApp(App).mount('#app');\n",
        'src/App.vue': `<script setup lang="ts">\nconst title = '${packageName(
          facts.name
        )}';\n</script>\n\n<template>\n  <h1>{{ title }}</h1>\n</template>\n`,
        'test/App.test.ts': "import { mount } from '@vue/test-utils';\nimport { expect, test } from 'vitest';\n"
          + "import App from '../src/App.vue';\n\ntest('the app is shown', () => {\n  expect(mount(App).html()).not.toBe('');\n});\n"
      }
    }
  ),
  // Nest's dependency injection needs the type metadata that tsc emits, so the tests run on the build.
  nestjs: {
    language: 'typescript', title: 'NestJS', setup: 'npm install', test: 'npm test',
    layout: 'src/main.ts boots AppModule, src/app.module.ts lists the modules, src/NAME/NAME.{module,controller,service}.ts for each part',
    make: facts => ({
      files: {
        '.gitignore': IGNORED,
        'package.json': manifest(facts, {
          scripts: {
            build: 'tsc',
            start: 'node dist/src/main.js',
            dev: 'tsc && node dist/src/main.js',
            test: 'tsc && node --test dist/test/*.test.js'
          },
          dependencies: {
            '@nestjs/common': '>=11 <13',
            '@nestjs/core': '>=11 <13',
            '@nestjs/platform-express': '>=11 <13',
            'reflect-metadata': '^0.2.2',
            rxjs: '^7.8.1'
          },
          devDependencies: { '@nestjs/testing': '>=11 <13', '@types/node': '>=22', typescript: '>=5.9 <8' }
        }),
        'tsconfig.json': json({
          compilerOptions: {
            target: 'es2022', module: 'nodenext', moduleResolution: 'nodenext', strict: true, strictPropertyInitialization: false,
            experimentalDecorators: true, emitDecoratorMetadata: true, rewriteRelativeImportExtensions: true, skipLibCheck: true,
            rootDir: '.', outDir: 'dist', types: ['node']
          },
          include: ['src', 'test']
        }),
        'src/main.ts': "import 'reflect-metadata';\nimport { NestFactory } from '@nestjs/core';\n"
          + "import { AppModule } from './app.module.js';\n\nconst app = await NestFactory.create(AppModule);\n"
          + 'await app.listen(Number(process.env.PORT ?? 3000));\n',
        'src/app.module.ts': "import { Controller, Get, Module } from '@nestjs/common';\n\n@Controller('health')\n"
          + "export class HealthController {\n  @Get()\n  health(): { status: string } {\n    return { status: 'ok' };\n  }\n}\n\n"
          + '@Module({ controllers: [HealthController] })\nexport class AppModule {}\n',
        'test/app.test.ts': "import 'reflect-metadata';\nimport test from 'node:test';\nimport { Test } from '@nestjs/testing';\n"
          + "import { AppModule } from '../src/app.module.js';\n\ntest('the modules fit together', async () => {\n"
          + '  const built = await Test.createTestingModule({ imports: [AppModule] }).compile();\n  await built.init();\n'
          + '  await built.close();\n});\n'
      },
      run: 'npm run dev'
    })
  }
}
