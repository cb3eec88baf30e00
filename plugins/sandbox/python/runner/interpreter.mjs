/* global Deno */
// Pyodide as a cell needs it. It takes Deno for Node and loads much of that for nothing (60 ms): here it finds itself in a page,
// in a shell that reads files, as which it loads nothing. Afterwards all is as it was.
const { openSync, readTextFileSync } = Deno

/** In one piece of the right size, which takes a quarter of the time of one that grows. */
function readWhole (file) {
  const opened = openSync(file)
  const bytes = new Uint8Array(opened.statSync().size)
  for (let at = 0; at < bytes.length;) {
    const count = opened.readSync(bytes.subarray(at))
    if (count === null) throw new Error(`${file} is not whole`)
    at += count
  }
  opened.close()
  return bytes
}

/** As a function from its text, since Deno takes 60 ms to look through 1.2 MB for the imports of a module. In parentheses it is read once, not twice. */
function loadModule (file) {
  const text = readTextFileSync(file).replace(/export default \w+;\s*$/, '').replaceAll('import.meta.url', JSON.stringify(`file://${file}`))
  return new Function(`return (${text})`)()
}

/** `change` is given its memory before anything runs in it, and gives it back. */
export async function openInterpreter (folder, options, change = module => module) {
  const shown = { window: {}, setImmediate: () => {}, read: readTextFileSync, readbuffer: file => readWhole(file).buffer, load: () => {} }
  const hidden = ['process', 'setImmediate'].map(name => [name, Object.getOwnPropertyDescriptor(globalThis, name)])
  delete globalThis.process
  Object.defineProperties(globalThis, Object.getOwnPropertyDescriptors(shown))
  const { loadPyodide } = await import(`file://${folder}/pyodide.mjs`)
  const create = loadModule(`${folder}/pyodide.asm.mjs`)
  const python = await loadPyodide({
    indexURL: `${folder}/`,
    env: { HOME: '/job', PYTHONDONTWRITEBYTECODE: '1' },
    stdin: () => null,
    stdout: () => {},
    createPyodideModule: async settings => change(await create(settings)),
    ...options
  })
  for (const name of Object.keys(shown)) delete globalThis[name]
  Object.defineProperties(globalThis, Object.fromEntries(hidden))
  return python
}
