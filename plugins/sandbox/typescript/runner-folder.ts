import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, readdir, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SOURCES = fileURLToPath(new URL('./runner/', import.meta.url))
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/**
 * The folder with the bundled runner. The service's build contains it. When the service runs from its sources, the runner is bundled at
 * the first use and kept in node_modules under a key of its content, or in `spare` where node_modules cannot be written to.
 */
export async function runnerFolder (spare: string): Promise<string> {
  if (!import.meta.url.endsWith('.ts')) return builtFolder(dirname(fileURLToPath(import.meta.url)))
  const name = join('.cache', 'svc-sandbox', await keyOf(SOURCES))
  const modules = join(dirname(createRequire(import.meta.url).resolve('esbuild/package.json')), '..')
  const kept = join(modules, name)
  if (existsSync(join(kept, 'main.js'))) return kept
  const fresh = join(spare, `runner-${process.pid}`)
  const bundler: unknown = await import(new URL('./runner/bundle.mjs', import.meta.url).href)
  const { bundleRunner } = bundler as { bundleRunner: (outdir: string) => Promise<void> }
  await bundleRunner(fresh)
  return await keep(fresh, kept)
}

// A build has the runner beside its entry, and this code perhaps in a folder of chunks.
function builtFolder (from: string): string {
  const folder = join(from, 'sandbox', 'typescript')
  if (existsSync(join(folder, 'main.js'))) return folder
  const parent = dirname(from)
  if (parent === from) throw new Error('the build lacks sandbox/typescript: run "npm run build"')
  return builtFolder(parent)
}

async function keyOf (folder: string): Promise<string> {
  const hash = createHash('sha256')
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    if (/\.m?[tj]s$/.test(name)) hash.update(name).update(await readFile(join(folder, name)))
  }
  // The packages that are bundled with it.
  hash.update(await readFile(join(ROOT, 'package-lock.json')).catch(() => ''))
  return hash.digest('hex').slice(0, 20)
}

async function keep (fresh: string, kept: string): Promise<string> {
  const beside = `${kept}-${process.pid}`
  try {
    await mkdir(dirname(kept), { recursive: true })
    await cp(fresh, beside, { recursive: true }) // first to the same file system, so that it can be renamed into place
    await rename(beside, kept)
    return kept
  } catch {
    await rm(beside, { recursive: true, force: true }).catch(() => {}) // another process was quicker, or the folder cannot be written to
    return existsSync(join(kept, 'main.js')) ? kept : fresh
  }
}
