import t from 'tap'
import { python } from '../../support/python.js'

t.setTimeout(600_000)
const { test } = python(t)

const TESTS = { 'test_add.py': 'from add import add\ndef test_add(): assert add(1, 2) == 3\n' }
const ADD = 'def add(a, b):\n    return a + b\n'

/** What the code does beside adding rightly, and what is said of it; an empty text where that is nothing. */
const SEEN: [code: string, doubt: string][] = [
  ['import math, functools, logging\nlog = logging.getLogger(__name__)\n', ''],
  ['import _pytest.runner\n', 'add.py:1: it imports the inside of pytest'],
  ['import pytest\ndef stop(): pytest.skip("no")\n', 'add.py:2: it can skip or change its tests by pytest'],
  ['import unittest\nif __name__ == "__main__":\n    unittest.main()\n', ''],
  ['import unittest\nunittest.TestCase.longMessage = False\n', 'add.py:2: it changes `unittest.TestCase.longMessage`, which is not its own'],
  ['import gc\ngc.collect()\n', ''],
  ['from gc import get_objects\n', 'add.py:1: it asks gc for objects of others'],
  ['import ctypes\nN = ctypes.c_int(5).value\n', ''],
  ['import ctypes\ndef peek(x): return ctypes.cast(id(x), ctypes.c_void_p)\n', 'add.py:2: it reaches into memory with ctypes'],
  ['import inspect\nARGS = inspect.signature(print)\n', ''],
  ['import inspect\ndef me(): return inspect.stack()\n', 'add.py:2: it reads the frames of its callers'],
  ['import sys\ndef me(): return sys._getframe(1).f_locals\n', 'add.py:2: it reads the frames of its callers'],
  ['import sys\nsys.modules["json"] = None\n', 'add.py:2: it reaches for loaded modules'],
  ['import sys\nME = sys.modules[__name__]\n', ''],
  ['import builtins\nbuiltins.sum = max\n', 'add.py:2: it changes `builtins.sum`, which is not its own'],
  ['import textwrap\ntextwrap.dedent = str\n', 'add.py:2: it changes `textwrap.dedent`, which is not its own'],
  ['import textwrap as j\nsetattr(j, "dedent", str)\n', 'add.py:2: it changes `j`, which is not its own'],
  ['import logging\nlogging.TRACE = 5\nlogging.addLevelName(5, "TRACE")\n', ''],
  ['import decimal, random, sys\ndecimal.getcontext().prec = 10\nrandom.seed(1)\nsys.setrecursionlimit(2000)\n', ''],
  ['class Any:\n    def __eq__(self, other): return True\n', 'add.py:2: it says that it equals everything'],
  ['class Point:\n    def __eq__(self, other): return isinstance(other, Point)\n    __hash__ = None\n', ''],
  ['import os\ndef end(): os._exit(0)\n', 'add.py:2: it ends the process'],
  ['import os\nif os.environ.get("PYTEST_CURRENT_TEST"): pass\n', 'add.py:2: it asks whether it is tested'],
  ['def read(): return open("test_add.py").read()\n', 'add.py:1: it speaks of its tests: \'test_add.py\''],
  ['def other(f): f.__code__ = add.__code__\n', 'add.py:1: it changes what others are made of'],
  ['exec("import textwrap; textwrap.dedent = str")\n', 'add.py:1: it changes `textwrap.dedent`, which is not its own'],
  ['def main():\n    import sys\n    sys.exit(0)\nif __name__ == "__main__":\n    main()\n', '']
]

void t.test('code that only does its work is vouched for; code that interferes with its tests is not, and the doubt has the line', async t => {
  await Promise.all(SEEN.map(async ([code, doubt]) => {
    const report = await test({ 'add.py': code + ADD, ...TESTS })
    t.match(report, { outcome: 'passed', vouched: doubt === '', tests: [{ outcome: 'passed', trust: 'ran' }] }, `${code}: ${JSON.stringify(report)}`)
    t.same(report.doubts, doubt === '' ? [] : [doubt], code)
  }))
})

void t.test('tests, conftest and their helpers may do what they like', async t => {
  const report = await test({
    'add.py': ADD, 'conftest.py': 'import pytest, sys\n@pytest.fixture\ndef frame(): return sys._getframe()\n', 'tests/helper.py': 'import pytest\ndef skip(): pytest.skip("later")\n',
    'tests/test_add.py': 'import pytest\nfrom add import add\nfrom helper import skip\ndef test_add(frame, monkeypatch):\n    monkeypatch.setattr("builtins.sum", max)\n    assert add(1, 2) == 3\n@pytest.mark.skip(reason="later")\ndef test_later(): pass\n'
  })
  t.match(report, { outcome: 'passed', vouched: true, doubts: [], tests: [{ trust: 'ran' }, { outcome: 'skipped', trust: 'not run' }] }, JSON.stringify(report))
})

void t.test('a test that is declared and not run, or that the code skips, is a doubt', async t => {
  const gone = await test({ 'add.py': ADD, 'test_add.py': 'from add import add\ndef test_add(): assert add(1, 2) == 3\ndef test_wrong(): assert 0\nglobals().pop("test_wrong")\n' })
  t.match(gone, { outcome: 'passed', vouched: false, doubts: ['test_add.py:1: test_wrong is declared there and was not run'] })
  const skipped = await test({ 'add.py': 'import unittest as u\ndef add(a, b):\n    if a: raise u.SkipTest("no")\n    return a + b\n', 'test_add.py': 'from add import add\ndef test_zero(): assert add(0, 2) == 2\ndef test_add(): assert add(1, 2) == 4\n' })
  t.match(skipped, { outcome: 'passed', vouched: false, doubts: ['add.py:3: it can skip its tests', 'add.py:3: it has test_add skipped'] })
})

void t.test('what the settings leave out is skipped, and said so', async t => {
  const report = await test({ 'pytest.ini': '[pytest]\naddopts = -m "not slow"\nmarkers = slow\n', 'add.py': ADD, 'test_add.py': 'import pytest\n@pytest.mark.slow\ndef test_slow(): assert 0\ndef test_quick(): pass\n' })
  t.match(report, { outcome: 'passed', vouched: true, tests: [{ name: 'test_slow', outcome: 'skipped', trust: 'not run', message: 'the settings leave it out' }, { name: 'test_quick', outcome: 'passed' }] })
})

void t.test('a file of the job that hides what tests are written with is a doubt', async t => {
  const report = await test({ 'fractions.py': 'def half(): return 0.5\n', 'test_half.py': 'import fractions\ndef test_half(): assert fractions.half() == 0.5\n' })
  t.match(report, { outcome: 'passed', vouched: false, doubts: ['fractions.py:1: it takes the place of Python\'s own `fractions`, which the tests import'] })
})

void t.test('nothing that is printed counts as a result, and only a pass is vouched for', async t => {
  const said = `print('\\n' + '0' * 32 + ' {"type":"told","event":{"type":"test","file":"test_add.py","name":"test_add","outcome":"passed"}}')\n`
  t.match(await test({ 'add.py': `${said}def add(a, b): return 0\n`, ...TESTS }), { outcome: 'failed', cause: null, vouched: false, tests: [{ outcome: 'failed', trust: 'ran' }] })
  t.match(await test({ 'add.py': `import os, sys\nfor out in (sys.stdout, sys.__stdout__, sys.stderr): out.write('READY\\n{"type":"end"}\\n')\nos._exit(0)\n`, ...TESTS }), { outcome: 'failed', cause: 'exited', vouched: false, tests: [{ outcome: 'not run' }] })
  t.match(await test({ 'add.py': 'import js\njs.eval("1")\n' + ADD, ...TESTS }), { outcome: 'not run', missing: ['js'], vouched: false, doubts: ['add.py:1: it reaches for JavaScript'] })
})
