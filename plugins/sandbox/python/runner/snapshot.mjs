/* global Deno, TextEncoder */
// Makes the snapshot: the memory of an interpreter that has loaded the harness, pytest and common modules. Prints it on stdout.
// Arguments: Pyodide's folder, the folder of this file, the folder of the wheels.
import { openInterpreter } from './interpreter.mjs'

const { args, readDirSync, readFileSync, readTextFileSync, stdout, stderr, exit } = Deno
const [pyodideFolder, runnerFolder, vendorFolder] = args

const MODULES = `abc argparse array ast asyncio base64 bisect calendar cmath collections collections.abc concurrent.futures contextlib
  copy csv dataclasses datetime decimal difflib enum fractions functools getpass glob hashlib heapq hmac html inspect io ipaddress
  itertools json keyword locale logging math numbers operator os pathlib pickle platform pprint queue random re reprlib runpy secrets
  shlex shutil signal sqlite3 statistics string struct subprocess sys tempfile textwrap threading time timeit traceback types typing
  unittest unittest.mock urllib.parse uuid warnings weakref zlib zoneinfo`

// Longer steps make fewer pieces, which are read faster; shorter steps leave out more empty memory.
const STEP = 64 * 1024

const PREPARE = `
import gc, importlib, pkgutil, sys, types
sys.path.insert(0, '/svc')
for _name in '${MODULES.split(/\s+/).join(' ')}'.split():
    importlib.import_module(_name)
# A stub of Pygments, with which pytest colours its output. Nobody sees that here.
for _name, *_classes in (
    ('pygments',), ('pygments.formatters',), ('pygments.formatters.terminal', 'TerminalFormatter'), ('pygments.lexer', 'Lexer'),
    ('pygments.lexers',), ('pygments.lexers.diff', 'DiffLexer'), ('pygments.lexers.python', 'PythonLexer'),
):
    sys.modules[_name] = types.ModuleType(_name)
    vars(sys.modules[_name]).update({_class: type(_class, (), {}) for _class in _classes})
import _pytest, packaging, pytest
for _package in (_pytest, packaging):
    for _found in pkgutil.walk_packages(_package.__path__, f'{_package.__name__}.'):
        importlib.import_module(_found.name)
_svc_job = importlib.import_module('harness.job')
_svc_job.install()
_svc_job.make_ready(1)
_svc_job.rehearse(whole=True)
sys.path.remove('/svc')
# A job may have a module called harness, and must not find our stub of Pygments.
for _name in [_name for _name in sys.modules if _name.partition('.')[0] in ('harness', 'pygments')]:
    del sys.modules[_name]
for _name in [_name for _name in globals() if _name.startswith('_') and not _name.startswith('__') and _name != '_svc_job']:
    del globals()[_name]
sys.path_importer_cache.clear()
gc.collect()
gc.freeze()  # the garbage collector ignores these objects from now on
_svc_job.make_ready(2)
for _name in ('gc', 'importlib', 'pkgutil', 'sys', 'types', 'packaging', 'pytest'):
    globals().pop(_name, None)
del _name
`

/** Writes the harness and pytest into the interpreter's own file system. A worker has none of these files, so all is imported here. */
function layOut ({ FS, unpackArchive }) {
  FS.mkdirTree('/svc/harness')
  for (const { name } of readDirSync(`${runnerFolder}/harness`)) {
    if (name.endsWith('.py')) FS.writeFile(`/svc/harness/${name}`, readTextFileSync(`${runnerFolder}/harness/${name}`))
  }
  for (const { name } of readDirSync(vendorFolder)) {
    if (name.endsWith('.whl')) unpackArchive(readFileSync(`${vendorFolder}/${name}`), 'wheel', { extractDir: '/svc' })
  }
}

/**
 * The snapshot as worker.mjs reads it: three numbers (the length of Pyodide's head, of the memory, and the count of pieces), then
 * the bounds of each piece, the head, the pieces. The memory between the pieces is empty, which is two fifths of it.
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

const printError = text => stderr.writeSync(new TextEncoder().encode(`${text}\n`))

try {
  const python = await openInterpreter(pyodideFolder, { stderr: printError, _makeSnapshot: true })
  layOut(python)
  python.runPython(PREPARE)
  for (const part of partsOf(python.makeMemorySnapshot())) for (let at = 0; at < part.length;) at += stdout.writeSync(part.subarray(at))
  exit(0)
} catch (error) {
  printError(String(error?.message ?? error).slice(-4000))
  exit(97)
}
