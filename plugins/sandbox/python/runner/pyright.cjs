// The root module of Pyright's process. Arguments: Pyright's folder, then Pyright's own.
const [, , folder] = process.argv
globalThis.__rootDirectory = `${folder}/dist/`
require(`${folder}/dist/pyright-langserver`)
