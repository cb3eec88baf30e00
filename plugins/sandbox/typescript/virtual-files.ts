import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Files } from '../../../agents/types.js'
import { isSource } from './imports.js'
import type { Declarations } from './declarations.js'
import { configOf } from './tsconfig.js'

const require = createRequire(import.meta.url)
const OPTIONS = {
  noEmit: true, strict: true, target: 'esnext', module: 'preserve', moduleResolution: 'bundler', moduleDetection: 'force',
  allowImportingTsExtensions: true, resolveJsonModule: true, esModuleInterop: true, skipLibCheck: true, allowJs: true,
  jsx: 'react-jsx', noErrorTruncation: false
}
const DECLARATIONS = 'svc-declarations.d.ts'

export interface CheckedJob { root: string, config: string, paths: string[], sources: string[], remove: () => void }

/** The file system that the checker sees: the jobs, and the few real folders that it needs. */
export class VirtualFiles {
  readonly #texts = new Map<string, string>()
  readonly #folders = new Map<string, { files: Set<string>, folders: Set<string> }>()
  readonly #real: string[]
  readonly #base: string
  readonly #nodeTypes: string | undefined
  #count = 0

  constructor (packages: string | undefined) {
    // Jobs are beside the packages, where their imports are searched.
    this.#base = packages === undefined ? '' : dirname(packages)
    this.#nodeTypes = folderOf('@types/node/package.json')
    const undici = this.#nodeTypes === undefined ? undefined : folderOf('undici-types/package.json', this.#nodeTypes)
    this.#real = [libraryFolder(), this.#nodeTypes, undici, packages].filter(folder => folder !== undefined)
  }

  readonly callbacks = {
    // Undefined makes the checker read the real file system. Null means that there is no such file.
    readFile: (path: string) => this.#texts.get(path) ?? (this.#isReal(path) ? undefined : null),
    fileExists: (path: string) => this.#texts.has(path) || (this.#isReal(path) ? undefined : false),
    directoryExists: (path: string) => this.#folders.has(path) || (this.#isReal(path) || this.#leadsToReal(path) ? undefined : false),
    getAccessibleEntries: (path: string) => {
      if (this.#isReal(path)) return undefined
      const { files = [], folders = [] } = this.#folders.get(path) ?? {}
      return { files: [...files], directories: [...folders] }
    },
    realpath: (path: string) => this.#isReal(path) ? undefined : path
  }

  add (files: Files, { lib, node, text: declarations }: Declarations): CheckedJob {
    const root = `${this.#base}/svc-job-${++this.#count}`
    const config = `${root}/tsconfig.json`
    const sources = Object.keys(files).filter(isSource).map(path => `${root}/${path}`)
    const types = node && this.#nodeTypes !== undefined ? { types: ['node'], typeRoots: [dirname(this.#nodeTypes)] } : { types: [] }
    const declared = Object.keys(files).filter(path => path.endsWith('.d.ts')).map(path => `${root}/${path}`)
    const { aliases, hasOldDecorators } = configOf(files)
    const texts = new Map(Object.entries(files).map(([path, text]) => [`${root}/${path}`, text]))
    texts.set(`${root}/${DECLARATIONS}`, declarations)
    const compilerOptions = { ...OPTIONS, lib, ...types, paths: aliases, experimentalDecorators: hasOldDecorators }
    texts.set(config, JSON.stringify({ compilerOptions, files: [...sources, ...declared, `${root}/${DECLARATIONS}`] }))
    for (const [path, text] of texts) this.#put(path, text)
    return {
      root, config, sources, paths: [...texts.keys()],
      remove: () => {
        for (const path of texts.keys()) this.#texts.delete(path)
        for (const folder of this.#folders.keys()) if (`${folder}/`.startsWith(`${root}/`)) this.#folders.delete(folder)
        this.#folders.get(dirname(root))?.folders.delete(root.slice(root.lastIndexOf('/') + 1))
      }
    }
  }

  #put (path: string, text: string): void {
    this.#texts.set(path, text)
    let kind: 'files' | 'folders' = 'files'
    for (let at = path; at !== '/' && at !== ''; at = dirname(at)) {
      const parent = dirname(at)
      const entry = this.#folders.get(parent) ?? { files: new Set<string>(), folders: new Set<string>() }
      entry[kind].add(at.slice(parent === '/' ? 1 : parent.length + 1))
      this.#folders.set(parent, entry)
      kind = 'folders'
    }
  }

  #isReal (path: string): boolean {
    return !path.includes('/../') && this.#real.some(folder => path === folder || path.startsWith(`${folder}/`))
  }

  #leadsToReal (path: string): boolean {
    return this.#real.some(folder => folder.startsWith(`${path}/`))
  }
}

export function hasPackage (packages: string | undefined, name: string): boolean {
  return packages !== undefined && existsSync(join(packages, name))
}

/** The folder of lib.es2024.d.ts and its like. */
function libraryFolder (): string {
  const native = folderOf('typescript-native/package.json')
  const name = `@typescript/typescript-${process.platform}-${process.arch}`
  const folder = native === undefined ? undefined : folderOf(`${name}/package.json`, native)
  if (folder === undefined) throw new Error(`the package ${name} is not installed: run "npm ci" with optional packages`)
  return join(folder, 'lib')
}

function folderOf (file: string, from?: string): string | undefined {
  try {
    return dirname(require.resolve(file, from === undefined ? undefined : { paths: [from] }))
  } catch {
    return undefined // not installed
  }
}
