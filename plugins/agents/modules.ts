import { pathToFileURL } from 'node:url'
import type { FastifyPluginAsync } from 'fastify'
import type { AgentFolder } from './folders.js'
import { withPlace } from './syntax.js'

type Namespace = Record<string, unknown>

/** The exports of a file. JavaScript is imported as it is; TypeScript is transpiled without a type check, on every version of Node. */
export async function load (file: string): Promise<Namespace> {
  try {
    return exportsOf(await importFile(file))
  } catch (error) {
    throw await withPlace(error, file)
  }
}

async function importFile (file: string): Promise<Namespace> {
  if (!/\.[mc]?ts$/.test(file) || isRunBySource()) return await import(pathToFileURL(file).href) as Namespace
  const { createJiti } = await import('jiti')
  // No cache on disk: jiti may put it under /tmp, where other users of this machine could place code that we would run.
  const jiti = createJiti(import.meta.url, { fsCache: false, interopDefault: false })
  return await jiti.import<Namespace>(file)
}

// When this file itself runs as TypeScript (in tests), the loader that runs it must also load the agents.
function isRunBySource (): boolean {
  return import.meta.url.endsWith('.ts')
}

/** The exports of a module, CommonJS or not, by name. */
function exportsOf (namespace: Namespace): Namespace {
  if (typeof namespace === 'function') return { ...namespace as Namespace, default: namespace } // export =
  const inner = namespace.default ?? namespace['module.exports']
  return typeof inner === 'object' && inner !== null ? { ...inner, ...namespace, default: (inner as Namespace).default } : namespace
}

const NO_PLUGIN = 'its index exports no Fastify plugin: export default async function (fastify) { fastify.agents.register(...) }'

export async function loadPlugin (folder: AgentFolder): Promise<FastifyPluginAsync> {
  const { default: plugin } = await load(folder.index)
  if (typeof plugin !== 'function') throw new TypeError(NO_PLUGIN)
  return plugin as FastifyPluginAsync
}
