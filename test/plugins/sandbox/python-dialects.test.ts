import t, { type Test } from 'tap'
import { outcomesOf, python } from '../../support/python.js'

const { test } = python(t)

/** Every test of a file must come out as its name says: `test_fails_x` fails, `test_skipped_x` is skipped, all others pass. */
async function asNamed (t: Test, files: Record<string, string>): Promise<string[]> {
  const report = await test(files)
  const wrong = report.tests.filter(({ name, outcome }) => outcome !== (/fails_/.test(name) ? 'failed' : /skipped_/.test(name) ? 'skipped' : 'passed'))
  t.same(wrong, [])
  t.ok(report.tests.length > 0, report.message ?? '')
  return report.tests.map(({ name }) => name)
}

void t.test('pytest: fixtures', async t => {
  const names = await asNamed(t, {
    'conftest.py': 'import pytest\n@pytest.fixture\ndef shared(): return "from conftest"\n@pytest.fixture\ndef base(): return [1]\n@pytest.fixture(scope="session", autouse=True)\ndef everywhere():\n    import builtins\n    builtins.session_began = True\n    yield\n',
    'test_fixtures.py': `
import pytest, asyncio

order = []

@pytest.fixture(scope="module")
def module(): order.append("module"); yield 1; order.append("module ended")

@pytest.fixture(autouse=True)
def automatic(): order.append("auto"); yield; order.append("auto ended")

@pytest.fixture(params=[1, 2], ids=["one", "two"])
def param(request): return request.param

@pytest.fixture(params=[pytest.param(5, id="five"), 6])
def other(request): return request.param

@pytest.fixture
def factory(tmp_path):
    def make(name): path = tmp_path / name; path.write_text("x"); return path
    return make

@pytest.fixture
def base(base): return base + [2]

@pytest.fixture(name="renamed")
def _renamed(): return "renamed"

@pytest.fixture
def finalized(request): request.addfinalizer(lambda: order.append("finalized")); return request.node.name

@pytest.fixture
def late(request): return request.getfixturevalue("renamed")

@pytest.fixture
async def waited():
    await asyncio.sleep(0)
    yield "waited"
    order.append("async ended")

@pytest.fixture
def doubled(request): return request.param * 2

@pytest.fixture(scope="class")
def per_class(): order.append("class"); return object()

def test_module(module): assert module == 1
def test_module_once(module): assert order.count("module") == 1 and "module ended" not in order
def test_automatic(): assert order[-1] == "auto" and "auto ended" in order
def test_param(param): assert param in (1, 2)
def test_both(param, other): assert param < other
def test_factory(factory): assert factory("q").read_text() == "x"
def test_base(base): assert base == [1, 2]
def test_renamed(renamed, late): assert renamed == late == "renamed"
def test_finalized(finalized): assert finalized == "test_finalized"
def test_was_finalized(): assert "finalized" in order
def test_shared(shared): assert shared == "from conftest" and session_began
async def test_waited(waited): assert waited == "waited"
def test_was_awaited(): assert "async ended" in order
@pytest.mark.parametrize("doubled", [1, 2], indirect=True)
def test_indirect(doubled): assert doubled in (2, 4)
@pytest.mark.usefixtures("finalized")
def test_used(): assert order[-1] == "auto"
def test_fails_unknown(nobody): pass
def test_fails_in_teardown(broken): pass
@pytest.fixture
def broken(): yield; raise RuntimeError("teardown")
@pytest.fixture
def direct(): return 1
def test_fails_called_directly(): direct()

class TestClass:
    @pytest.fixture
    def own(self): self.seen = True; return 5
    @pytest.fixture(autouse=True)
    def prepared(self, tmp_path): self.path = tmp_path
    def test_own(self, own): assert own == 5 and self.seen and self.path.exists()
    def test_one(self, per_class): TestClass.held = per_class
    def test_same(self, per_class): assert TestClass.held is per_class and order.count("class") == 1
`
  })
  t.ok(names.includes('test_param[one]') && names.includes('test_both[two-five]') && names.includes('TestClass.test_own'), names.join())
})

void t.test('pytest: parametrize', async t => {
  const names = await asNamed(t, {
    'test_params.py': `
import pytest
from enum import Enum

class Kind(Enum): A = 1

@pytest.mark.parametrize("a", [1, 2])
@pytest.mark.parametrize("b,c", [(1, 2), pytest.param(3, 4, id="x")])
def test_stacked(a, b, c): assert b < c and a
@pytest.mark.parametrize(("a", "b"), [(0, 0), pytest.param(1, 2, marks=pytest.mark.xfail(reason="known"), id="skipped_")])
def test_equal(a, b): assert a == b
@pytest.mark.parametrize("text", ["", "a b", "ä", None, 1.5, True, Kind.A, len, [1], {"a": 1}, b"x"])
def test_ids(text): pass
@pytest.mark.parametrize("n", [1, 2], ids=["first", "second"])
def test_named(n): pass
@pytest.mark.parametrize("n", [1, 2], ids=lambda n: f"n={n}")
def test_made(n): pass
@pytest.mark.parametrize("n", range(3))
class TestEach:
    def test_small(self, n): assert n < 3
@pytest.mark.parametrize("same", [1, 1])
def test_twice(same): pass
@pytest.mark.parametrize("none", [])
def test_skipped_empty(none): pass
@pytest.mark.parametrize("n,expected", [(2, True), (4, False)])
def test_fails_some(n, expected): assert n == 0
values = [pytest.param(1, marks=pytest.mark.skip(reason="no"))]
@pytest.mark.parametrize("n", values)
def test_skipped_param(n): pass
` })
  const expected = ['test_stacked[1-2-1]', 'test_stacked[1-2-2]', 'test_stacked[x-1]', 'test_ids[]', 'test_ids[a b]', 'test_ids[\\xe4]', 'test_ids[None]', 'test_ids[1.5]', 'test_ids[True]', 'test_ids[Kind.A]', 'test_ids[len]', 'test_ids[text8]', 'test_ids[x]', 'test_named[first]', 'test_made[n=1]', 'TestEach.test_small[0]', 'test_twice[1_0]', 'test_twice[1_1]']
  t.same(expected.filter(name => !names.includes(name)), [], names.join())
})

void t.test('pytest: marks', async t => {
  await asNamed(t, {
    'test_marks.py': `
import pytest, sys
@pytest.mark.skip(reason="later")
def test_skipped_always(): assert 0
@pytest.mark.skip
def test_skipped_bare(): assert 0
@pytest.mark.skipif(sys.version_info > (3, 0), reason="py3")
def test_skipped_if(): assert 0
@pytest.mark.skipif("sys.platform == 'nowhere'", reason="text")
def test_not_skipped(): pass
@pytest.mark.xfail(reason="known")
def test_skipped_expected(): assert 0
@pytest.mark.xfail(raises=ValueError)
def test_fails_otherwise(): raise KeyError
@pytest.mark.xfail(strict=True)
def test_fails_strict(): pass
@pytest.mark.xfail
def test_passes_unexpectedly(): pass
@pytest.mark.xfail(False, reason="never")
def test_fails_unconditionally(): assert 0
def test_skipped_within(): pytest.skip("now")
def test_skipped_xfail_within(): pytest.xfail("now")
def test_fails_by_word(): pytest.fail("said so")
@pytest.mark.slow
@pytest.mark.timeout(5)
def test_other_marks(request): assert request.node.get_closest_marker("slow") and request.node.get_closest_marker("no") is None
class TestGroup:
    pytestmark = pytest.mark.skip(reason="all")
    def test_skipped_one(self): assert 0
class TestNotCollected:
    def __init__(self): pass
    def test_never(self): assert 0
class TestOff:
    __test__ = False
    def test_never(self): assert 0
def helper_test(): assert 0
`, 'test_module.py': 'import pytest\npytest.skip("whole file", allow_module_level=True)\ndef test_skipped_all(): assert 0\n', 'test_needs.py': 'import pytest\nnp = pytest.importorskip("numpy")\ndef test_skipped_needs(): assert 0\n'
  })
})

void t.test('pytest: built-in fixtures', async t => {
  await asNamed(t, {
    'test_builtin.py': `
import os, sys, logging, pytest, time
from unittest import mock
from unittest.mock import patch, MagicMock, AsyncMock, call

class Thing:
    attr = 1
    @property
    def prop(self): return 1
    @staticmethod
    def static(): return "static"

def test_monkeypatch(monkeypatch, tmp_path):
    monkeypatch.setenv("K", "v"); monkeypatch.setattr(os, "getcwd", lambda: "zz"); monkeypatch.setattr("os.path.exists", lambda p: True)
    monkeypatch.setattr(Thing, "attr", 2); monkeypatch.setattr(Thing, "prop", 5); monkeypatch.setattr(Thing, "static", staticmethod(lambda: "x")); monkeypatch.setattr(Thing, "new", 1, raising=False)
    monkeypatch.setitem(sys.modules, "ghost", Thing); monkeypatch.delenv("NOPE", raising=False); monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(AttributeError): monkeypatch.setattr(os, "nothing", 1)
    with monkeypatch.context() as m: m.setattr(os, "sep", "|")
    import ghost
    assert os.environ["K"] == "v" and os.getcwd() == "zz" and os.path.exists("/nope") and Thing.attr == 2 and Thing().prop == 5 and Thing.static() == "x" and ghost is Thing and os.sep == "/"
def test_undone(): assert "K" not in os.environ and os.getcwd() != "zz" and Thing.attr == 1 and Thing().prop == 1 and Thing.static() == "static" and not hasattr(Thing, "new") and "ghost" not in sys.modules
def test_caplog(caplog):
    with caplog.at_level(logging.INFO): logging.getLogger("x").info("hello %s", 1)
    assert "hello 1" in caplog.text and caplog.records[0].levelname == "INFO" and caplog.messages == ["hello 1"] and caplog.record_tuples == [("x", 20, "hello 1")]
    caplog.clear(); caplog.set_level(logging.DEBUG, logger="y"); logging.getLogger("y").debug("d"); assert caplog.messages == ["d"]
def test_caplog_default(caplog): logging.getLogger("z").warning("w"); logging.getLogger("z").info("i"); assert caplog.messages == ["w"]
def test_capsys(capsys):
    print("a"); sys.stderr.write("b"); sys.stdout.buffer.write(b"c")
    o = capsys.readouterr(); assert o.out == "a\\nc" and o.err == "b"; out, err = capsys.readouterr(); assert out == ""
    with capsys.disabled(): print("seen")
    print(end="x"); assert capsys.readouterr().out == "x"
def test_capfd(capfd): print("a"); assert capfd.readouterr().out == "a\\n"
def test_capsysbinary(capsysbinary): print("a"); assert capsysbinary.readouterr().out == b"a\\n"
def test_tmp_path(tmp_path, tmp_path_factory): (tmp_path / "a").write_text("x"); assert os.listdir(tmp_path) == ["a"] and tmp_path_factory.mktemp("d").is_dir() and tmp_path_factory.mktemp("d") != tmp_path
def test_tmpdir(tmpdir): f = tmpdir.join("a.txt"); f.write("x"); assert f.read() == "x" and f.check() and tmpdir.mkdir("sub").exists()
@patch("os.listdir", return_value=["f"])
def test_patch(listdir): assert os.listdir("/") == ["f"]; listdir.assert_called_once_with("/")
@patch.object(Thing, "attr", 9)
@mock.patch("time.time", MagicMock(return_value=5))
def test_patch_new(): assert Thing.attr == 9 and time.time() == 5
@patch("os.getcwd")
@pytest.mark.parametrize("n", [1])
def test_patch_and_fixtures(getcwd, n, tmp_path): getcwd.return_value = n; assert os.getcwd() == 1
@patch("builtins.print")
class TestPatched:
    def test_one(self, printed): print("x"); printed.assert_called_once_with("x")
def test_mock_open():
    with patch("builtins.open", mock.mock_open(read_data="data")) as m: assert open("f").read() == "data"
    m.assert_called_once_with("f")
@patch.dict(os.environ, {"Z": "1"})
def test_patch_dict(): assert os.environ["Z"] == "1"
def test_request(request): assert request.node.name == "test_request" and request.config.getoption("--x", None) is None and request.function is test_request
def test_sleep(): before = time.perf_counter(); time.sleep(0.05); assert 0.04 < time.perf_counter() - before < 5
def test_config(pytestconfig, cache): cache.set("a", 1); assert cache.get("a", None) == 1
`
  })
})

void t.test('pytest: hooks of modules, classes and functions', async t => {
  await asNamed(t, {
    'test_hooks.py': `
log = []
def setup_module(module): log.append("module")
def teardown_module(): log.append("module ended")
def setup_function(function): log.append(function.__name__)
def teardown_function(function): log.append("ended")
def test_first(): assert log == ["module", "test_first"]
def test_second(): assert log == ["module", "test_first", "ended", "test_second"]
class TestHooks:
    @classmethod
    def setup_class(cls): cls.made = ["class"]
    @classmethod
    def teardown_class(cls): log.append("class ended")
    def setup_method(self, method): self.name = method.__name__
    def teardown_method(self): log.append("method ended")
    def test_one(self): assert self.made == ["class"] and self.name == "test_one"
    def test_two(self): assert self.name == "test_two" and log[-1] == "method ended"
    class TestInner:
        def setup_method(self): self.name = "inner"
        def teardown_method(self): pass
        def test_inner(self): assert self.name == "inner"
    class TestOther:
        def test_fails_without_the_hook_of_the_outer_class(self): pass
    @staticmethod
    def test_static(): pass
    def helper(self): assert False
class TestMore(TestHooks):
    def test_inherits(self): assert self.made
def test_last(): assert "class ended" in log
`
  })
})

void t.test('unittest', async t => {
  const names = await asNamed(t, {
    'test_unit.py': `
import unittest, asyncio
from unittest.mock import patch, AsyncMock

def setUpModule(): global module; module = 1
def tearDownModule(): pass

class TestUnit(unittest.TestCase):
    @classmethod
    def setUpClass(cls): cls.z = 1
    @classmethod
    def tearDownClass(cls): del cls.z
    def setUp(self): self.items = []; self.addCleanup(self.items.clear)
    def tearDown(self): self.assertIsNotNone(self.items)
    def test_equal(self): self.assertEqual(self.z + module, 2)
    def test_sub(self):
        for i in range(3):
            with self.subTest(i=i): self.assertLess(i, 5)
    def test_fails_sub(self):
        for i in range(3):
            with self.subTest(i=i): self.assertNotEqual(i, 1)
    @unittest.skip("s")
    def test_skipped_mark(self): raise 1
    @unittest.skipIf(True, "s")
    def test_skipped_if(self): raise 1
    def test_skipped_within(self): self.skipTest("now")
    @unittest.expectedFailure
    def test_skipped_expected(self): self.fail()
    @unittest.expectedFailure
    def test_fails_unexpected_success(self): pass
    @patch("builtins.open", create=True)
    def test_open(self, m): m.return_value.__enter__.return_value.read.return_value = "d"; self.assertEqual(open("x").__enter__().read(), "d")
    def test_raises(self):
        with self.assertRaisesRegex(ValueError, "x") as caught: raise ValueError("x")
        self.assertEqual(str(caught.exception), "x"); self.assertRaises(ZeroDivisionError, lambda: 1 / 0)
    def test_logs(self):
        import logging
        with self.assertLogs("a", "INFO") as logs: logging.getLogger("a").info("m")
        self.assertEqual(logs.output, ["INFO:a:m"])
    def test_fails_message(self): self.assertEqual({"a": 1}, {"a": 2}, "told")
    def test_fails_error(self): raise RuntimeError("boom")
    def test_plain_assert(self): assert self.z == 1
    def testCamelCase(self): pass

class Waits(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self): self.ready = await self.make()
    async def make(self): await asyncio.sleep(0); return True
    async def test_waits(self): self.assertTrue(self.ready); self.assertEqual(await AsyncMock(return_value=3)(), 3)
    async def test_fails_waits(self): await asyncio.sleep(0); self.assertTrue(False)

@unittest.skip("all")
class TestNone(unittest.TestCase):
    def test_skipped_a(self): pass

class TestBroken(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise ValueError("no set-up")
    def test_fails_a(self): pass
    def test_fails_b(self): pass

class TestSkips(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise unittest.SkipTest("not here")
    def test_skipped_a(self): pass

class Base(unittest.TestCase):
    def test_base(self): self.assertTrue(True)
class Derived(Base):
    def test_derived(self): pass

if __name__ == "__main__":
    unittest.main()
`
  })
  t.ok(names.includes('TestUnit.test_equal') && names.includes('Derived.test_base'), names.join())
})

void t.test('unittest: messages of subtests, and the outcome of a class whose set-up failed', async t => {
  const report = await test({ 'test_a.py': 'import unittest\nclass TestA(unittest.TestCase):\n    def test_sub(self):\n        for i in range(3):\n            with self.subTest(i=i): self.assertEqual(i, 1)\nclass TestB(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls): raise ValueError("no")\n    def test_b(self): pass\n' })
  t.match(report.tests, [{ name: 'TestA.test_sub', message: /\(i=0\) AssertionError: 0 != 1\n\(i=2\) AssertionError: 2 != 1/, frame: { line: 5 } }, { name: 'TestB.test_b', message: /^ValueError: no/ }])
  t.equal(report.cause, null)
})

void t.test('asyncio works as usual', async t => {
  await asNamed(t, {
    'test_async.py': `
import asyncio, time, pytest, contextlib
async def work(n): await asyncio.sleep(0.001 * n); return n
async def test_plain(): assert await work(1) == 1
@pytest.mark.asyncio
async def test_marked(): assert await asyncio.gather(*(work(i) for i in range(3))) == [0, 1, 2]
def test_run(): assert asyncio.run(work(2)) == 2
def test_loop():
    loop = asyncio.new_event_loop()
    try: assert loop.run_until_complete(work(1)) == 1
    finally: loop.close()
def test_get_loop(): assert asyncio.get_event_loop().run_until_complete(work(1)) == 1
def test_runner():
    with asyncio.Runner() as runner: assert runner.run(work(1)) == 1 and runner.run(work(2)) == 2
async def test_timeout():
    with pytest.raises(asyncio.TimeoutError): await asyncio.wait_for(asyncio.sleep(10), 0.01)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01): await asyncio.sleep(10)
async def test_tasks():
    queue = asyncio.Queue()
    async def produce():
        for i in range(3): await queue.put(i)
    async def consume(): return [await queue.get() for _ in range(3)]
    async with asyncio.TaskGroup() as group: made, taken = group.create_task(produce()), group.create_task(consume())
    assert taken.result() == [0, 1, 2]
async def test_cancel():
    task = asyncio.create_task(asyncio.sleep(10)); await asyncio.sleep(0); task.cancel()
    with pytest.raises(asyncio.CancelledError): await task
async def test_sync_things():
    lock, event, semaphore = asyncio.Lock(), asyncio.Event(), asyncio.Semaphore(1)
    async with lock, semaphore: event.set()
    assert await event.wait()
def test_nested_run_is_refused():
    async def outer():
        coroutine = work(1)
        try: asyncio.run(coroutine)
        finally: coroutine.close()
    with pytest.raises(RuntimeError): asyncio.run(outer())
async def test_executor(): assert await asyncio.get_running_loop().run_in_executor(None, lambda: 5) == 5
async def test_generators():
    async def numbers():
        for i in range(3): yield i
    assert [i async for i in numbers()] == [0, 1, 2]
    @contextlib.asynccontextmanager
    async def manage(): yield 1
    async with manage() as one: assert one == 1
async def test_at_once():
    before = time.perf_counter(); await asyncio.gather(*(asyncio.sleep(0.1) for _ in range(20))); assert time.perf_counter() - before < 1.5
async def test_fails_raises(): await work(0); raise ValueError("x")
`
  })
})

void t.test('a failed assert shows its values', async t => {
  const cases: [string, RegExp][] = [
    ['x = 1\n    assert x == 2, "the author\'s words"', /^AssertionError: the author's words\nassert 1 == 2$/],
    ['assert f(1) is None', /^assert 2 is None\n \+ {2}where 2 = f\(1\)$/],
    ['assert {"a": f(1), "b": 1} == {"a": 3, "b": 1}', /Differing items:\n {2}\{'a': 2\} != \{'a': 3\}/],
    ['assert [1, 2] == [1, 2, 3]', /Right contains one more item: 3/],
    ['assert False', /^assert False$/]
  ]
  const source = cases.map(([body], index) => `def test_${index}():\n    ${body}\n`).join('')
  const { tests } = await test({ 'test_a.py': `def f(a): return a + 1\n${source}` })
  for (const [index, [body, message]] of cases.entries()) t.match(tests[index], { outcome: 'failed', message }, body)
})

void t.test('tests are reported in the order of the file', async t => {
  t.same(Object.keys(outcomesOf(await test({ 'test_b.py': 'def test_z(): pass\ndef test_a(): pass\n', 'a_test.py': 'def test_m(): pass\n' }))), ['test_z', 'test_a', 'test_m'])
})
