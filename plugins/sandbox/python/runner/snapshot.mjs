/* global Deno, TextEncoder */
// Makes the snapshot: an interpreter with the harness and the usual modules loaded, as bytes on stdout. Arguments:
// Pyodide's folder, the folder of this file. What it does in Python is done once, so that each cell need not.
import { openInterpreter } from './interpreter.mjs'

const { args, readDirSync, readTextFileSync, stdout, stderr, exit } = Deno
const [pyodideFolder, runnerFolder] = args

const MODULES = `abc argparse array ast asyncio base64 bisect calendar cmath collections collections.abc concurrent.futures contextlib copy csv
  dataclasses datetime decimal difflib enum fractions functools getpass glob hashlib heapq hmac html inspect io ipaddress itertools json keyword locale logging
  math numbers operator os pathlib pickle platform pprint queue random re reprlib runpy secrets shlex shutil signal sqlite3 statistics string struct subprocess sys
  tempfile textwrap threading time timeit traceback types typing unittest unittest.mock urllib.parse uuid warnings weakref zlib zoneinfo`

// Fewer, longer pieces read faster; smaller ones leave out more.
const STEP = 64 * 1024

function sourcesOf (folder) {
  return [...readDirSync(`${runnerFolder}/${folder}`)].filter(({ name }) => name.endsWith('.py')).map(({ name }) => [`${folder}/${name}`, readTextFileSync(`${runnerFolder}/${folder}/${name}`)])
}

/**
 * As the worker reads it: three numbers (the length of Pyodide's own head, that of the memory, the count of its pieces), where
 * each piece begins and ends, the head, the pieces. Between them the memory holds nothing, which is two fifths of it.
 */
function partsOf (snapshot) {
  const [, headLength] = new Uint32Array(snapshot.buffer, snapshot.byteOffset, 2)
  const memory = snapshot.subarray(headLength)
  const pieces = []
  for (let at = 0; at < memory.length; at += STEP) {
    const step = memory.subarray(at, at + STEP)
    if (step.every(byte => byte === 0)) continue
    if (pieces.length > 0 && pieces.at(-1) === at) pieces.pop()
    else pieces.push(at)
    pieces.push(at + step.length)
  }
  const bytesOf = numbers => new Uint8Array(Uint32Array.from(numbers).buffer)
  const parts = [bytesOf([headLength, memory.length, pieces.length / 2]), bytesOf(pieces), snapshot.subarray(0, headLength)]
  for (let i = 0; i < pieces.length; i += 2) parts.push(memory.subarray(pieces[i], pieces[i + 1]))
  return parts
}

try {
  const python = await openInterpreter(pyodideFolder, { stderr: text => stderr.writeSync(new TextEncoder().encode(`${text}\n`)), _makeSnapshot: true })
  const set = (name, value) => python.runPython(`${name} = __import__('json').loads(${JSON.stringify(JSON.stringify(value))})`)
  set('_sources', Object.fromEntries([...sourcesOf('harness'), ...sourcesOf('pytest')]))
  set('_modules', MODULES.split(/\s+/))
  python.runPython(`
import gc, importlib, os, sys
for _path, _text in _sources.items():
    os.makedirs(f'/svc/{os.path.dirname(_path)}', exist_ok=True)
    with open(f'/svc/{_path}', 'w') as _file:
        _file.write(_text)
sys.path.insert(0, '/svc')
for _name in _modules:
    importlib.import_module(_name)
_svc_job = importlib.import_module('harness.job')
_svc_job.install()
_svc_job.seal_harness()
_svc_job.rehearse(whole=True)
sys.path.remove('/svc')
# Out of the way of a job's own module of that name.
for _name in [_name for _name in sys.modules if _name.partition('.')[0] == 'harness']:
    del sys.modules[_name]
for _name in [_name for _name in globals() if _name.startswith('_') and not _name.startswith('__') and _name != '_svc_job']:
    del globals()[_name]
sys.path_importer_cache.clear()
gc.collect()  # classes that are gone would be watched, and so kept
_svc_job.seal_harness()
del gc.callbacks  # they run between any two things
gc.collect()
del globals()['gc'], globals()['importlib'], globals()['os'], globals()['sys']
`)
  for (const part of partsOf(python.makeMemorySnapshot())) for (let at = 0; at < part.length;) at += stdout.writeSync(part.subarray(at))
  exit(0)
} catch (error) {
  stderr.writeSync(new TextEncoder().encode(`${String(error?.message ?? error).slice(-4000)}\n`))
  exit(97)
}
