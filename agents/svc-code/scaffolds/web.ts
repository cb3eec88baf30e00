// TypeScript projects for the browser, by the tools that their frameworks recommend.
import { type Facts, type ProjectKind, type Scaffold, packageName } from './kinds.js'
import { IGNORED, json, manifest } from './node.js'

const STRICT = { strict: true, noUncheckedIndexedAccess: true, skipLibCheck: true, noEmit: true, moduleResolution: 'bundler', module: 'esnext', target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable'], isolatedModules: true, allowImportingTsExtensions: true }

const page = ({ name }: Facts, script: string, root: string) => `<!doctype html>\n<html lang="en">\n  <head>\n    <meta charset="utf-8" />\n    <meta name="viewport" content="width=device-width, initial-scale=1" />\n    <title>${packageName(name)}</title>\n  </head>\n  <body>\n    <div id="${root}"></div>\n    <script type="module" src="${script}"></script>\n  </body>\n</html>\n`

export const WEB_SCAFFOLDS: Record<Extract<ProjectKind, 'react' | 'nextjs' | 'vue'>, Scaffold> = {
  react: {
    language: 'typescript', title: 'React with Vite', setup: 'npm install', run: 'npm run dev', test: 'npm test',
    layout: 'src/main.tsx mounts <App />, src/App.tsx composes it, src/components/*.tsx one component each, logic without JSX in modules of its own',
    files: facts => ({
      '.gitignore': IGNORED,
      'package.json': manifest(facts, { scripts: { dev: 'vite', build: 'tsc && vite build', preview: 'vite preview', test: 'vitest run' }, dependencies: { react: '^19.0.0', 'react-dom': '^19.0.0' }, devDependencies: { '@testing-library/react': '^16.1.0', '@types/react': '^19.0.0', '@types/react-dom': '^19.0.0', '@vitejs/plugin-react': '>=5 <7', jsdom: '>=26', typescript: '>=5.9 <8', vite: '>=7 <9', vitest: '>=4 <6' } }),
      'tsconfig.json': json({ compilerOptions: { ...STRICT, jsx: 'react-jsx', types: ['vite/client'] }, include: ['src'] }),
      'vite.config.ts': "import react from '@vitejs/plugin-react';\nimport { defineConfig } from 'vitest/config';\n\nexport default defineConfig({ plugins: [react()], test: { environment: 'jsdom' } });\n",
      'index.html': page(facts, '/src/main.tsx', 'root'),
      'src/main.tsx': "import { StrictMode } from 'react';\nimport { createRoot } from 'react-dom/client';\nimport { App } from './App';\n\nconst root = document.getElementById('root');\nif (root) createRoot(root).render(<StrictMode><App /></StrictMode>);\n"
    }),
    entry: { matches: /(?:^|\/)App\.tsx$/, files: ({ name }) => ({ 'src/App.tsx': `export function App() {\n  return <h1>${packageName(name)}</h1>;\n}\n`, 'src/App.test.tsx': `import { render, screen } from '@testing-library/react';\nimport { expect, test } from 'vitest';\nimport { App } from './App';\n\ntest('it has a title', () => {\n  render(<App />);\n  expect(screen.getByRole('heading').textContent).toBe('${packageName(name)}');\n});\n` }) }
  },
  nextjs: {
    language: 'typescript', title: 'Next.js', setup: 'npm install', run: 'npm run dev', test: 'npm test',
    layout: 'app/layout.tsx and app/page.tsx, app/ROUTE/page.tsx for each page, app/api/NAME/route.ts for each endpoint, components/*.tsx, logic in lib/*.ts',
    files: facts => ({
      '.gitignore': `${IGNORED}.next/\nnext-env.d.ts\n`,
      'package.json': manifest(facts, { scripts: { dev: 'next dev', build: 'next build', start: 'next start', check: 'tsc --noEmit', test: 'vitest run --passWithNoTests' }, dependencies: { next: '>=16 <17', react: '^19.0.0', 'react-dom': '^19.0.0' }, devDependencies: { '@types/node': '>=22', '@types/react': '^19.0.0', '@types/react-dom': '^19.0.0', typescript: '>=5.9 <8', vitest: '>=4 <6' } }),
      'tsconfig.json': json({ compilerOptions: { ...STRICT, jsx: 'preserve', incremental: true, allowJs: true, esModuleInterop: true, resolveJsonModule: true, plugins: [{ name: 'next' }], paths: { '@/*': ['./*'] } }, include: ['next-env.d.ts', '**/*.ts', '**/*.tsx'], exclude: ['node_modules'] }),
      'next.config.ts': "import type { NextConfig } from 'next';\n\nconst config: NextConfig = {};\n\nexport default config;\n",
      'app/layout.tsx': `import type { Metadata } from 'next';\nimport type { ReactNode } from 'react';\n\nexport const metadata: Metadata = { title: '${packageName(facts.name)}' };\n\nexport default function Layout({ children }: { children: ReactNode }) {\n  return (\n    <html lang="en">\n      <body>{children}</body>\n    </html>\n  );\n}\n`
    }),
    entry: { matches: /^(?:src\/)?app\/page\.tsx$/, files: ({ name }) => ({ 'app/page.tsx': `export default function Page() {\n  return <h1>${packageName(name)}</h1>;\n}\n` }) }
  },
  vue: {
    language: 'typescript', title: 'Vue', setup: 'npm install', run: 'npm run dev', test: 'npm test',
    layout: 'src/main.ts mounts App, src/App.vue composes it, src/components/*.vue one component each, logic in src/composables/*.ts',
    files: facts => ({
      '.gitignore': IGNORED,
      'package.json': manifest(facts, { scripts: { dev: 'vite', build: 'vue-tsc && vite build', preview: 'vite preview', test: 'vitest run --passWithNoTests' }, dependencies: { vue: '^3.5.0' }, devDependencies: { '@vitejs/plugin-vue': '^6.0.0', '@vue/test-utils': '^2.4.0', jsdom: '>=26', typescript: '>=5.9 <7', vite: '>=7 <9', vitest: '>=4 <6', 'vue-tsc': '^3.0.0' } }),
      'tsconfig.json': json({ compilerOptions: { ...STRICT, jsx: 'preserve', types: ['vite/client'] }, include: ['src/**/*.ts', 'src/**/*.vue'] }),
      'vite.config.ts': "import vue from '@vitejs/plugin-vue';\nimport { defineConfig } from 'vitest/config';\n\nexport default defineConfig({ plugins: [vue()], test: { environment: 'jsdom' } });\n",
      'index.html': page(facts, '/src/main.ts', 'app'),
      'src/main.ts': "import { createApp } from 'vue';\nimport App from './App.vue';\n\ncreateApp(App).mount('#app');\n"
    }),
    entry: { matches: /(?:^|\/)App\.vue$/, files: ({ name }) => ({ 'src/App.vue': `<script setup lang="ts">\nconst title = '${packageName(name)}';\n</script>\n\n<template>\n  <h1>{{ title }}</h1>\n</template>\n` }) }
  }
}
