import t from 'tap'
import { SUBCLASSES, WRONG, isForged, outcomesOf, python } from '../../support/python.js'

t.setTimeout(600_000) // each is a process of its own
const { test, evaluate } = python(t)

const GETFRAME = 'import sys\ndef first(): return sys._getframe()\n'
const TRACEBACK = 'def first():\n    try: raise ValueError\n    except ValueError as e: return e.__traceback__.tb_frame\n'
const GENERATOR = 'def first():\n    def steps(): yield made[0].gi_frame.f_back\n    made = []\n    made.append(steps())\n    return next(made[0])\n'
const INSPECT = 'import inspect\ndef first(): return inspect.currentframe()\n'
const STACK = 'import inspect\ndef first(): return inspect.stack()[0].frame\n'
const WALK = 'import traceback\ndef first(): return next(traceback.walk_stack(None))[0]\n'
const WALK_TB = 'import traceback\ndef first():\n    try: raise ValueError\n    except ValueError as e: return next(traceback.walk_tb(e.__traceback__))[0]\n'
const LOGGING = 'import logging\ndef first(): return logging.currentframe()\n'
const SIGNAL = 'import signal\nseen = []\ndef first():\n    signal.signal(signal.SIGTERM, lambda number, frame: seen.append(frame))\n    signal.raise_signal(signal.SIGTERM)\n    return seen.pop()\n'
const INTERRUPT = 'import signal, os\nseen = []\ndef first():\n    signal.signal(signal.SIGINT, lambda number, frame: seen.append(frame))\n    os.kill(os.getpid(), signal.SIGINT)\n    return seen.pop()\n'
const COROUTINE = 'def first():\n    made = []\n    async def step(): return made[0].cr_frame.f_back\n    made.append(step())\n    try: made[0].send(None)\n    except StopIteration as e: return e.value\n'
const BORROWED = 'import types, traceback, sys\ndef first():\n    def spy(f, limit=None): seen.append(f); return []\n    seen = []\n    types.FunctionType(traceback.format_stack.__code__, {"sys": sys, "extract_stack": spy, "format_list": list}, "f", (None, None))()\n    return seen[0]\n'
const EXECUTED = 'import traceback\ndef first():\n    exec(compile("def spy(): return sys._getframe()", traceback.__file__, "exec"), vars(traceback))\n    return traceback.spy()\n'
const HELPER = 'import traceback\nseen = []\ndef first():\n    real = traceback.extract_stack\n    traceback.extract_stack = lambda f, limit=None: seen.append(f) or []\n    try: traceback.format_stack()\n    finally: traceback.extract_stack = real\n    return seen.pop()\n'
const LOGGED = 'import logging\nseen = []\ndef first():\n    real = logging._is_internal_frame\n    logging._is_internal_frame = lambda f: seen.append(f) or real(f)\n    try: logging.warning("x")\n    finally: logging._is_internal_frame = real\n    return seen.pop()\n'
const HOOK = 'import sys\nseen = []\ndef hook(event, args):\n    if event == "sys._getframe" and not seen:\n        seen.append(None); f = sys._getframe(1); seen[0] = f\nsys.addaudithook(hook)\ndef first():\n    seen.clear()\n    try: sys._getframe(0)\n    except RuntimeError: pass\n    return seen[0]\n'
const SETTER = 'import _signal, signal\nseen = []\ndef first():\n    cells = dict(zip(_signal.signal.__code__.co_freevars, (c.cell_contents for c in _signal.signal.__closure__)))\n    cells["send"]((signal.SIGTERM, lambda n, frame: seen.append(frame)))\n    signal.raise_signal(signal.SIGTERM)\n    return seen.pop()\n'
const FRESH = 'import sys\nseen = []\nown = sys.modules.pop("_signal")\ntry: import _signal as fresh\nexcept ImportError: fresh = None\nsys.modules["_signal"] = own\ndef first():\n    fresh.signal(15, lambda n, f: seen.append(f))\n    fresh.raise_signal(15)\n    return seen.pop()\n'
const READERS = { GETFRAME, TRACEBACK, GENERATOR, INSPECT, STACK, WALK, WALK_TB, LOGGING, SIGNAL, INTERRUPT, HELPER, LOGGED, HOOK, SETTER, FRESH, COROUTINE, BORROWED, EXECUTED }
const CHAIN = 'def named(name):\n    frame = first()\n    while frame:\n        if name in frame.f_locals: yield frame, frame.f_locals[name]\n        frame = frame.f_back\n'

const PLAIN = 'from add import add\nWANT = 3\ndef check(got, want): assert got == want\n\ndef test_first():\n    assert add(0, 0) == 0\n\ndef test_wrong():\n    want = 3\n    got = add(1, 2)\n    check(got, want)\n    assert got == WANT\n'
const UNIT = 'import unittest\nfrom add import add\n\nclass TestAdd(unittest.TestCase):\n    def test_first(self):\n        self.assertEqual(add(0, 0), 0)\n\n    def test_wrong(self):\n        self.assertEqual(add(1, 2), 3)\n'
const ASYNC = 'from add import add\n\nasync def test_first():\n    assert add(0, 0) == 0\n\nasync def test_wrong():\n    assert add(1, 2) == 3\n'
const SUBTESTS = 'import unittest\nfrom add import add\n\nclass TestAdd(unittest.TestCase):\n    def test_wrong(self):\n        for x in (0, 1):\n            with self.subTest(x=x):\n                self.assertEqual(add(x, 2), x + 2)\n'
const TABLE = 'import pytest\nfrom add import add\n@pytest.mark.parametrize("a,b,want", [(0, 0, 0), (1, 2, 3)])\ndef test_wrong(a, b, want):\n    assert add(a, b) == want\n'

/** By the frames beneath the code, to what runs its tests or to their locals. */
const BY_FRAMES: Record<string, [attack: string, tests: string]> = {
  'changes the run': ['def attack():\n    for f, run in named("self"):\n        if type(run).__name__ == "Run":\n            tell = type(run)._tell\n            run._tell = lambda path, name, started, error, outcome, message: tell(run, path, name, started, None, "passed", None)\n', PLAIN],
  'changes the next item': ['def attack():\n    for f, found in named("found"):\n        for item in found:\n            if item.method == "test_wrong": item.function = lambda: None\n', PLAIN],
  'changes a local of the test': ['def attack():\n    for f, want in named("want"): f.f_locals["want"] = -1\n    import test_add\n    test_add.WANT = -1\n', PLAIN],
  'changes the result of unittest': ['def attack():\n    for f, case in named("self"):\n        outcome = getattr(case, "_outcome", None)\n        if outcome: outcome.result.addFailure = lambda *a: None\n', UNIT],
  'puts another result in its place': ['def attack():\n    for f, case in named("self"):\n        outcome = getattr(case, "_outcome", None)\n        if outcome:\n            class R:\n                def __getattr__(self, k): return lambda *a: None\n            outcome.result = R()\n', UNIT],
  'gives the next case another test': ['def attack():\n    for f, suite in named("suite"):\n        for s in suite:\n            for c in s:\n                if c is not None and c._testMethodName == "test_wrong": c.test_wrong = lambda: None\n', UNIT],
  'silences the subtests': ['def attack():\n    for f, case in named("self"):\n        outcome = getattr(case, "_outcome", None)\n        if outcome: outcome.result.addSubTest = lambda *a: None\n', SUBTESTS],
  'has no coroutine awaited': ['def attack():\n    for f, setup in named("self"):\n        if type(setup).__name__ == "Setup": setup.session.await_ = lambda c: c.close()\n', ASYNC],
  'changes the values of parameters': ['def attack():\n    for f, found in named("found"):\n        for item in found: item.direct["want"] = item.direct["a"] - item.direct["b"]\n', TABLE]
}

/** By the names of the tests' own module and classes. */
const BY_NAMES: Record<string, [attack: string, tests: string]> = {
  'rebinds a constant of the tests': ['def attack():\n    import test_add\n    test_add.WANT = -1\n    test_add.check = lambda *a: None\n', PLAIN],
  'rebinds a helper of the tests': ['def attack():\n    import test_add\n    test_add.check = lambda *a: None\n', PLAIN.replace('    assert got == WANT\n', '')],
  'exchanges the code of a helper': ['def attack():\n    import test_add\n    test_add.check.__code__ = (lambda got, want: None).__code__\n', PLAIN.replace('    assert got == WANT\n', '')],
  'gives a class its own assertEqual': ['def attack():\n    import unittest\n    for c in unittest.TestCase.__subclasses__():\n        if c.__name__ == "TestAdd": c.assertEqual = lambda *a: None\n', UNIT],
  'gives a class other bases': ['import unittest\nclass Evil(unittest.TestCase):\n    def assertEqual(self, *a): pass\ndef attack():\n    for c in unittest.TestCase.__subclasses__():\n        if c.__name__ == "TestAdd": c.__bases__ = (Evil,)\n', UNIT],
  'gives a class another way to attributes': ['def attack():\n    import unittest\n    for c in unittest.TestCase.__subclasses__():\n        if c.__name__ == "TestAdd": c.__getattribute__ = lambda self, k: (lambda *a: None) if k == "assertEqual" else object.__getattribute__(self, k)\n', UNIT],
  'gives a class its own run': ['def attack():\n    import unittest\n    for c in unittest.TestCase.__subclasses__():\n        if c.__name__ == "TestAdd": c._callTestMethod = lambda self, method: None\n', UNIT]
}

/** By what runs tests, of the standard library: at once, or once and then put back. Some wait for the second file of tests. */
const BY_PARTS: Record<string, [attack: string, tests: string]> = {
  'replaces what only our own tests spoke of': ['import os\nos.getcwd = lambda: "/x"\ndef attack(): pass\n', 'import os\nfrom add import add\ndef test_wrong(): assert add and os.path.abspath("y") == "/x/y"\n'],
  'has the loop run nothing': ['import asyncio\ndef attack():\n    asyncio.get_running_loop().run_until_complete = lambda task: task.cancel()\n', ASYNC],
  'has every loop run nothing': ['from asyncio import base_events\ndef attack(): pass\nbase_events.BaseEventLoop.run_until_complete = lambda self, task: task.cancel()\n', ASYNC],
  'has the loop of a case run nothing': ['import asyncio\ndef attack():\n    asyncio.get_running_loop().run_until_complete = lambda task: task.cancel()\n', 'import unittest\nfrom add import add\nclass TestAdd(unittest.IsolatedAsyncioTestCase):\n    async def asyncSetUp(self): add(1, 1)\n    async def test_wrong(self): self.assertEqual(add(1, 2), 3)\n'],
  'has fewer parameters, once': ['import itertools\nreal = itertools.product\ndef once(*a):\n    if not a: return real(*a)\n    itertools.product = real\n    return list(real(*a))[:1]\nitertools.product = once\ndef attack(): pass\n', TABLE],
  'says that nothing is a coroutine, once': ['import inspect\nreal = inspect.iscoroutine\ndef once(x):\n    if x is None: return False\n    inspect.iscoroutine = real\n    x.close()\n    return False\ninspect.iscoroutine = once\ndef attack(): pass\n', 'from add import add\nasync def test_wrong():\n    assert add(1, 2) == 3\n'],
  'parses other tests': ['import ast\nreal = ast.parse\ndef parse(*a, **k):\n    ast.parse = real\n    return real("def test_first(): pass\\ndef test_wrong(): pass\\n")\nast.parse = parse\ndef attack(): pass\n', PLAIN],
  'visits no assert': ['import ast\nast.NodeTransformer.visit = lambda self, node: real("def test_first(): pass\\ndef test_wrong(): pass\\n")\nreal = ast.parse\ndef attack(): pass\n', PLAIN],
  'has a loader load other tests': ['import importlib.machinery as m\nreal = m.SourceFileLoader.get_code\ndef code(self, name):\n    if "test_" in name: return compile("def test_first(): pass\\ndef test_wrong(): pass\\n", self.path, "exec")\n    return real(self, name)\nm.SourceFileLoader.get_code = code\ndef attack(): pass\n', PLAIN],
  'lays out modules for other tests': ['import sys, types\nfor name in ("test_add", "test_later"):\n    if name in sys.modules: continue\n    fake = types.ModuleType(name)\n    fake.__file__ = f"/job/{name}.py"\n    exec("def test_first(): pass\\ndef test_wrong(): pass\\n", vars(fake))\n    sys.modules[name] = fake\ndef attack(): pass\n', PLAIN],
  'makes modules of another kind': ['import importlib.util, types\nreal = importlib.util.module_from_spec\nclass Other(types.ModuleType):\n    @property\n    def __dict__(self): return seen\nseen = {}\nexec("def test_first(): pass\\ndef test_wrong(): pass\\n", seen)\ndef made(spec):\n    module = Other(spec.name)\n    module.__file__ = spec.origin\n    return module\nimportlib.util.module_from_spec = made\ndef attack(): pass\n', PLAIN]
}

// Every array's length is told by a getter that first makes a pass of a failure in what is about to be written.
const SCRIPT = 'JS = """\nconst TA = Object.getPrototypeOf(Uint8Array.prototype), get = Object.getOwnPropertyDescriptor(TA, \'length\').get\nObject.defineProperty(TA, \'length\', { configurable: true, get () {\n  const n = get.call(this)\n  if (n > 20 && n < 100000 && this[0] === 123) {\n    let s = \'\'; for (let i = 0; i < n; i++) s += String.fromCharCode(this[i])\n    const at = s.indexOf(\'"outcome":"failed"\')\n    if (at >= 0) for (let i = 0; i < 6; i++) this[at + 11 + i] = \'passed\'.charCodeAt(i)\n  }\n  return n\n} })\n"""\n'
const BY_JAVASCRIPT: Record<string, string> = {
  'the module, deleted and imported': 'import sys\ndel sys.modules["js"]\nimport js\njs.eval(JS)\n',
  'its finder': 'import sys\nnext(f for f in sys.meta_path if hasattr(f, "jsproxies")).jsproxies["js"].eval(JS)\n',
  'the class of its finder': `${SUBCLASSES}cls("JsFinder").find_spec.__globals__["jsfinder"].jsproxies["js"].eval(JS)\n`,
  'the alarm of the limits': 'import time\ntime.sleep.__globals__["channel"].alarm.constructor(JS)()\n',
  'whatever the harness holds': `${SUBCLASSES}for value in list(cls("Run", "harness.tests")._tell.__globals__["channel"].__dict__.values()):\n    make = getattr(value, "constructor", None)\n    if make: make(JS)()\n`,
  'Pyodide, imported anew': 'import sys\nfor name in [name for name in sys.modules if "pyodide" in name]: del sys.modules[name]\nfrom pyodide.code import run_js\nrun_js(JS)\n'
}

/** By what the tests are written with, after they were loaded. */
const BY_WORDS: Record<string, [attack: string, tests: string]> = {
  'an autouse fixture among the built-in ones': ['from pytest import _fixtures\ndef evil(request): request.node.function = lambda **k: None\n_fixtures.BUILTIN["evil"] = _fixtures.FixtureDef(evil, "function", None, True, "evil", None)\ndef attack(): pass\n', PLAIN],
  'another function of a fixture': ['import sys\ndef attack(): sys.modules["test_add"].want.func = lambda: -1\n', 'import pytest\nfrom add import add\n@pytest.fixture\ndef want(): return 3\ndef test_first(): add(0, 0)\ndef test_wrong(want): assert add(1, 2) == want\n'],
  'a setUp': ['import sys\ndef evil(self): self.assertEqual = lambda *a: None\ndef attack(): sys.modules["test_add"].TestAdd.setUp = evil\n', UNIT],
  'a __setattr__': ['import sys\ndef evil(self, name, value):\n    if name == "_outcome" and value is not None: value.result.addFailure = lambda *a: None\n    object.__setattr__(self, name, value)\ndef attack(): sys.modules["test_add"].TestAdd.__setattr__ = evil\n', UNIT],
  'a setup_method': ['import sys\ndef evil(self, method): self.test_wrong = lambda: None\ndef attack(): sys.modules["test_add"].TestAdd.setup_method = evil\n', 'from add import add\nclass TestAdd:\n    def test_first(self): assert add(0, 0) == 0\n    def test_wrong(self): assert add(1, 2) == 3\n'],
  'a setup_function': ['import sys\ndef evil(function): function.__defaults__ = (-1,)\ndef attack(): sys.modules["test_add"].setup_function = evil\n', 'from add import add\ndef test_first(): add(0, 0)\ndef test_wrong(want=3): assert add(1, 2) == want\n'],
  'a helper of the class': ['import sys\ndef attack(): sys.modules["test_add"].TestAdd.check = lambda *a: None\n', 'import unittest\nfrom add import add\nclass TestAdd(unittest.TestCase):\n    def check(self, a, b, want): self.assertEqual(add(a, b), want)\n    def test_first(self): add(0, 0)\n    def test_wrong(self): self.check(1, 2, 3)\n'],
  'a constant of the class': ['import sys\ndef attack(): sys.modules["test_add"].TestAdd.WANT = -1\n', 'from add import add\nclass TestAdd:\n    WANT = 3\n    def test_first(self): add(0, 0)\n    def test_wrong(self): assert add(1, 2) == self.WANT\n'],
  'bases of a plain class': ['import sys\nclass Evil: same = lambda self, *a: None\ndef attack(): sys.modules["test_add"].TestAdd.__bases__ = (Evil,)\n', 'from add import add\nclass Checks:\n    def same(self, a, b): assert a == b\nclass TestAdd(Checks):\n    def test_first(self): add(0, 0)\n    def test_wrong(self): self.same(add(1, 2), 3)\n'],
  'a computed constant': ['import sys\ndef attack(): sys.modules["test_add"].WANT = -1\n', PLAIN.replace('WANT = 3', 'WANT = sum([1, 2])').replace('    check(got, want)\n', '')],
  'an imported helper': ['import sys\ndef attack(): sys.modules["test_add"].isclose = lambda *a, **k: True\n', 'from math import isclose\nfrom add import add\ndef test_first(): add(0, 0)\ndef test_wrong(): assert isclose(add(1, 2), 3)\n'],
  'an imported raises': ['import sys, contextlib\ndef attack(): sys.modules["test_add"].raises = lambda *a, **k: contextlib.nullcontext()\n', 'from pytest import raises\nfrom add import add\ndef test_first(): add(0, 0)\ndef test_wrong():\n    with raises(TypeError): add(1, 2)\n'],
  'a helper\'s default': ['import sys\ndef attack(): sys.modules["test_add"].check.__defaults__ = (100,)\n', 'from add import add\ndef check(a, b, tolerance=1e-9): assert -tolerance <= a - b <= tolerance\ndef test_first(): add(0, 0)\ndef test_wrong(): check(add(1, 2), 3)\n'],
  'a helper\'s default by name': ['import sys\ndef attack(): sys.modules["test_add"].check.__kwdefaults__["tolerance"] = 100\n', 'from add import add\ndef check(a, b, *, tolerance=1e-9): assert -tolerance <= a - b <= tolerance\ndef test_first(): add(0, 0)\ndef test_wrong(): check(add(1, 2), 3)\n'],
  'the cell of a decorated test': ['import sys\ndef attack():\n    for cell in sys.modules["test_add"].test_wrong.__closure__:\n        f = cell.cell_contents\n        if callable(f) and getattr(f, "__name__", "") == "test_wrong" and not hasattr(f, "patchings"): cell.cell_contents = lambda *a, **k: None\n', 'from unittest.mock import patch\nfrom add import add\ndef test_first(): add(0, 0)\n@patch("time.time", return_value=1)\ndef test_wrong(clock): assert add(1, 2) == 3\n'],
  'a builtin by a name in the tests': ['import sys\ndef attack(): sys.modules["test_add"].abs = lambda x: 0\n', 'from add import add\ndef test_first(): add(0, 0)\ndef test_wrong(): assert abs(add(1, 2) - 3) < 1e-9\n'],
  'a builtin': ['import builtins\nbuiltins.round = lambda *a: 3\ndef attack(): pass\n', 'from add import add\ndef test_first(): add(0, 0)\ndef test_wrong(): assert round(add(1.2, 2)) == 3\n'],
  'a builtin by a name in approx': ['from pytest import _approx\n_approx.abs = lambda x: 0\ndef attack(): pass\n', 'import pytest\nfrom add import add\ndef test_wrong(): assert add(1.0, 2.0) == pytest.approx(3.0)\n'],
  'the defaults of assertAlmostEqual': ['import unittest\nclass Delta: __ge__ = lambda self, diff: True\nunittest.TestCase.assertAlmostEqual.__defaults__ = (None, None, Delta())\ndef attack(): pass\n', 'import unittest\nfrom add import add\nclass TestAdd(unittest.TestCase):\n    def test_wrong(self): self.assertAlmostEqual(add(1.0, 2.0), 3.0)\n'],
  pi: ['import math\nmath.pi = 3\ndef attack(): pass\n', 'import math\nfrom add import add\ndef test_wrong(): assert add(3, 0) == math.pi\n'],
  'the frame of the interpreter\'s own tests': [`import _testlimitedcapi as c\ndef first(): return c.eval_getframe()\n${CHAIN}def attack():\n    for f, want in named("want"): f.f_locals["want"] = -1\n`, PLAIN.replace('    assert got == WANT\n', '')],
  'skips where a name speaks of it': ['import unittest\ndef attack(): raise unittest.SkipTest("no")\n', UNIT.replace('test_first(self):\n        self.assertEqual(add(0, 0), 0)', 'test_skips_blank(self): pass')]
}

void t.test('frames do not lead to what runs the tests, nor to the locals of a test', async t => {
  await Promise.all(Object.entries(BY_FRAMES).flatMap(([what, [attack, tests]]) => [['_getframe', GETFRAME], ['tb_frame', TRACEBACK]].map(async ([by, read]) => {
    const report = await test({ 'add.py': `${read}${CHAIN}${attack}${WRONG}`, 'test_add.py': tests })
    t.notOk(isForged(report), `${what} by ${by}: ${JSON.stringify(report)}`)
  })))
})

void t.test('whichever way a frame is come by', async t => {
  const attack = BY_FRAMES['changes a local of the test']?.[0].replace(/ {4}import test_add\n.*\n/, '') ?? ''
  const tests = PLAIN.replace('    assert got == WANT\n', '')
  await Promise.all(Object.entries(READERS).map(async ([by, read]) => {
    const report = await test({ 'add.py': `${read}${CHAIN}${attack}${WRONG}`, 'test_add.py': tests })
    t.notOk(isForged(report), `${by}: ${JSON.stringify(report)}`)
  }))
})

void t.test('names of the tests and their classes do not get another meaning', async t => {
  await Promise.all(Object.entries(BY_NAMES).map(async ([what, [attack, tests]]) => {
    t.match(await test({ 'add.py': `def attack(): pass\n${WRONG}`, 'test_add.py': tests }), { outcome: 'failed', cause: null }, `${what}: fails without`)
    const report = await test({ 'add.py': `${attack}${WRONG}`, 'test_add.py': tests })
    t.notOk(isForged(report), `${what}: ${JSON.stringify(report)}`)
  }))
})

void t.test('what runs tests is not what the standard library has become since', async t => {
  await Promise.all(Object.entries(BY_PARTS).map(async ([what, [attack, tests]]) => {
    const report = await test({ 'add.py': `${attack}${WRONG}`, 'test_add.py': 'from add import add\ndef test_nothing(): assert add\n', 'test_later.py': tests })
    t.notOk(isForged(report), `${what}: ${JSON.stringify(report)}`)
  }))
})

void t.test('Python does not reach JavaScript, which writes what is reported', async t => {
  await Promise.all(Object.entries(BY_JAVASCRIPT).map(async ([what, attack]) => {
    const report = await test({ 'add.py': `${SCRIPT}${attack}def attack(): pass\n${WRONG}`, 'test_add.py': `import pytest\ntry: from add import add\nexcept Exception: add = lambda a, b: a - b\n${PLAIN.replace('from add import add\n', '')}` })
    t.notOk(isForged(report), `${what}: ${JSON.stringify(report)}`)
  }))
})

void t.test('what the tests were written with stays what it was', async t => {
  await Promise.all(Object.entries(BY_WORDS).map(async ([what, [attack, tests]]) => {
    const report = await test({ 'add.py': `${attack}${WRONG}`, 'test_add.py': tests })
    t.notOk(isForged(report), `${what}: ${JSON.stringify(report)}`)
  }))
})

void t.test('what wants the frames of its callers is not run, and that is said', async t => {
  const report = await test({ 'who.py': 'import inspect\ndef caller(): return inspect.stack()[1].function\ndef right(): return 1\n', 'test_who.py': 'import who\ndef test_a(): assert who.caller() == "test_a"\ndef test_b(): assert who.right() == 1\n' })
  t.match(report, { outcome: 'not run', cause: 'not available', message: /frames of callers/ })
  t.same(outcomesOf(report), { test_a: 'not run', test_b: 'passed' })
  t.match(await evaluate('import sys\ndef caller(): return sys._getframe(1).f_code.co_name\n', ['caller()']), [{ type: 'not run' }])
})

void t.test('a value is told as it was returned, whatever the code makes of what tells it', async t => {
  const write = (body: string) => `import time\nchannel = time.sleep.__globals__["channel"]\n${body}\ndef add(a, b): return -1\ndef fail(): raise ValueError\n`
  const outcome = '{"type": "returned", "value": {"type": "int", "value": "5"}, "output": ""}'
  const attacks = [
    write(`write = channel._write\nvars(channel)["_write"] = lambda value, depth: write({**value, "outcome": ${outcome}} if isinstance(value, dict) and "outcome" in value else value, depth)`),
    write(`written = channel.written\nchannel.written = lambda value: written({**value, "index": 1 - value["index"], "outcome": ${outcome}} if isinstance(value, dict) and "outcome" in value else value)`),
    write('import builtins\nbuiltins.issubclass = lambda *a: False'),
    write('channel.tell({"type": "outcome", "index": 0, "outcome": {"type": "returned", "value": {"type": "int", "value": "5"}, "output": ""}})')
  ]
  for (const attack of attacks) {
    const outcomes = await evaluate(attack, ['add(2, 3)', 'fail()'])
    t.match(outcomes, [{ type: 'not run', cause: 'tampered', message: /meddled/ }, { type: 'not run', cause: 'tampered' }])
  }
  const others = ['import inspect\ninspect.isawaitable = lambda value: True\nimport asyncio\nasyncio.run = lambda value, **k: value.close() or 5', 'import time\ntime.sleep.__code__ = (lambda seconds: None).__code__',
    'import time, types\nclass Other(types.ModuleType): pass\ntime.sleep.__globals__["channel"].__class__ = Other']
  for (const other of others) t.notMatch(await evaluate(`${other}\ndef add(a, b): return -1\n`, ['add(2, 3)']), [{ value: { value: '5' } }], other)
  // What does not tell values is the code's own to change.
  const own = 'import json, random\nrandom.random = lambda: 0.5\njson.JSONEncoder.default = lambda self, value: str(value)\ndef f(): return json.dumps({1, 2} and {"a": 1j}), random.random()\n'
  const doors = `import builtins, functools, gc, sys, types
def cloned():
    def made(n):
        def inner(x): return x + n
        return inner
    inner = made(2)
    return functools.update_wrapper(types.FunctionType(inner.__code__, inner.__globals__, inner.__name__, inner.__defaults__, inner.__closure__), inner)(1)
def counted(): return len(gc.get_objects()) > 0
def traced():
    sys.settrace(lambda *a: None)
    sys.settrace(None)
    return 1
def recoded():
    def a(): return 1
    def b(): return 2
    a.__code__ = b.__code__.replace(co_name="a")
    return a()
def opened():
    real = builtins.open
    builtins.open = lambda path: path
    try: return open("x")
    finally: builtins.open = real
`
  t.match(await evaluate(doors, ['cloned()', 'counted()', 'traced()', 'recoded()', 'opened()']), ['3', true, '1', '2', 'x'].map(value => ({ type: 'returned', value: { value } })))
  t.match(await evaluate(own, ['f()']), [{ type: 'returned', value: { items: [{ value: '{"a": "1j"}' }, { value: '0.5' }] } }])
})

void t.test('errors that cause each other, say nothing or say it with an exit are told, and the rest is run', async t => {
  const source = `def cycle():
    first, second = KeyError(), ValueError("x")
    first.__cause__, second.__cause__ = second, first
    raise first
class Silent(Exception):
    def __str__(self): raise KeyboardInterrupt
def silent(): raise Silent
def notes():
    error = ValueError("x")
    error.__notes__ = 5
    raise error
`
  t.match(await evaluate(source, ['cycle()', 'silent()', 'notes()', '1 + 1']), [{ type: 'raised', name: 'KeyError' }, { type: 'raised', name: 'Silent', message: /KeyboardInterrupt/ }, { type: 'raised', name: 'ValueError', message: 'x' }, { type: 'returned', value: { value: '2' } }])
  const report = await test({ 'wrong.py': source, 'test_wrong.py': 'import wrong\ndef test_a(): wrong.cycle()\ndef test_b(): wrong.silent()\ndef test_c(): wrong.notes()\ndef test_d(): assert 1 + 1 == 2\n' })
  t.same(outcomesOf(report), { test_a: 'failed', test_b: 'failed', test_c: 'failed', test_d: 'passed' })
  t.equal(report.cause, null)
})

void t.test('of ctypes there are numbers and arrays, and no pointers, by which all memory is in reach', async t => {
  const source = `import ctypes
def wrapped(x): return ctypes.c_uint32(x).value
def signed(x): return ctypes.c_int32(x).value
def grid():
    rows = ((ctypes.c_int * 3) * 2)()
    rows[1][2] = 7
    return [list(row) for row in rows], ctypes.sizeof(rows), len((4 * ctypes.py_object)())
def filled(n):
    made = (n * ctypes.py_object)()
    made[0] = "x"
    return made[0]
def unset(): return (2 * ctypes.py_object)()[1]
def point():
    class Point(ctypes.Structure): _fields_ = [("x", ctypes.c_int)]
    return Point(3).x
def pointer(): return ctypes.pointer(ctypes.c_int(3)).contents.value
`
  const report = await test({ 'wrap.py': source, 'test_wrap.py': 'import wrap\ndef test_a(): assert wrap.wrapped(-1) == 2**32 - 1\ndef test_b(): assert wrap.point() == 3\n' })
  t.match(report, { outcome: 'not run', cause: 'not available', message: /ctypes/, missing: ['ctypes'] })
  t.same(outcomesOf(report), { test_a: 'passed', test_b: 'not run' })
  t.match(await evaluate(source, ['wrapped(-1)', 'signed(2**31)', 'grid()', 'filled(2)', 'unset()', 'point()', 'pointer()', '__import__("ctypes.util")', '__import__("_ctypes")']), [
    { type: 'returned', value: { value: '4294967295' } }, { type: 'returned', value: { value: '-2147483648' } },
    { type: 'returned', value: { items: [{ items: [{}, { items: [{ value: '0' }, { value: '0' }, { value: '7' }] }] }, { value: '24' }, { value: '4' }] } },
    { type: 'returned', value: { value: 'x' } }, { type: 'raised', name: 'ValueError', message: 'PyObject is NULL' },
    ...Array(4).fill({ type: 'not run', cause: 'not available', missing: ['ctypes'] }) as object[]
  ])
})

void t.test('honest programs write tracebacks, logs, warnings and types as ever', async t => {
  const report = await test({
    'honest.py': `import asyncio, collections, contextlib, dataclasses, enum, inspect, io, logging, traceback, typing, unittest, warnings
def fail(): raise ValueError("no")
def told():
    try: fail()
    except ValueError as error:
        lines = traceback.format_exc(), "".join(traceback.format_exception(error)), str(traceback.extract_tb(error.__traceback__)[-1].name)
        traceback.TracebackException.from_exception(error, capture_locals=True)
        traceback.print_exc(file=io.StringIO())
        return lines
def stack():
    traceback.print_stack(file=io.StringIO())
    return traceback.format_stack()[-1], traceback.extract_stack()[-1].name
def steps():
    yield 1
Point = collections.namedtuple("Point", "x y")
class Named(typing.NamedTuple): x: int
Colour = enum.Enum("Colour", "RED GREEN")
Made = dataclasses.make_dataclass("Made", ["x"])
T = typing.TypeVar("T")
New = typing.NewType("New", int)
Typed = typing.TypedDict("Typed", {"x": int})
`,
    'test_honest.py': `import asyncio, inspect, logging, pickle, traceback, unittest, warnings
import pytest
import honest
def test_tracebacks():
    text, whole, name = honest.told()
    assert "ValueError: no" in text and whole == text and name == "fail"
def test_stack(): assert "stack" in honest.stack()[0] and honest.stack()[1] == "stack"
def test_logs(caplog):
    with caplog.at_level(logging.INFO):
        logging.getLogger("a").info("said", stack_info=True)
    assert caplog.records[0].funcName == "test_logs" and "test_logs" in caplog.records[0].stack_info
def test_logged_exception(caplog):
    try: honest.fail()
    except ValueError: logging.exception("it failed")
    assert "ValueError: no" in caplog.text
def test_warnings():
    with pytest.warns(UserWarning, match="w"): warnings.warn("w", stacklevel=2)
def test_types(): assert pickle.loads(pickle.dumps((honest.Point(1, 2), honest.Named(1), honest.Colour.RED, honest.Made(1)))) == (honest.Point(1, 2), honest.Named(1), honest.Colour.RED, honest.Made(1))
def test_inspect():
    made = honest.steps()
    assert inspect.getgeneratorstate(made) == "GEN_CREATED" and "def fail" in inspect.getsource(honest.fail)
    with pytest.raises(AttributeError): honest.nothing
    with pytest.raises(NameError) as error: honset
    assert "honset" in str(error.value) and traceback.format_exception(error.value)
def test_signals():
    import os, signal
    seen = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: seen.append((number, frame)))
    assert before == signal.SIG_DFL and callable(signal.getsignal(signal.SIGTERM))
    signal.raise_signal(signal.SIGTERM)
    assert signal.signal(signal.SIGINT, lambda number, frame: seen.append(number)) is signal.default_int_handler
    os.kill(os.getpid(), signal.SIGINT)
    assert seen == [(signal.SIGTERM, None), signal.SIGINT]
    with pytest.raises(TypeError): signal.signal(signal.SIGINT, 1.5)
    with pytest.raises((ValueError, OSError)): signal.signal(9999, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, before)
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
def test_asyncio():
    async def work(): return 1
    async def both():
        asyncio.get_running_loop().set_debug(True)
        task = asyncio.create_task(work())
        task.print_stack(file=__import__("io").StringIO())
        return repr(task) and await task
    assert asyncio.run(both(), debug=True) == 1
class TestUnit(unittest.TestCase):
    def test_raises(self):
        with self.assertRaises(ValueError): honest.fail()
        with self.assertLogs() as logs: logging.warning("x")
        with self.assertWarns(UserWarning): warnings.warn("w")
    def test_sub(self):
        for x in (1, 2):
            with self.subTest(x=x): self.assertTrue(x)
class TestOwn(unittest.TestCase):
    def assertEven(self, n): self.assertEqual(n % 2, 0)
    def assertEqual(self, a, b, msg=None): super().assertEqual(a, b, "own")
    @classmethod
    def setUpClass(cls): cls.kept = []
    def test_own(self):
        self.kept.append(1)
        TestOwn.count = 1
        self.assertEven(2)
`
  })
  t.match(report, { outcome: 'passed', cause: null }, JSON.stringify(report))
})

void t.test('honest tests change what is theirs', async t => {
  const report = await test({
    'shop.py': 'RATE = 2\ndef price(x): return x * RATE\n',
    'test_shop.py': `import shop, pytest, unittest
from unittest.mock import patch
COUNT = 0
SEEN = []
LIMITS = {"a": 1}
def helper(): return 1
def test_counts():
    global COUNT
    COUNT += 1
    SEEN.append(COUNT)
    LIMITS["b"] = 2
    assert helper() == 1
def test_again():
    assert COUNT == 1 and SEEN == [1] and LIMITS["b"] == 2
@patch(f"{__name__}.helper", return_value=5)
def test_patched(mock): assert helper() == 5
def test_monkeypatched(monkeypatch):
    monkeypatch.setattr(shop, "RATE", 3)
    monkeypatch.setitem(LIMITS, "a", 7)
    monkeypatch.setattr("test_shop.SEEN", [9])
    assert shop.price(2) == 6 and SEEN == [9]
class TestShop(unittest.TestCase):
    def setUp(self):
        patcher = patch("shop.RATE", 10)
        patcher.start()
        self.addCleanup(patcher.stop)
    @patch("unittest.mock.Mock.assert_called", create=True)
    def test_patched(self, _): self.assertEqual(shop.price(1), 10)
`
  })
  t.match(report, { outcome: 'passed', cause: null }, JSON.stringify(report))
})
