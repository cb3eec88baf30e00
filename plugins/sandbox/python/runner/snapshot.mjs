/* global Deno, TextEncoder */
// Makes the snapshot: an interpreter with the harness and the usual modules loaded, as bytes on stdout. Arguments:
// Pyodide's folder, the folder of this file. What it does in Python is done once, so that each cell need not.
const { args, readDirSync, readTextFileSync, stdout, stderr, exit } = Deno
const [pyodideFolder, runnerFolder] = args

const MODULES = `abc argparse array ast asyncio base64 bisect calendar cmath collections collections.abc concurrent.futures contextlib copy csv
  dataclasses datetime decimal difflib enum fractions functools getpass glob hashlib heapq hmac html inspect io ipaddress itertools json keyword locale logging
  math numbers operator os pathlib pickle platform pprint queue random re reprlib runpy secrets shlex shutil signal sqlite3 statistics string struct subprocess sys
  tempfile textwrap threading time timeit traceback types typing unittest unittest.mock urllib.parse uuid warnings weakref zlib zoneinfo`

// Runs every part of the harness once, so that whatever it loads late is there.
const REHEARSAL = {
  test: {
    files: {
      'rehearsed.py': 'def same(a):\n    return a\n',
      'test_rehearsed.py': `
import asyncio, unittest, pytest, rehearsed
from unittest.mock import patch
class TestUnit(unittest.IsolatedAsyncioTestCase):
    def test_right(self): self.assertEqual(rehearsed.same(1), 1)
    def test_wrong(self): self.assertEqual([rehearsed.same(1)], [2])
    async def test_waits(self): await asyncio.sleep(0)
@pytest.fixture(scope='module', params=[1, 2])
def both(request):
    yield request.param
@pytest.mark.parametrize('a', [1, 2], ids=str)
def test_all(a, both, capsys, caplog, monkeypatch, tmp_path):
    print(a)
    assert capsys.readouterr().out == '1\\n' and rehearsed.same(a) == pytest.approx(1)
async def test_waits():
    with pytest.raises(ValueError, match='x'): raise ValueError('x')
@patch('os.getcwd', return_value='x')
def test_mock(cwd):
    assert cwd() == 'x'
`
    },
    tests: ['test_rehearsed.py']
  },
  evaluate: {
    files: { 'rehearsed.py': 'class Thing:\n    def __init__(self): self.a = {1: [2.0, "x", None]}\n' },
    calls: [{ file: 'rehearsed.py', expression: 'Thing()', setup: 'import asyncio' }, { expression: 'await asyncio.sleep(0)', setup: 'import asyncio' }, { expression: '1 / 0' }]
  }
}

// Fewer, longer pieces read faster; smaller ones leave out more.
const STEP = 64 * 1024

const LIMITS = { budgetMs: 60_000, eachMs: 10_000, outputBytes: 1_000_000 }

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
  const { loadPyodide } = await import(`file://${pyodideFolder}/pyodide.mjs`)
  const python = await loadPyodide({ indexURL: `${pyodideFolder}/`, _makeSnapshot: true, env: { HOME: '/job', PYTHONDONTWRITEBYTECODE: '1' }, stdout: () => {}, stderr: text => stderr.writeSync(new TextEncoder().encode(`${text}\n`)) })
  const set = (name, value) => python.runPython(`${name} = __import__('json').loads(${JSON.stringify(JSON.stringify(value))})`)
  set('_sources', Object.fromEntries([...sourcesOf('harness'), ...sourcesOf('pytest')]))
  set('_rehearsal', Object.values(REHEARSAL).map(job => JSON.stringify({ ...job, ...LIMITS })))
  set('_modules', MODULES.split(/\s+/))
  python.runPython(`
import gc, importlib, os, shutil, sys
for _path, _text in _sources.items():
    os.makedirs(f'/svc/{os.path.dirname(_path)}', exist_ok=True)
    with open(f'/svc/{_path}', 'w') as _file:
        _file.write(_text)
sys.path.insert(0, '/svc')
for _name in _modules:
    importlib.import_module(_name)
_svc_job = importlib.import_module('harness.job')
_svc_job.install()
_svc_job.connect('/dev/null')
_before = sys.stdin, sys.stdout, sys.stderr, list(sys.path), set(sys.modules)
for _text in _rehearsal:
    _svc_job.prepare(_text)
    _svc_job.sealed()
    _svc_job.seal.of_files()
    _svc_job.callers.of_files()
    _svc_job.run()
    sys.stdin, sys.stdout, sys.stderr, sys.path[:] = *_before[:3], _before[3]
    os.chdir('/')
    shutil.rmtree('/job')
    for _name in [_name for _name in sys.modules if 'rehearsed' in _name]:
        del sys.modules[_name]
sys.path.remove('/svc')
# Out of the way of a job's own module of that name.
for _name in [_name for _name in sys.modules if _name.partition('.')[0] == 'harness']:
    del sys.modules[_name]
for _name in [_name for _name in globals() if _name.startswith('_') and not _name.startswith('__') and _name != '_svc_job']:
    del globals()[_name]
sys.path_importer_cache.clear()
del gc.callbacks  # they run between any two things
gc.collect()
del globals()['gc'], globals()['importlib'], globals()['os'], globals()['shutil'], globals()['sys']
`)
  for (const part of partsOf(python.makeMemorySnapshot())) for (let at = 0; at < part.length;) at += stdout.writeSync(part.subarray(at))
  exit(0)
} catch (error) {
  stderr.writeSync(new TextEncoder().encode(`${String(error?.message ?? error).slice(-4000)}\n`))
  exit(97)
}
