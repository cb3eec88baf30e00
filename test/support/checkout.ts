import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { ROOT } from './cli.js'
import { tempFolder } from './folders.js'

const SOURCES = ['app.ts', 'package.json', 'package-lock.json', 'tsconfig.json', 'agents/types.ts', 'agents/values.ts', 'agents/svc-code', 'plugins', 'routes', 'schemas', 'scripts']

/** A copy of the project that a test may change, without a build; with the project's packages unless told otherwise. */
export function checkout (t: Test, { packages = true } = {}): string {
  const root = tempFolder(t)
  // The times of the sources are kept, so that a copied build would fit.
  for (const source of SOURCES) cpSync(join(ROOT, source), join(root, source), { recursive: true, preserveTimestamps: true })
  if (packages) symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'), 'junction')
  return root
}

/** What the build of a checkout was made from. */
export function stampOf (root: string): string | undefined {
  const file = join(root, 'dist', '.sources.json')
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
