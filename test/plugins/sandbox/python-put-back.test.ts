import t from 'tap'
import { SUBCLASSES, WRONG, isForged, python } from '../../support/python.js'

t.setTimeout(600_000) // each is a process of its own
const { test } = python(t)

// What changes something and puts it back before the next result is told, or reaches what runs the tests by an object of theirs.
const PLAIN = 'from add import add\ndef test_first(): assert add(0, 0) == 0\ndef test_wrong(): assert add(1, 2) == 3\n'
const UNIT = 'import unittest\nfrom add import add\nclass TestAdd(unittest.TestCase):\n    def test_first(self): self.assertEqual(add(0, 0), 0)\n    def test_wrong(self): self.assertEqual(add(1, 2), 3)\n'
const SUBTESTS = 'import unittest\nfrom add import add\nclass TestAdd(unittest.TestCase):\n    def test_wrong(self):\n        with self.subTest(): self.assertEqual(add(1, 2), 3)\n'
const HANDED = 'import unittest\nfrom add import add, later\nclass TestAdd(unittest.TestCase):\n    def done(self): pass\n    def test_wrong(self):\n        later(self.done)\n        self.assertEqual(add(1, 2), 3)\n'
const HANDED_ASYNC = 'import unittest\nfrom add import add, later\nclass TestAdd(unittest.IsolatedAsyncioTestCase):\n    def done(self): pass\n    async def check(self): self.assertEqual(add(1, 2), 3)\n    async def test_wrong(self):\n        later(self.done)\n        await self.check()\n'
const HANDED_PLAIN = 'from add import add, later\nclass TestAdd:\n    def done(self): pass\n    def same(self, a, b): assert a == b\n    def test_wrong(self):\n        later(self.done)\n        self.same(add(1, 2), 3)\n'
const MATCH = 'import pytest\nfrom add import add\ndef test_wrong():\n    with pytest.raises(ValueError, match="negative"):\n        add(1, 2)\n        raise ValueError("no")\n'
const WITHIN = 'from add import add\ndef test_wrong():\n    add(0, 0)\n    import pytest\n    with pytest.raises(TypeError): add(1, 2)\n'
const FIXTURE = 'import pytest\nfrom add import add\n@pytest.fixture\ndef want(): return 3\ndef test_first(): add(0, 0)\ndef test_wrong(want): assert add(1, 2) == want\n'
const FIXED = 'import pytest\nfrom add import add\n@pytest.fixture(params=[(1, 2, 3), (2, 2, 4)])\ndef case(request): return request.param\ndef test_first(): add(0, 0)\ndef test_wrong(case): assert add(*case[:2]) == case[2]\n'
const DECORATED = 'from unittest.mock import patch\nfrom add import add\ndef test_first(): add(0, 0)\n@patch("time.time", return_value=1)\ndef test_wrong(clock): assert add(1, 2) == 3\n'

const HARNESS = `${SUBCLASSES}run = cls("Run", "harness.tests")\nnames = run._tell.__globals__\n`
const RAW = 'class Raw:\n    def __eq__(self, other): self.held = other; return True\ndef raw(proxy):\n    probe = Raw()\n    proxy == probe\n    return probe.held\n'
const LATER = 'def later(done):\n    case = done.__self__\n'

const ATTACKS: Record<string, [attack: string, tests: string]> = {
  'the verdict of the harness': [`${HARNESS}real = names["_verdict"]\ndef once(item, error, files):\n    names["_verdict"] = real\n    return None, "passed", None\ndef attack(): names["_verdict"] = once\n`, PLAIN],
  'a method of the harness': [`${HARNESS}real = run._tell\ndef once(self, path, name, started, error, outcome, message):\n    run._tell = real\n    real(self, path, name, started, None, "passed", None)\ndef attack(): run._tell = once\n`, PLAIN],
  'a method of the harness, past its class': [`${RAW}${HARNESS}held = raw(run.__dict__)\nreal = held["_tell"]\ndef once(self, path, name, started, error, outcome, message):\n    held["_tell"] = real\n    real(self, path, name, started, None, "passed", None)\ndef attack(): held["_tell"] = once\n`, PLAIN],
  'what ends the limits': [`${HARNESS}limited = names["limits"].limited\nreal = limited.__exit__\ndef once(self, *a):\n    limited.__exit__ = real\n    real(self, None, None, None)\n    return True\ndef attack(): limited.__exit__ = once\n`, PLAIN],
  'how results of unittest are kept': [`import unittest\n${SUBCLASSES}kept = cls("Result", "harness.units")\nreal = kept.addFailure\ndef once(self, *a): kept.addFailure = real\ndef attack(): kept.addFailure = once\n`, UNIT],
  'the class of what is told': [`import unittest\n${SUBCLASSES}kept = cls("Result", "harness.units")\nreal = kept._failed\ndef once(self, *a): kept._failed = real\ndef attack(): kept._failed = once\n`, UNIT],
  'assertEqual, which puts itself back': ['import unittest\nreal = unittest.TestCase.assertEqual\ndef once(self, *a): unittest.TestCase.assertEqual = real\ndef attack(): unittest.TestCase.assertEqual = once\n', UNIT],
  'the defaults of assertEqual': ['import unittest\nfrom unittest import case\nreal = unittest.TestCase._baseAssertEqual\ndef once(self, *a, **k): unittest.TestCase._baseAssertEqual = real\ndef attack(): unittest.TestCase._baseAssertEqual = once\n', UNIT],
  'bases, and back': ['import unittest\nclass Evil(unittest.TestCase):\n    def assertEqual(self, *a): test_case().__bases__ = (unittest.TestCase,)\ndef test_case(): return next(c for c in unittest.TestCase.__subclasses__() + Evil.__subclasses__() if c.__name__ == "TestAdd")\ndef attack(): test_case().__bases__ = (Evil,)\n', UNIT],
  'a name of the tests': ['import sys\ndef attack():\n    tests = sys.modules["test_add"]\n    real = tests.check\n    def once(*a): tests.check = real\n    tests.check = once\n', 'from add import add\ndef check(a, b): assert a == b\ndef test_first(): add(0, 0)\ndef test_wrong(): check(add(1, 2), 3)\n'],
  'a builtin before the tests\' own': ['import sys\ndef attack():\n    names = vars(sys.modules["test_add"])\n    def once(x):\n        del names["abs"]\n        return 0\n    names["abs"] = once\n', 'from add import add\ndef test_first(): pass\ndef test_wrong(): assert abs(add(1, 2) - 3) == 0\n'],
  'a cell of a decorated test': ['import sys\ndef attack():\n    for cell in sys.modules["test_add"].test_wrong.__closure__:\n        f = cell.cell_contents\n        if getattr(f, "__name__", "") == "test_wrong":\n            def once(*a, cell=cell, f=f): cell.cell_contents = f\n            cell.cell_contents = once\n', DECORATED],
  'what regular expressions are kept': ['import re\nreal = re.compile("negative")\ndef attack():\n    for key in list(re._cache):\n        re._cache[key] = re._cache2[key] = re.compile("")\n    re._cache[str, "negative", 0] = re._cache2[str, "negative", 0] = re.compile("")\n', MATCH],
  'the compiler of regular expressions': ['import re\nreal = re._compiler.compile\ndef once(p, flags=0):\n    re._compiler.compile = real\n    return real("", flags)\ndef attack(): re._compiler.compile = once\n', MATCH],
  'pytest, in the modules': ['import sys, types\nreal = sys.modules["pytest"]\nclass Fake(types.ModuleType):\n    @staticmethod\n    def raises(*a):\n        import contextlib\n        sys.modules["pytest"] = real\n        return contextlib.nullcontext()\ndef attack(): sys.modules["pytest"] = Fake("pytest")\n', WITHIN],
  'pytest, by a finder of its own': ['import sys, importlib.machinery, importlib.abc\nreal = sys.modules["pytest"]\nclass Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):\n    def find_spec(self, name, *a): return importlib.machinery.ModuleSpec(name, self) if name == "pytest" else None\n    def create_module(self, spec): return None\n    def exec_module(self, module):\n        def raises(*a):\n            import contextlib\n            sys.modules["pytest"] = real\n            return contextlib.nullcontext()\n        module.raises = raises\ndef attack():\n    if sys.modules.get("pytest") is real:\n        sys.meta_path.insert(0, Finder())\n        del sys.modules["pytest"]\n', WITHIN],
  'pytest, by how modules are imported': ['import builtins, types\nreal = builtins.__import__\ndef fake(name, *a, **k):\n    if name != "pytest": return real(name, *a, **k)\n    builtins.__import__ = real\n    made = types.ModuleType("pytest")\n    import contextlib\n    made.raises = lambda *a: contextlib.nullcontext()\n    return made\ndef attack(): builtins.__import__ = fake\n', WITHIN],
  'how contexts end': ['import contextlib\nhelper = contextlib._GeneratorContextManager\nreal = helper.__exit__\ndef once(self, *a):\n    helper.__exit__ = real\n    return True\ndef attack(): helper.__exit__ = once\n', SUBTESTS],
  'a module that the tests use': ['import json\nreal = json.loads\ndef once(text):\n    json.loads = real\n    return -1\ndef attack(): json.loads = once\n', 'import json\nfrom add import add\ndef test_wrong(): assert add(1, 2) == json.loads("3")\n'],
  'the dictionary of a fixture': ['import sys\ndef attack():\n    want = sys.modules["test_add"].want\n    real = want.__dict__\n    def evil():\n        want.__dict__ = real\n        return -1\n    want.__dict__ = {**real, "func": evil}\n', FIXTURE],
  'the parameters of a fixture': ['import sys\ndef attack(): sys.modules["test_add"].case.params[:] = [(1, 2, -1)]\n', FIXED.replace('from add import add', 'from add import attack, add').replace('def test_first', 'attack()\ndef test_first')],
  'the tests that are still to come': [`${HARNESS}def attack(): names["modules"].codes["test_later.py"] = compile("def test_wrong(): pass", "/job/test_later.py", "exec")\n`, PLAIN],
  'who is told of results, by a monitor': ['import sys\nm = sys.monitoring\ndef raised(code, *a):\n    if code.co_name == "test_wrong":\n        import unittest\n        raise unittest.SkipTest("no")\ndef attack():\n    if m.get_tool(3) is None:\n        m.use_tool_id(3, "x")\n        m.register_callback(3, m.events.RAISE, raised)\n        m.set_events(3, m.events.RAISE)\n', PLAIN.replace('test_first()', 'test_first(skip=None)')],
  'tells it itself': [`${HARNESS}fake = object.__new__(run)\nfake._files, fake._tests, fake._limit = {}, [], None\ndef attack(): run._tell(fake, "test_add.py", "test_wrong", 0, None, "passed", None)\n`, PLAIN],
  'tells it itself, by a partial': [`${HARNESS}import functools\nfake = object.__new__(run)\nfake._files, fake._tests, fake._limit = {}, [], None\nclass Value: __eq__ = staticmethod(functools.partial(run._tell, fake, "test_add.py", "test_wrong", 0, None, "passed"))\ndef later(): return Value()\n`, 'from add import later\ndef test_wrong():\n    assert later() == None or True\n    assert False\n'],
  'writes to the device': ['import os, json\nEVENT = json.dumps({"type": "test", "file": "test_add.py", "name": "test_wrong", "outcome": "passed", "durationMs": 0, "message": None, "frame": None, "limit": None, "lacks": None, "output": ""})\ndef attack():\n    for fd in range(3, 40):\n        try:\n            os.write(fd, b"y")\n            os.write(fd, b"t" + EVENT.encode())\n        except OSError: pass\n', PLAIN],
  'opens the device, and mutes what is told': ['import os, json\nEVENT = json.dumps({"type": "test", "file": "test_add.py", "name": "test_wrong", "outcome": "passed", "durationMs": 0, "message": None, "frame": None, "limit": None, "lacks": None, "output": ""})\ndef attack():\n    device = os.open("/dev/svc", os.O_WRONLY)\n    os.write(device, b"y")\n    os.write(device, b"t" + EVENT.encode())\n    null = os.open("/dev/null", os.O_WRONLY)\n    for fd in range(3, device):\n        try: os.dup2(null, fd)\n        except OSError: pass\n', PLAIN],
  'has less watched': [`${HARNESS}def attack():\n    import os\n    for fd in range(3, 40):\n        try: os.write(fd, b'w{"places":[],"rows":[],"writers":[%d,%d]}' % (id(attack.__code__), id(globals())))\n        except OSError: pass\n    names["_verdict"] = lambda *a: (None, "passed", None)\n`, PLAIN],
  'functions with the code of the harness': [`${HARNESS}import types\ndef attack():\n    tell = names["channel"].tell\n    types.FunctionType(tell.__code__, {**tell.__globals__, "written": lambda event: ""}, "tell")({})\n    names["channel"].tell = lambda event: tell({**event, "outcome": "passed"})\n`, PLAIN],
  'a name that unittest goes by': ['import sys\ndef attack():\n    for name in ("test_add",): sys.modules[name].TestAdd.__name__ = "_ErrorHolder"\n', UNIT],
  'the result, by a method of the test': [`${LATER}    case._outcome.result.addFailure = lambda *a: None\n`, HANDED],
  'what the test expects, by a method of it': [`${LATER}    case._outcome.expecting_failure = True\n`, HANDED],
  'the outcome, by a method of the test': [`${LATER}    class R:\n        success = True\n        expectedFailure = None\n        result_supports_subtests = True\n        result = None\n        def testPartExecutor(self, *a, **k):\n            import contextlib\n            return contextlib.suppress(Exception)\n    case._outcome = R()\n`, HANDED.replace('        self.assertEqual', '        with self.subTest(): self.assertEqual')],
  'an assertion, by a method of the test': [`${LATER}    case.assertEqual = lambda *a: None\n`, HANDED],
  'an assertion that goes again, by a method of the test': [`${LATER}    def once(*a): del case.assertEqual\n    case.assertEqual = once\n`, HANDED],
  'what is equal, by a method of the test': [`${LATER}    case.addTypeEqualityFunc(int, lambda *a, **k: None)\n`, HANDED],
  'its class, by a method of the test': [`${LATER}    case.__class__ = type("TestAdd", (type(case),), {"assertEqual": lambda *a: None})\n`, HANDED],
  'its dictionary, by a method of the test': [`${LATER}    case.__dict__ = {**case.__dict__, "assertEqual": lambda *a: None}\n`, HANDED],
  'the run, by the cells of what records it': [`${LATER}    record = case._outcome.result._record\n    for cell in record.__closure__:\n        if type(cell.cell_contents).__name__ == "Run":\n            held = cell.cell_contents\n            held._tell = lambda path, name, started, error, outcome, message: type(held)._tell(held, path, name, started, None, "passed", None)\n`, HANDED],
  'the record, by a method of the test': [`${LATER}    result = case._outcome.result\n    real = result._record\n    result._record = lambda test, started, errors, outcome, reason: real(test, started, [], "passed", None)\n`, HANDED],
  'the runner, by a method of the test': [`${LATER}    class Runner:\n        def run(self, coroutine, context=None): coroutine.close()\n        def close(self): pass\n        def get_loop(self): pass\n    case._asyncioRunner = Runner()\n`, HANDED_ASYNC],
  'a check, by a method of an asynchronous test': [`${LATER}    async def nothing(): pass\n    case.check = nothing\n`, HANDED_ASYNC],
  'a check, by a method of a plain class': [`${LATER}    case.same = lambda *a: None\n`, HANDED_PLAIN],
  'what is said to be watched': [`${HARNESS}def attack():\n    places = cls("Places", "harness.places").add.__globals__\n    for held in places["keeping"]: held.clear()\n    places["LIVELY"].update(dict.fromkeys(names))\n    names["_verdict"] = lambda *a: (None, "passed", None)\n`, PLAIN],
  'says that more of it may change': ['import unittest, os\nfrom gc import get_count\nheld = []\nclass Raw:\n    def __eq__(self, other): held.append(other); return True\nunittest.TestCase.__dict__ == Raw()\nLAX = {"_baseAssertEqual": None}\ndef attack():\n    for fd in range(3, 40):\n        for letter in "wn":\n            try: os.write(fd, (letter + (\'{"places":[%d,%d,1]}\' if letter == "w" else "[%d,%d,1]") % (id(held[0]), id(LAX))).encode())\n            except OSError: pass\n    unittest.TestCase._baseAssertEqual = lambda *a, **k: None\n', UNIT],
  'has the harness lay out other tests': [`${HARNESS}def attack(): names["modules"].lay_out({"test_later.py": "def test_wrong(): pass"}, ("test_later.py",))\n`, PLAIN],
  'a part of json': ['import json.decoder\nkind = json.decoder.JSONDecoder\nreal = kind.decode\ndef once(self, text):\n    kind.decode = real\n    return -1\ndef attack(): kind.decode = once\n', 'import json\nfrom add import add\ndef test_wrong(): assert add(1, 2) == json.loads("3")\n'],
  'what a fraction equals': ['from fractions import Fraction\nreal = Fraction.__eq__\ndef once(a, b):\n    Fraction.__eq__ = real\n    return True\ndef attack(): Fraction.__eq__ = once\n', 'from fractions import Fraction\nfrom add import add\ndef test_wrong(): assert Fraction(3) == add(1, 2)\n'],
  'json, in the modules': ['import sys, types\nreal = sys.modules["json"]\nfake = types.ModuleType("json")\ndef loads(text):\n    sys.modules["json"] = real\n    return -1\nfake.loads = loads\ndef attack(): sys.modules["json"] = fake\n', 'from add import add\ndef test_wrong():\n    got = add(1, 2)\n    import json\n    assert got == json.loads("3")\n'],
  'what waits for a check': ['import asyncio\nreal = asyncio.wait_for\nasync def once(check, timeout):\n    asyncio.wait_for = real\n    check.close()\ndef attack(): asyncio.wait_for = once\n', 'import asyncio\nfrom add import add\nasync def check(got): assert got == 3\nasync def test_wrong(): await asyncio.wait_for(check(add(1, 2)), 1)\n'],
  'the tasks of the loop': ['import asyncio\ndef attack():\n    loop = asyncio.get_running_loop()\n    def once(check, **k):\n        del loop.create_task\n        check.close()\n        done = loop.create_future()\n        done.set_result(None)\n        return done\n    loop.create_task = once\n', 'import asyncio\nfrom add import add\nasync def check(got): assert got == 3\nasync def test_wrong(): await asyncio.create_task(check(add(1, 2)))\n'],
  'the tasks of the loop of a case': ['import asyncio\ndef attack():\n    loop = asyncio.get_running_loop()\n    def once(check, **k):\n        del loop.create_task\n        check.close()\n        done = loop.create_future()\n        done.set_result(None)\n        return done\n    loop.create_task = once\n', 'import asyncio, unittest\nfrom add import add\nclass TestAdd(unittest.IsolatedAsyncioTestCase):\n    async def check(self, got): self.assertEqual(got, 3)\n    async def test_wrong(self):\n        got = add(1, 2)\n        await asyncio.create_task(self.check(got))\n'],
  'memory, by a pointer': ['import ctypes, struct\ndef poke(address, value): ctypes.POINTER(ctypes.c_uint32).from_buffer(bytearray(struct.pack("I", address)))[0] = value\nvalue = 1000003\npoke(id(value) + 12, 7)\nassert value == 7\ndef add(a, b): return 3\ndef later(): pass\n', PLAIN.replace('== 0', '== 3')],
  'code from an archive of its own': ['import sys, zipfile, marshal, struct, importlib.util\ndef made(): return 3\nwith zipfile.ZipFile("/job/own.zip", "w") as archive: archive.writestr("crafted.pyc", importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(made.__code__))\nsys.path.insert(0, "/job/own.zip")\nimport crafted\ndef add(a, b): return 3\ndef later(): pass\n', PLAIN.replace('== 0', '== 3')],
  'what else is watched, and by whom it is written': [`import os, sys, unittest
from functools import partial
class Fake:
    @property
    def _type_equality_funcs(self):
        names = vars(sys.modules["test_add"])
        for fd in range(3, 40):
            try: os.write(fd, b'n{"places":[%d,0,1],"objects":[]}' % id(names))
            except OSError: pass
        return names
later = partial(unittest.TestCase.addTypeEqualityFunc, Fake(), "check", lambda *a: None)
# def later
`, 'from add import add, later\ndef check(a, b): assert a == b\ndef test_wrong():\n    later()\n    check(add(1, 2), 3)\n'],
  'the same, by the harness': [`${HARNESS}import sys, unittest
from functools import partial
class Shown:
    __dict__ = property(lambda self: vars(sys.modules["test_add"]))
class Fake:
    @property
    def _type_equality_funcs(self):
        try: names["units"].handed.watch(Shown())
        except AttributeError: names["channel"].watch_for_now(names["units"].handed.of_instances(Shown()))
        return vars(sys.modules["test_add"])
later = partial(unittest.TestCase.addTypeEqualityFunc, Fake(), "check", lambda *a: None)
# def later
`, 'from add import add, later\ndef check(a, b): assert a == b\ndef test_wrong():\n    later()\n    check(add(1, 2), 3)\n'],
  'what is watched of a class, by one that equals it': [`${HARNESS}import sys
victim = lambda: sys.modules["test_add"].TestWrong
class Meta(type):
    def __hash__(cls): return hash(victim())
    def __eq__(cls, other): return True
class Fake(metaclass=Meta): pass
def later(done):
    if hasattr(done.__self__, "test_poison"): names["units"].handed._names(Fake)
    else: done.__self__.assertEqual = lambda *a: None
`, `import unittest
from add import add, later
class TestAdd(unittest.TestCase):
    def done(self): pass
    def test_poison(self): later(self.done)
class TestWrong(unittest.TestCase):
    def done(self): pass
    def test_wrong(self):
        later(self.done)
        self.assertEqual(add(1, 2), 3)
`],
  'the mark of a test': ['import sys, pytest\ndef attack(): sys.modules["test_add"].test_wrong.pytestmark = [pytest.mark.xfail]\n', `${PLAIN}def test_xfail_is_spoken_of(): assert add(1, 0) == 1\n`]
}

void t.test('what is changed does not go unseen for being put back, nor what is changed by an object of the tests', async t => {
  await Promise.all(Object.entries(ATTACKS).map(async ([what, [attack, tests]]) => {
    const report = await test({ 'add.py': /def later/.test(attack) ? `${attack}${attack.includes('def add') ? '' : 'def add(a, b): return a - b\n'}` : `${attack}${WRONG}`, 'test_add.py': tests, 'test_later.py': 'from add import add\ndef test_wrong(): assert add is None\n' })
    t.notOk(isForged(report), `${what}: ${JSON.stringify(report)}`)
  }))
})

void t.test('nobody but the harness says what is watched: from an address of their own making, all memory could be reached', async t => {
  for (const letter of ['w', 'n']) {
    const report = await test({
      'add.py': `import os\ndef add(a, b):\n    for fd in range(3, 40):\n        try: os.write(fd, b'${letter}{"places":[],"rows":[],"cells":[],"objects":[]}')\n        except OSError: pass\n    return a + b\n`,
      'test_add.py': 'from add import add\ndef test_add(): assert add(1, 2) == 3\n'
    })
    t.match(report, { outcome: 'failed', cause: 'tampered' }, letter)
  }
})

void t.test('honest programs, and tests that replace what they speak of, are not told as such', async t => {
  const report = await test({
    'shop.py': `import abc, builtins, contextlib, dataclasses, enum, functools, gettext, json, logging, logging.config, math, re, types, warnings
def root(x): return math.sqrt(x)
def found(text): return re.search("a+", text)
def say(text): print(text)
def read(path):
    with open(path) as file: return file.read()
def optional():
    try: import nothing_like_it
    except ImportError: return None
    return nothing_like_it.value
def counted(function):
    @functools.wraps(function)
    def wrapper(*a, **k):
        wrapper.calls += 1
        return function(*a, **k)
    wrapper.calls = 0
    return wrapper
class Borg:
    shared = {}
    def __init__(self): self.__dict__ = self.shared
class Open:
    def turn(self): self.__class__ = Closed
class Closed(Open): pass
class Plugin:
    made = 0
    def __init_subclass__(cls): cls.handlers = {}
    def __new__(cls):
        cls.made += 1
        cls.handlers = {**cls.handlers, cls.made: cls.__name__}
        return object.__new__(cls)
class Meta(type):
    def __call__(cls, *a):
        cls.count = getattr(cls, "count", 0) + 1
        return super().__call__(*a)
@types.coroutine
def step(): yield
class Table(json.JSONEncoder):
    def default(self, o): return str(o)
json.JSONEncoder.default = Table.default
gettext.install("shop")
logging.config.dictConfig({"version": 1, "handlers": {"h": {"class": "logging.StreamHandler"}}, "root": {"handlers": ["h"]}})
def subscribe(handler): handlers.append(handler)
handlers = []
def fire(*a): return [handler(*a) for handler in handlers]
`,
    'test_shop.py': `import builtins, functools, importlib, json, math, re, sys, unittest
from unittest.mock import MagicMock, Mock, mock_open, patch
import pytest
import shop
COUNT = 0
@shop.counted
def counted(): return 1
@pytest.fixture(params=[1, 2], ids=["one", "two"])
def number(request): return request.param
class Model(metaclass=shop.Meta): pass
class Mine(shop.Plugin): pass
class Other(Mine): pass
def twice():
    assert counted() == 1 and counted() == 1
def test_counted():
    twice()
    assert counted.calls == 2
def test_metaclass():
    Model(); Model()
    assert Model.count == 2
def test_plugins():
    Mine(); Other(); Other()
    assert [c.__name__ for c in shop.Plugin.__subclasses__()] == ["Mine"] and Other.made == 3 and Mine.handlers == {1: "Mine"}
def test_fixture(number): assert number in (1, 2)
@patch("math.sqrt", return_value=5)
def test_sqrt(sqrt): assert shop.root(4) == 5
def test_pi(monkeypatch):
    monkeypatch.setattr(math, "sqrt", lambda x: 7)
    monkeypatch.setattr("builtins.input", lambda: "x")
    assert shop.root(4) == 7
def test_search():
    with patch.object(re, "search") as search:
        shop.found("b")
        search.assert_called_once()
def test_print():
    with patch("builtins.print") as printed:
        shop.say("x")
    printed.assert_called_once_with("x")
def test_open():
    with patch("builtins.open", mock_open(read_data="data")): assert shop.read("x") == "data"
def test_modules():
    with patch.dict("sys.modules", {"nothing_like_it": MagicMock(value=3)}): assert shop.optional() == 3
    assert shop.optional() is None
def test_import():
    real = builtins.__import__
    def fake(name, *a, **k):
        if name == "nothing_like_it": raise ImportError(name)
        return real(name, *a, **k)
    with patch("builtins.__import__", side_effect=fake): assert shop.optional() is None
def test_reload():
    importlib.reload(shop)
    del sys.modules["shop"]
    import shop as fresh
    assert fresh.root(4) == 2
def test_classes():
    one = shop.Borg()
    one.x = 1
    door = shop.Open()
    door.turn()
    assert shop.Borg().x == 1 and type(door) is shop.Closed and json.dumps({"a": {1}}) and _("x") == "x"
def test_global():
    global COUNT
    for _ in range(1000): COUNT += 1
    globals()["NEW"] = 1
    assert COUNT == 1000 and NEW == 1
class TestAll(unittest.TestCase):
    @classmethod
    def setUpClass(cls): cls.shared = []
    def setUp(self):
        self.addTypeEqualityFunc(list, lambda a, b, msg=None: self.assertEqual(len(a), len(b)))
        self.run = Mock()
        self.seen = []
        shop.subscribe(self.handle)
        self.addCleanup(shop.handlers.clear)
    def handle(self, value): self.seen.append(value)
    def test_handed(self):
        shop.fire(1)
        self.assertEqual(self.seen, [2])
        self.shared.append(self.seen)
    def test_inner(self):
        class Inner(unittest.TestCase):
            def test_fails(self): self.fail()
            def test_passes(self): pass
        result = unittest.TestResult()
        unittest.defaultTestLoader.loadTestsFromTestCase(Inner).run(result)
        self.assertEqual((result.testsRun, len(result.failures)), (2, 1))
    @unittest.expectedFailure
    def test_expected(self): self.fail()
    def test_caught(self):
        with self.subTest("a"), self.assertRaises(AssertionError): self.fail()
        with self.subTest("b"): self.assertLogs().__class__
class TestAgain(unittest.TestCase):
    tries = 0
    def run(self, result=None):
        for _ in range(1): outcome = super().run(result)
        return outcome
    def test_once(self): type(self).tries += 1
class TestWaits(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self): self.value = 1
    async def test_waits(self):
        async def wait(): await shop.step()
        await wait()
        self.assertEqual(self.value, 1)
`
  })
  t.match(report, { outcome: 'passed', cause: null }, JSON.stringify(report))
})
