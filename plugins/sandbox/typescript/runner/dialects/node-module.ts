// node:module without what would change how modules are loaded.
import Module from 'node:module'

export const { builtinModules, createRequire, isBuiltin, findPackageJSON, findSourceMap, SourceMap, stripTypeScriptTypes, syncBuiltinESMExports } = Module as unknown as Record<string, unknown>
export { Module }
export default Module
