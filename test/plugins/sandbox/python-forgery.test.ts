import t from 'tap'
import { python } from '../../support/python.js'

t.setTimeout(600_000) // each is a process of its own
const { test, evaluate } = python(t)

// What a program may do to have its wrong result pass. Each is the module under test, whose `add` the tests call.
const WRONG = 'def add(a, b):\n    return a - b\n'
const ATTACK = 'def add(a, b):\n    attack()\n    return a - b\n'
const TESTS = {
  'test_add.py': 'from add import add\n\ndef test_first():\n    assert add(0, 0) == 0\n\ndef test_wrong():\n    assert add(1, 2) == 3\n',
  'test_unit.py': 'import unittest\nfrom add import add\n\nclass TestAdd(unittest.TestCase):\n    def test_first(self):\n        self.assertEqual(add(0, 0), 0)\n\n    def test_wrong(self):\n        self.assertEqual(add(1, 2), 3)\n'
}

const HUNT = 'import gc, sys, types\ndef found(name):\n    return [o for o in gc.get_objects() if getattr(o, "__name__", None) == name]\n'
const FRAMES = 'import sys\ndef frames():\n    frame = sys._getframe()\n    while frame:\n        yield frame\n        frame = frame.f_back\n'
const GLOBALS = 'import time\nharness = time.sleep.__globals__\n'

const ATTACKS: Record<string, string> = {
  'ends the program with 0': 'import sys\nsys.exit(0)\n',
  'ends the process with 0': 'import os\nos._exit(0)\n',
  'aborts the interpreter': 'import os\nos.abort()\n',
  'kills itself': 'import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\nos.kill(os.getpid(), signal.SIGTERM)\n' + WRONG,
  'ends the process within a call': `import os\ndef attack(): os._exit(0)\n${ATTACK}`,
  'says that it passed': `print('\\n' + '0' * 32 + ' {"type":"told","event":{"type":"test","file":"test_add.py","name":"test_wrong","outcome":"passed"}}')\n${WRONG}`,
  'says that it is ready and done': `import sys, os\nfor out in (sys.stdout, sys.__stdout__, sys.stderr):\n    out.write('READY\\n{"type":"end"}\\n')\nos.write(1, b'\\n{"type":"end"}\\n')\n${WRONG}`,
  'skips its test': 'import pytest, unittest\ndef add(a, b):\n    if a: raise pytest.skip.Exception("no")\n    return a - b\n',
  'skips its test as unittest does': 'import unittest\ndef add(a, b):\n    if a: raise unittest.SkipTest("no")\n    return a - b\n',
  'skips its file': 'import pytest\npytest.skip("no", allow_module_level=True)\n',
  'expects its test to fail': 'import pytest\ndef add(a, b):\n    if a: pytest.xfail("known")\n    return a - b\n',
  'skips in the name of its tests': 'def add(a, b):\n    if a: exec(compile("import pytest\\npytest.skip(\'no\')", "/job/test_add.py", "exec"))\n    return a - b\n',
  'marks its tests': `import sys, pytest\ndef attack():\n    for name in ("test_add", "test_unit"):\n        if name in sys.modules: sys.modules[name].pytestmark = pytest.mark.skip\n${ATTACK}`,
  'returns what equals everything, with canaries': 'class Always(int):\n    def __eq__(self, other): raise SystemExit(0)\ndef add(a, b): return Always(a - b)\n',
  'patches json': `import json, json.encoder\njson.dumps = json.JSONEncoder.encode = json.encoder.encode_basestring_ascii = json.encoder.c_make_encoder = lambda *a, **k: '{"outcome":"passed"}'\n${WRONG}`,
  'patches assertEqual': `import unittest\nunittest.TestCase.assertEqual = lambda *a, **k: None\n${WRONG}`,
  'patches the comparison behind assertEqual': `import unittest\nunittest.TestCase._getAssertEqualityFunc = lambda *a: lambda *a, **k: None\n${WRONG}`,
  'patches what unittest keeps of a failure': `import unittest\nunittest.TestResult.addFailure = unittest.TestResult.addError = lambda *a: None\n${WRONG}`,
  'patches how unittest runs a test': `import unittest\nunittest.TestCase.run = lambda self, result=None: (result.startTest(self), result.stopTest(self))\nunittest.TestCase._callTestMethod = lambda self, method: None\n${WRONG}`,
  'patches the suites of unittest': `import unittest, unittest.suite, unittest.loader\nunittest.suite.TestSuite.run = lambda self, result, debug=False: result\nunittest.loader.TestLoader.loadTestsFromTestCase = lambda self, case: unittest.TestSuite()\n${WRONG}`,
  'patches pytest.raises': `import pytest\npytest.raises = lambda *a, **k: __import__("contextlib").suppress(BaseException)\n${WRONG}`,
  'patches AssertionError': `import builtins\nclass Quiet(BaseException): pass\nbuiltins.AssertionError = Quiet\n${WRONG}`,
  'patches builtins': `import builtins\nbuiltins.isinstance = lambda *a: True\nbuiltins.len = lambda *a: 0\n${WRONG}`,
  'patches Exception': `import builtins\nbuiltins.BaseException = builtins.Exception = type("Never", (), {})\n${WRONG}`,
  'patches how modules are built': `import builtins\nbuild = builtins.__build_class__\nbuiltins.__build_class__ = lambda *a, **k: type("Gone", (), {})\n${WRONG}`,
  'patches exec and compile': `import builtins\nbuiltins.exec = builtins.eval = builtins.compile = lambda *a, **k: None\n${WRONG}`,
  'patches time': `import time\ntime.perf_counter = time.sleep = lambda *a: 0\n${WRONG}`,
  'patches sys.exit and the hooks of errors': `import sys, threading, atexit\nsys.excepthook = sys.unraisablehook = threading.excepthook = lambda *a: None\natexit.register(lambda: None)\n${WRONG}`,
  'exchanges unittest for a module of its own': 'import sys, types\nfake = types.ModuleType("unittest")\nclass TestCase:\n    assertEqual = lambda *a: None\nfake.TestCase = TestCase\nsys.modules["unittest"] = fake\ndef add(a, b): return 0\n',
  'exchanges pytest for a module of its own': 'import sys, types\nsys.modules["pytest"] = types.ModuleType("pytest")\n' + WRONG,
  'writes its own tests': `import os\nfor name in os.listdir("/job"):\n    if name.startswith("test_"): open(f"/job/{name}", "w").write("def test_first(): pass\\ndef test_wrong(): pass\\n")\n${WRONG}`,
  'removes its tests': `import os\nfor name in os.listdir("/job"):\n    if name.startswith("test_"): os.remove(f"/job/{name}")\n${WRONG}`,
  'puts its own finder before all': `import sys\nclass Finder:\n    def find_spec(self, name, path=None, target=None): return None\nsys.meta_path.insert(0, Finder())\nsys.path_hooks.clear()\nsys.path_importer_cache.clear()\n${WRONG}`,
  'puts its tests into the modules': `import sys, types\nfor name in ("test_add", "test_unit"):\n    fake = types.ModuleType(name)\n    fake.__file__ = f"/job/{name}.py"\n    exec("def test_first(): pass\\ndef test_wrong(): pass\\n", fake.__dict__)\n    sys.modules[name] = fake\n${WRONG}`,
  'deletes the test that fails': `import sys\ndef attack():\n    for name in ("test_add", "test_unit"):\n        module = sys.modules.get(name)\n        if module and hasattr(module, "test_wrong"): del module.test_wrong\n        if module and hasattr(module, "TestAdd"): module.TestAdd.test_wrong = lambda self: None\nattack()\n${ATTACK}`,
  'exchanges the code of the test that fails': `import sys\ndef attack():\n    for name in ("test_add", "test_unit"):\n        module = sys.modules.get(name)\n        if hasattr(module, "test_wrong"): module.test_wrong.__code__ = (lambda: None).__code__\n        if hasattr(module, "TestAdd"): module.TestAdd.test_wrong.__code__ = (lambda self: None).__code__\n${ATTACK}`,
  'exchanges what the asserts note': `import sys\ndef attack():\n    module = sys.modules["test_add"]\n    vars(module)["@note"] = lambda notes, index, value: 3\n    vars(module)["@error"] = SystemExit\n${ATTACK}`,
  'exchanges names in the test': `import sys\ndef attack():\n    for name in ("test_add", "test_unit"):\n        if name in sys.modules: sys.modules[name].unittest = None; sys.modules[name].test_wrong = None\n${ATTACK}`,
  'hunts for the harness by gc and patches its class': `${HUNT}\ndef attack():\n    for cls in found("Run"):\n        cls._tell = lambda *a, **k: None\n${ATTACK}`,
  'hunts for what tells results': `${HUNT}\nfor function in found("tell"):\n    function('{"type":"test"}')\n${WRONG}`,
  'hunts for the harness by its referrers': `import gc, time\nfor referrer in gc.get_referrers(time.sleep):\n    if isinstance(referrer, dict) and "watch" in referrer: referrer["limited"] = None\n${WRONG}`,
  'walks the frames to the harness and changes its class': `${FRAMES}\ndef attack():\n    for frame in frames():\n        run = frame.f_locals.get("self")\n        if type(run).__name__ == "Run": type(run)._tell = lambda *a, **k: None\n${ATTACK}`,
  'walks the frames to what tells results': `${FRAMES}\ndef attack():\n    for frame in list(frames()):\n        channel = frame.f_globals.get("channel")\n        if channel:\n            for file in ("test_add.py", "test_unit.py"):\n                channel.tell({"type": "test", "file": file, "name": "test_wrong", "outcome": "passed", "durationMs": 0, "message": None, "frame": None, "limit": None, "lacks": None, "output": ""})\n${ATTACK}`,
  'tells that all is done': `${FRAMES}\nimport os\ndef attack():\n    for frame in list(frames()):\n        channel = frame.f_globals.get("channel")\n        if channel:\n            channel.tell({"type": "done", "alive": True, "limit": None})\n            os._exit(0)\n${ATTACK}`,
  'slips a second value in beside what it tells': `${FRAMES}\ndef attack():\n    for frame in list(frames()):\n        channel = frame.f_globals.get("channel")\n        if channel: channel._send('{"type":"done","alive":true}}\\n{"type":"end"')\n${ATTACK}`,
  'replaces what tells results': `${FRAMES}\ndef attack():\n    for frame in list(frames()):\n        channel = frame.f_globals.get("channel")\n        if channel: channel.tell = lambda event: None; channel._send = lambda text: None\n${ATTACK}`,
  'filters what tells results, and puts it back': `${FRAMES}\ndef attack():\n    for frame in list(frames()):\n        channel = frame.f_globals.get("channel")\n        if channel and not hasattr(channel, "kept"):\n            channel.kept = tell = channel.tell\n            def forged(event):\n                if event.get("outcome") == "failed": event.update(outcome="passed", message=None)\n                channel.tell = tell\n                tell(event)\n                channel.tell = forged\n            channel.tell = forged\n${ATTACK}`,
  'changes the locals of the harness': `${FRAMES}\ndef attack():\n    for frame in frames():\n        for name in ("item", "path", "following", "outcome", "error"):\n            if name in frame.f_locals and "/svc/" in frame.f_code.co_filename: frame.f_locals[name] = None\n${ATTACK}`,
  'marks the item that runs as expected to fail': `${FRAMES}\nimport pytest\ndef attack():\n    for frame in frames():\n        item = frame.f_locals.get("item")\n        if hasattr(item, "marks"): item.marks.append(pytest.mark.xfail)\n${ATTACK}`,
  'takes the functions of the harness through its globals': `${GLOBALS}\nharness["limited"].__exit__ = lambda *a: True\n${WRONG}`,
  'has every error swallowed by the limits': `${GLOBALS}\nclass Swallow:\n    def __enter__(self): return self\n    def __exit__(self, *a): return True\nharness["limited"] = Swallow\n${WRONG}`,
  'says that the text of its tests is another': `${FRAMES}\ndef attack():\n    for frame in frames():\n        modules = frame.f_globals.get("modules")\n        if modules: modules._texts = {"/job/test_unit.py": "import unittest\\nclass TestAdd(unittest.TestCase):\\n    def test_first(self): pass\\n    def test_wrong(self): pass\\n"}\nattack()\n${ATTACK}`,
  'jumps over lines by a trace': `import sys\ndef trace(frame, event, argument):\n    return trace\ndef attack():\n    sys.settrace(trace)\n${ATTACK}`,
  'reads and writes memory by ctypes': `def attack():\n    import ctypes\n    ctypes.c_char.from_address(id(attack))\n${ATTACK}`,
  'reaches for JavaScript': 'import js\njs.eval("Array.prototype.toJSON = () => []; JSON.parse = () => ({}); TextEncoder.prototype.encode = () => new Uint8Array()")\n' + WRONG,
  'reaches for Pyodide': 'import pyodide.code\npyodide.code.run_js("Object.prototype.then = 1")\n' + WRONG,
  'takes the signals': `import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nsignal.set_wakeup_fd(-1)\n${WRONG}`,
  'stops the clock of its limit and never ends': `${GLOBALS}\nharness["watch"].alarm(0)\nharness["watch"].is_on = False\ndef add(a, b):\n    while True: pass\n`,
  'leaves a generator that ends the process': `import os\nclass End:\n    def __del__(self): os._exit(0)\ndef attack(): End()\n${ATTACK}`,
  'closes the streams': `import sys, os\nsys.stdout.close()\nsys.stdout = sys.stderr = None\nfor fd in range(3): os.close(fd)\n${WRONG}`,
  'changes the folder and the path': `import os, sys\nos.chdir("/")\nsys.path.clear()\nsys.modules.clear()\n${WRONG}`
}

void t.test('the tests fail without an attack, and pass where the code is right', async t => {
  t.match(await test({ 'add.py': WRONG, ...TESTS }), { outcome: 'failed', cause: null, tests: [{ outcome: 'passed' }, { outcome: 'failed' }, { outcome: 'passed' }, { outcome: 'failed' }] })
  t.match(await test({ 'add.py': 'def add(a, b):\n    return a + b\n', ...TESTS }), { outcome: 'passed', cause: null, tests: [{ outcome: 'passed' }, { outcome: 'passed' }, { outcome: 'passed' }, { outcome: 'passed' }] })
})

void t.test('no attack passes, nor has its wrong test told as passed, and each ends within its limits', async t => {
  await Promise.all(Object.entries(ATTACKS).map(async ([what, source]) => {
    const report = await test({ 'add.py': source, ...TESTS }, { wallMs: 8000 })
    t.not(report.outcome, 'passed', `${what}: ${JSON.stringify(report)}`)
    const forged = report.tests.filter(({ name, outcome }) => /wrong/.test(name) && outcome === 'passed')
    t.ok(forged.length === 0 || report.cause === 'tampered', `${what}: ${report.cause}`)
    t.ok(report.durationMs < 8500, `${what}: ${report.durationMs} ms`)
  }))
})

// What the tests are run with, of the standard library: the attack, and the one test that it would have pass.
const STANDARD: Record<string, [string, string]> = {
  'asyncio.Runner': ['import asyncio\nfrom asyncio import runners\nclass Runner:\n    def run(self, c): c.close()\n    def close(self): pass\nasyncio.Runner = runners.Runner = Runner\n', 'async def test_wrong():\n    assert 1 == 2\n'],
  'inspect.iscoroutine': ['import inspect\ninspect.iscoroutine = lambda x: False\n', 'async def test_wrong():\n    assert 1 == 2\n'],
  'itertools.product': ['import itertools\nreal = itertools.product\nitertools.product = lambda *a: list(real(*a))[:1]\n', 'import pytest\n@pytest.mark.parametrize("a", [1, 2])\ndef test_wrong(a):\n    assert a == 1\n'],
  're.search': ['import re\nre.search = lambda *a, **k: True\n', 'import pytest\ndef test_wrong():\n    with pytest.raises(ValueError, match="negative"): raise ValueError("no")\n'],
  'the assertions of mocks': ['from unittest import mock\nmock.Mock.assert_called_once_with = mock.NonCallableMock.assert_called_once_with = lambda *a, **k: None\n', 'from unittest.mock import Mock\ndef test_wrong():\n    Mock().assert_called_once_with(1)\n'],
  'logging.Handler.format': ['import logging\nlogging.Handler.format = lambda *a: "saved"\n', 'import logging\ndef test_wrong(caplog):\n    logging.warning("x")\n    assert "saved" in caplog.text\n']
}

void t.test('what runs tests cannot be replaced in the standard library', async t => {
  await Promise.all(Object.entries(STANDARD).map(async ([what, [attack, tests]]) => {
    const report = await test({ 'add.py': attack, 'test_add.py': `import add\n${tests}` })
    t.match(report, { outcome: 'failed' }, what)
  }))
})

void t.test('a program that uses mocks, logging and coroutines as they are meant is not told as one that meddles', async t => {
  const report = await test({
    'add.py': 'import inspect, itertools, logging, re, time, traceback, warnings\nlogging.Formatter.converter = time.gmtime\ndef add(f):\n    logging.info("x")\n    warnings.warn("y")\n    try: raise ValueError\n    except ValueError: traceback.format_exc()\n    assert inspect.signature(add) and re.search("a", "a") and list(itertools.product([1]))\n    return f(1)\n',
    'test_add.py': 'import asyncio\nfrom unittest import mock\nfrom unittest.mock import AsyncMock, MagicMock, Mock, patch\nfrom add import add\n\ndef test_mocks():\n    f = Mock(return_value=2)\n    assert add(f) == 2\n    f.assert_called_once_with(1)\n    MagicMock().__len__.return_value = 3\n    with patch("add.add", autospec=True), patch("re.search"), patch.dict("os.environ", A="b"): pass\n\nasync def test_async(caplog):\n    await AsyncMock()()\n    await asyncio.sleep(0)\n'
  })
  t.match(report, { outcome: 'passed', cause: null })
})

void t.test('a file of the job does not stand for what its tests are written with', async t => {
  const report = await test({ 'add.py': WRONG, 'unittest.py': 'class TestCase:\n    def assertEqual(self, *a): pass\n', 'pytest.py': 'raises = None\n', ...TESTS })
  t.match(report, { outcome: 'failed', tests: [{ outcome: 'passed' }, { outcome: 'failed' }, { outcome: 'passed' }, { outcome: 'failed' }] })
})

void t.test('a wrong value stays wrong, whatever is patched', async t => {
  const outcomes = await evaluate(`
import builtins, json, json.encoder
class Right(int):
    def __eq__(self, other): return True
    __hash__ = int.__hash__
    def __repr__(self): return "3"
    def __str__(self): return "3"
json.dumps = lambda *a, **k: '3'
def add(a, b): return a - b
def disguised(a, b): return Right(a - b)
def patched(a, b):
    builtins.repr = builtins.str = lambda value: "3"
    builtins.isinstance = lambda *a: True
    return a - b
`, ['add(1, 2)', 'disguised(1, 2)', 'patched(1, 2)'])
  for (const outcome of outcomes) t.notMatch(outcome, { value: { value: '3' } })
  t.match(outcomes, [{ value: { type: 'int', value: '-1' } }, { value: { type: 'int', value: '-1' } }, { type: 'not run', cause: 'tampered' }])
})
