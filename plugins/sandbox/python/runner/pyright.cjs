// The root module of the type checker's process. Arguments: pyright's folder, then its own.
const [, , folder] = process.argv
globalThis.__rootDirectory = `${folder}/dist/`
require(`${folder}/dist/pyright-langserver`)
