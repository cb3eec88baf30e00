import t from 'tap'
import type { Files } from '../../../agents/types.js'
import { python } from '../../support/python.js'

const { test } = python(t)

/** What pytest fails: with what is said of it, of the whole run or of one of its tests. */
const failing: [title: string, files: Files, message: RegExp][] = [
  ['a fixture is made anew for each parameter of the one that it needs', {
    'test_store.py': 'import pytest\n@pytest.fixture(scope="module", params=["sqlite", "memory"])\ndef kind(request): return request.param\n@pytest.fixture(scope="module")\ndef store(kind): return [kind]\ndef test_put(store): assert store == ["sqlite"]\n'
  }, /store is \['memory'\]/],
  ['a fixture that failed once is not tried again', {
    'test_once.py': 'import pytest\ntried = []\n@pytest.fixture(scope="module")\ndef server():\n    tried.append(1)\n    assert len(tried) > 1, "no server"\ndef test_first(server): pass\ndef test_second(server): pass\n'
  }, /no server/],
  ['a class fixture has an object of its own', {
    'test_class.py': 'import pytest\nclass TestX:\n    @pytest.fixture(scope="class", autouse=True)\n    def db(self): self.held = 1\n    def test_held(self): assert self.held == 1\n'
  }, /has no attribute 'held'/],
  ['a mark below a fixture', { 'test_a.py': 'import pytest\n@pytest.fixture\n@pytest.mark.slow\ndef v(): return 1\ndef test_v(v): assert v == 1\n' }, /Marks cannot be applied to fixtures/],
  ['a mark above a fixture', { 'test_a.py': 'import pytest\n@pytest.mark.slow\n@pytest.fixture\ndef v(): return 1\ndef test_v(v): assert v == 1\n' }, /Marks cannot be applied to fixtures/],
  ['a misspelt parametrize', { 'test_a.py': 'import pytest\n@pytest.mark.parametrise("a", [1])\ndef test_a(): pass\n' }, /did you mean 'parametrize'/],
  ['a list of one name takes no bare values', { 'test_a.py': 'import pytest\n@pytest.mark.parametrize(("a",), [1, 2])\ndef test_a(a): assert a\n' }, /each entry is a list of values, but entry 0 is 1/],
  ['a relative import outside of any package', { 'tests/helpers.py': 'def g(): return 1\n', 'tests/test_a.py': 'from .helpers import g\ndef test_a(): assert g() == 1\n' }, /attempted relative import/],
  ['basicConfig does nothing while it is imported', { 'app.py': 'import logging\nlogging.basicConfig(level=logging.INFO)\ndef go(): logging.info("went")\n', 'test_a.py': 'import app\ndef test_a(caplog):\n    app.go()\n    assert "went" in caplog.text\n' }, /caplog\.text is ''/],
  ['basicConfig does nothing while it is called', { 'app.py': 'import logging\ndef setup(): logging.basicConfig(level=logging.DEBUG)\n', 'test_a.py': 'import app, logging\ndef test_a():\n    app.setup()\n    assert logging.getLogger().level == 10\n' }, /level is 30/],
  ['caplog has nothing of the set-up in a call', { 'test_a.py': 'import logging, pytest\n@pytest.fixture\ndef s(): logging.warning("made")\ndef test_a(caplog, s): assert "made" in caplog.text\n' }, /caplog\.text is ''/],
  ['autouse fixtures come by their names', {
    'test_a.py': 'import pytest\nlog = []\n@pytest.fixture(autouse=True)\ndef reset(): log.clear()\n@pytest.fixture(autouse=True)\ndef fill(): log.append(1)\ndef test_a(): assert log == [1]\n'
  }, /log is \[\]/],
  ['settings say how tests are called', {
    'pytest.ini': '[pytest]\npython_functions = check_* test_*\npython_classes = Describe* Test*\n',
    'test_a.py': 'class DescribeF:\n    def check_one(self): assert 1 == 2\ndef test_ok(): pass\n'
  }, /assert 1 == 2/],
  ['a mark that the settings do not know', { 'pyproject.toml': '[tool.pytest.ini_options]\naddopts = "--strict-markers"\nmarkers = ["slow: x"]\n', 'test_a.py': 'import pytest\n@pytest.mark.slwo\ndef test_a(): pass\n' }, /'slwo' not found/],
  ['a warning that the options make an error', { 'tox.ini': '[pytest]\naddopts = -q -W error::UserWarning\n', 'test_a.py': 'import warnings\ndef test_a(): warnings.warn("no")\n' }, /UserWarning: no/],
  ['a group within a group that holds something else', { 'test_a.py': 'import pytest\ndef test_a():\n    with pytest.RaisesGroup(pytest.RaisesGroup(ValueError)): raise ExceptionGroup("g", [ExceptionGroup("h", [KeyError("a")])])\n' }, /did not match/],
  ['approx of a time that is too far off', { 'test_a.py': 'import pytest\nfrom datetime import timedelta\ndef test_a(): assert timedelta(seconds=1) == pytest.approx(timedelta(seconds=2), abs=timedelta(milliseconds=5))\n' }, /assert timedelta/],
  ['two parameter sets that hide their ids', { 'test_a.py': 'import pytest\n@pytest.mark.parametrize("a", [pytest.param(1, id=pytest.HIDDEN_PARAM), pytest.param(2, id=pytest.HIDDEN_PARAM)])\ndef test_a(a): pass\n' }, /multiple instances of HIDDEN_PARAM/]
]

/** What pytest would do and this does not. */
const untold: [title: string, files: Files, message: RegExp][] = [
  ['a hook that asks for plugins', { 'conftest.py': 'def pytest_configure(config): config.pluginmanager.register(object())\n', 'test_a.py': 'def test_a(): pass\n' }, /pytest_configure, which asks for config\.pluginmanager/],
  ['a fixture that asks for plugins', { 'test_a.py': 'def test_a(request): assert not request.config.pluginmanager.hasplugin("x")\n' }, /pytest's hooks and plugins/],
  ['tests that an option leaves out', { 'setup.cfg': '[tool:pytest]\naddopts = -m "not slow"\n', 'test_a.py': 'import pytest\n@pytest.mark.slow\ndef test_slow(): assert False\ndef test_ok(): pass\n' }, /-m 'not slow'/],
  ['TestCases that an option leaves out', { 'setup.cfg': '[tool:pytest]\naddopts = -k "not slow"\n', 'test_a.py': 'import unittest\nclass A(unittest.TestCase):\n    def test_slow(self): self.fail()\n    def test_ok(self): pass\n' }, /-k 'not slow'/],
  ['tests of other names than the settings say', { 'pytest.ini': '[pytest]\npython_functions = check_*\n', 'test_a.py': 'def check_a(): pass\ndef test_b(): pass\n' }, /other names for tests/]
]

void t.test('what pytest fails is failed, and said so', async t => {
  await Promise.all(failing.map(async ([title, files, message]) => {
    const report = await test(files)
    t.equal(report.outcome, 'failed', title)
    t.not(report.cause, 'tampered', title)
    t.match([report.message, ...report.tests.map(({ message }) => message)].join('\n'), message, title)
  }))
})

void t.test('what only pytest itself does is told as not run', async t => {
  await Promise.all(untold.map(async ([title, files, message]) => {
    const report = await test(files)
    t.match(report, { outcome: 'not run', message }, `${title}: ${JSON.stringify(report)}`)
  }))
})

void t.test('a fixture that failed is made once for all tests of its scope', async t => {
  const report = await test({
    'test_once.py': 'import pytest\ntried = []\n@pytest.fixture(scope="module")\ndef server():\n    tried.append(1)\n    raise OSError("no server")\ndef test_first(server): pass\ndef test_second(server): pass\ndef test_tried(): assert tried == [1]\n'
  })
  t.same(report.tests.map(({ outcome }) => outcome), ['failed', 'failed', 'passed'])
})

void t.test('tests have names of their own, whatever they share', async t => {
  const report = await test({
    'test_names.py': `
import pytest, unittest
def make(base):
    class TestMade(base):
        def test_same(self): pass
    return TestMade
TestA = make(object)
TestB = make(object)
Case = make(unittest.TestCase)
@pytest.mark.parametrize("raw", [1, "1", 10])
def test_raw(raw): pass
@pytest.mark.parametrize("a", ["x-y", "x"])
@pytest.mark.parametrize("b", ["z", "y-z"])
def test_joined(b, a): pass
`
  })
  t.equal(report.outcome, 'passed')
  t.same(report.tests.map(({ name }) => name), ['Case.test_same', 'TestA.test_same', 'TestB.test_same', 'test_raw[1_0]', 'test_raw[1_1]', 'test_raw[10]', 'test_joined[z-x-y]', 'test_joined[z-x]', 'test_joined[y-z-x-y]', 'test_joined[y-z-x]'])
})

void t.test('hooks of classes and modules are fixtures that come first of their scope', async t => {
  const report = await test({
    'test_hooks.py': `
import pytest
log = []
def setup_module(): log.append("module")
def setup_function(function): log.append(function.__name__)
@pytest.fixture(scope="module", autouse=True)
def a_module(): log.append("a_module"); yield; log.append("a_module ended")
@pytest.fixture(autouse=True)
def a_function(): log.append("a_function")
def test_function(): assert log == ["module", "a_module", "test_function", "a_function"]
class TestX:
    @classmethod
    def setup_class(cls): log[:] = [cls.__name__]
    def setup_method(self, method): log.append(method.__name__)
    def teardown_method(self): log.append("down")
    @pytest.fixture(scope="class", autouse=True)
    def a_class(self): log.append("a_class")
    def test_first(self): assert log == ["TestX", "a_class", "a_function", "test_first"]
    def test_second(self): assert log[4:] == ["down", "a_function", "test_second"]
`
  })
  t.match(report, { outcome: 'passed' }, JSON.stringify(report))
})
