import { pathToFileURL } from 'node:url'
import type { FastifyPluginAsync } from 'fastify'
import type { AgentFolder } from './folders.js'
import { placed } from './syntax.js'

type Namespace = Record<string, unknown>

/** JavaScript is imported as it is; TypeScript is transpiled without a type check, the same on every Node. */
export async function load (file: string): Promise<Namespace> {
  try {
    return spread(await importFile(file))
  } catch (error) {
    throw await placed(error, file)
  }
}

async function importFile (file: string): Promise<Namespace> {
  if (!/\.[mc]?ts$/.test(file) || isRunBySource()) return await import(pathToFileURL(file).href) as Namespace
  const { createJiti } = await import('jiti')
  // No cache on disk: its fallback is a folder under /tmp, where others of this machine could leave code for us.
  const jiti = createJiti(import.meta.url, { fsCache: false, interopDefault: false })
  return await jiti.import<Namespace>(file)
}

// Under a TypeScript loader (the tests run the sources) only that loader must see TypeScript.
function isRunBySource (): boolean {
  return import.meta.url.endsWith('.ts')
}

/** The exports of a module, those of a CommonJS one included. */
function spread (namespace: Namespace): Namespace {
  if (typeof namespace === 'function') return { ...namespace as Namespace, default: namespace } // export =
  const inner = namespace.default ?? namespace['module.exports']
  return typeof inner === 'object' && inner !== null ? { ...inner, ...namespace, default: (inner as Namespace).default } : namespace
}

export async function loadPlugin (folder: AgentFolder): Promise<FastifyPluginAsync> {
  const { default: plugin } = await load(folder.index)
  if (typeof plugin !== 'function') throw new TypeError('its index exports no Fastify plugin: export default async function (fastify) { fastify.agents.register(...) }')
  return plugin as FastifyPluginAsync
}
