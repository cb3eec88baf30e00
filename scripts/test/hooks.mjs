// Hooks of Node's module loader. They load the JavaScript that `compile.mjs` made of a TypeScript file.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compiledOf } from './compile.mjs'

export function resolve (specifier, context, next) {
  const url = specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL?.startsWith('file:')
    ? new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL)
    : undefined
  return url && isCompiled(url.href) ? { url: url.href, format: 'module', shortCircuit: true } : next(specifier, context)
}

export function load (url, context, next) {
  return isCompiled(url) ? { format: 'module', source: readFileSync(compiledFile(url), 'utf8'), shortCircuit: true } : next(url, context)
}

function isCompiled (url) {
  return url.startsWith('file:') && url.endsWith('.ts') && existsSync(compiledFile(url))
}

function compiledFile (url) {
  return compiledOf(fileURLToPath(url))
}
