import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { ROOT } from './cli.js'
import { tempFolder, write } from './folders.js'

const SOURCES = ['app.ts', 'package.json', 'package-lock.json', 'tsconfig.json', 'agents/types.ts', 'agents/values.ts', 'agents/svc-code', 'plugins', 'routes', 'schemas', 'scripts']

/** A copy of the project that a test may change, without a build. It links to the project's packages unless `packages` is false. */
export function checkout (t: Test, { packages = true } = {}): string {
  const root = tempFolder(t)
  // The times of the sources are kept, so that a copied build still counts as up to date.
  for (const source of SOURCES) cpSync(join(ROOT, source), join(root, source), { recursive: true, preserveTimestamps: true })
  if (packages) symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'), 'junction')
  return root
}

// The files that the set-up needs, almost empty: they are built in a tenth of the time.
const SMALL = {
  'package.json': '{ "type": "module", "version": "0.0.1" }\n',
  'package-lock.json': '{ "packages": { "": {}, "node_modules/esbuild": { "version": "VERSION" } } }\n',
  'plugins/identity.ts': "export const header = 'x-svc-instance'\n",
  'routes/health.ts': "import { header } from '../plugins/identity.js'\nexport const health = { header }\n",
  'app.ts': "export { health } from './routes/health.js'\nexport { version } from './package.json'\n",
  'scripts/svc.ts': "import { health, version } from '../app.js'\nconsole.log(process.argv[2] === '--version' ? version : health)\n",
  ...Object.fromEntries(['main', 'testing/vitest', 'testing/jest', 'testing/chai'].map(name => [`plugins/sandbox/typescript/runner/${name}.ts`, 'export {}\n']))
}
const SET_UP = ['scripts/run.mjs', 'scripts/setup.mjs', 'scripts/svc/width.ts', 'plugins/sandbox/typescript/runner/bundle.mjs']

/** A project of a few lines with the real set-up, for tests of the set-up itself. */
export function smallCheckout (t: Test, { packages = true } = {}): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules/esbuild/package.json'), 'utf8')) as { version: string }
  const root = write(tempFolder(t), { ...SMALL, 'package-lock.json': SMALL['package-lock.json'].replace('VERSION', version) })
  for (const file of SET_UP) cpSync(join(ROOT, file), join(root, file))
  if (packages) symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'), 'junction')
  return root
}

/** The record of the sources that the build of a checkout was made from. */
export function stampOf (root: string): string | undefined {
  const file = join(root, 'dist', '.sources.json')
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
