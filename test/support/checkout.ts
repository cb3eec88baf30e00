import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { ROOT } from './cli.js'
import { tempFolder, write } from './folders.js'

const SOURCES = ['app.ts', 'package.json', 'package-lock.json', 'tsconfig.json', 'agents/types.ts', 'agents/values.ts', 'agents/svc-code', 'plugins', 'routes', 'schemas', 'scripts']

/** A copy of the project that a test may change, without a build; with the project's packages unless told otherwise. */
export function checkout (t: Test, { packages = true } = {}): string {
  const root = tempFolder(t)
  // The times of the sources are kept, so that a copied build would fit.
  for (const source of SOURCES) cpSync(join(ROOT, source), join(root, source), { recursive: true, preserveTimestamps: true })
  if (packages) symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'), 'junction')
  return root
}

// What the set-up asks for, and next to nothing in it: it builds in a tenth of the time.
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

/** A project of a few lines with the real set-up: for what the set-up does, whatever it builds. */
export function smallCheckout (t: Test, { packages = true } = {}): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules/esbuild/package.json'), 'utf8')) as { version: string }
  const root = write(tempFolder(t), { ...SMALL, 'package-lock.json': SMALL['package-lock.json'].replace('VERSION', version) })
  for (const file of SET_UP) cpSync(join(ROOT, file), join(root, file))
  if (packages) symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'), 'junction')
  return root
}

/** What the build of a checkout was made from. */
export function stampOf (root: string): string | undefined {
  const file = join(root, 'dist', '.sources.json')
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
