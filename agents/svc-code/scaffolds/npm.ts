// TypeScript projects for Node, without a bundler, with tests by node:test.
import { type Facts, type Scaffold, find, packageName } from './kinds.js'
import { withoutTests } from '../paths.js'
import { npmPackages } from './packages.js'

export const IGNORED = 'node_modules/\ndist/\ncoverage/\n*.log\n.env\n'

export function json (value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

interface Manifest { scripts: Record<string, string>, dependencies?: Record<string, string>, devDependencies: Record<string, string> }

/** Adds the packages that the sources import, in addition to those of the framework. */
export function manifest (
  { name, summary, files }: Facts,
  { scripts, dependencies = {}, devDependencies }: Manifest,
  more: Record<string, unknown> = {}
): string {
  const used = npmPackages(withoutTests(files), [...Object.keys(dependencies), ...Object.keys(devDependencies)])
  const all = { ...dependencies, ...used.dependencies }
  return json({
    name: packageName(name),
    version: '0.1.0',
    private: true,
    description: summary,
    type: 'module',
    engines: { node: '>=20.19' },
    ...more,
    scripts,
    ...(Object.keys(all).length > 0 && { dependencies: all }),
    devDependencies: { ...devDependencies, ...used.types }
  })
}

const TYPES = { typescript: '>=5.9 <8', '@types/node': '>=22', tsx: '^4.20.0' }
const COMPILER = {
  target: 'es2023', module: 'nodenext', moduleResolution: 'nodenext', strict: true, noUncheckedIndexedAccess: true, skipLibCheck: true,
  rewriteRelativeImportExtensions: true, declaration: true, rootDir: 'src', outDir: 'dist', types: ['node']
}
const SCRIPTS = { build: 'tsc', check: 'tsc --noEmit', test: 'node --import tsx --test test/*.test.ts' }

interface Parts {
  files: Record<string, string>
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  scripts?: Record<string, string>
  manifest?: Record<string, unknown>
  run: string
}

export function node (title: string, layout: string, more: (facts: Facts) => Parts): Scaffold {
  return {
    language: 'typescript', title, layout, setup: 'npm install', test: 'npm test',
    make: facts => {
      const { files, dependencies = {}, devDependencies = {}, scripts = {}, manifest: fields = {}, run } = more(facts)
      return {
        files: {
          '.gitignore': IGNORED,
          'package.json': manifest(
            { ...facts, files: { ...files, ...facts.files } },
            { scripts: { ...scripts, ...SCRIPTS }, dependencies, devDependencies: { ...TYPES, ...devDependencies } },
            fields
          ),
          'tsconfig.json': json({ compilerOptions: COMPILER, include: ['src'] }),
          ...files
        },
        run
      }
    }
  }
}

export const test = (title: string, imports: string, body: string) => `import assert from 'node:assert/strict';\n`
  + `import test from 'node:test';\n${imports}\n\ntest('${title}', async () => {\n${body}\n});\n`

/** The file that the build makes of `src/server.ts`. */
export const built = (path: string) => path.startsWith('src/') ? `dist/${script(path.slice(4))}` : script(path)
const script = (path: string) => path.endsWith('.ts') ? `${path.slice(0, -3)}.js` : path
/** The name by which another file in `src` imports a module. */
export const fromSrc = (path: string) => `./${script(path.startsWith('src/') ? path.slice(4) : path)}`
export const isInSrc = (path: string) => path.startsWith('src/') && path.endsWith('.ts')
const LISTENS = /\.listen\(/

/** A project that is started by the file that listens; if no file does, the scaffold makes one. */
export function service (facts: Facts): { path: string, scripts: Record<string, string> } {
  const path = find(facts.files, LISTENS, isInSrc)?.path ?? 'src/server.ts'
  return { path, scripts: { dev: `tsx watch ${path}`, start: `node ${built(path)}` } }
}
