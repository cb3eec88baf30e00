import t, { type Test } from 'tap'
import { outcomesOf, python } from '../../support/python.js'

// The tests run at once, on one sandbox: most of them wait for a limit.
t.jobs = 4
const { evaluate, sandbox, test } = python(t, 4)
const check = (title: string, body: (t: Test) => Promise<void>) => void t.test(title, { buffered: true }, body)
const { signal } = new AbortController()
const ADD = 'def add(a, b):\n    return a + b\n'

check('tests that pass are a pass, each with its name, file and time', async t => {
  const report = await test({ 'calc.py': ADD, 'test_calc.py': 'from calc import add\n\ndef test_sum():\n    print("seen")\n    assert add(1, 2) == 3\n' })
  t.match(report, { outcome: 'passed', cause: null, message: null, missing: [], tests: [{ name: 'test_sum', file: 'test_calc.py', outcome: 'passed', message: null, frame: null, output: 'seen\n' }] })
  t.ok(report.tests.every(({ durationMs }) => durationMs >= 0))
  t.ok(report.durationMs > 0)
})

check('a failing assert says what was compared, and where', async t => {
  const report = await test({ 'calc.py': ADD, 'test_calc.py': 'from calc import add\n\ndef test_sum():\n    expected = [4]\n    assert [add(1, 2)] == expected\n' })
  t.match(report, { outcome: 'failed', cause: null, tests: [{ outcome: 'failed', frame: { file: 'test_calc.py', line: 5 } }] })
  t.equal(report.tests[0]?.message, 'assert [3] == [4]\n  \n  At index 0 diff: 3 != 4\n  Use -v to get more diff')
})

check('an exception is reported with the innermost line of the job', async t => {
  const report = await test({ 'calc.py': 'def half(a):\n    return a / 0\n', 'test_calc.py': 'from calc import half\ndef test_half():\n    half(1)\n' })
  t.match(report.tests, [{ outcome: 'failed', frame: { file: 'calc.py', line: 2 } }])
  t.match(report.tests[0]?.message, /^ZeroDivisionError: division by zero\n {2}calc\.py:2: return a \/ 0\n {2}test_calc\.py:3/)
})

check('a file that does not parse is a load error, and its tests are not run', async t => {
  const report = await test({ 'calc.py': 'def add(a, b:\n    return\n', 'test_calc.py': 'from calc import add\ndef test_sum():\n    assert add(1, 2) == 3\n', 'test_other.py': 'def test_other(): pass\n' })
  t.match(report, { outcome: 'failed', cause: 'load error', message: /SyntaxError/, frame: { file: 'calc.py', line: 1 } })
  t.same(outcomesOf(report), { test_sum: 'not run', test_other: 'passed' })
})

check('an undefined name is a load error while a file is loaded, and a failure in a test', async t => {
  t.match(await test({ 'test_a.py': 'nope\ndef test_a(): pass\n' }), { outcome: 'failed', cause: 'load error', message: /NameError: name 'nope' is not defined/, frame: { file: 'test_a.py', line: 1 } })
  t.match(await test({ 'test_a.py': 'def test_a():\n    nope\n' }), { outcome: 'failed', cause: null, tests: [{ message: /NameError/ }] })
})

check('a test that hangs is interrupted, the others still run', async t => {
  const report = await test({ 'test_a.py': 'def test_hangs():\n    while True: pass\n\ndef test_after(): pass\n' }, { wallMs: 3000 })
  t.match(report, { outcome: 'failed', cause: 'time', message: /it took longer/ })
  t.same(outcomesOf(report), { test_hangs: 'failed', test_after: 'passed' })
  t.match(report.tests[0], { frame: { file: 'test_a.py', line: 2 } })
})

for (const [how, body] of Object.entries({
  'swallows every exception': 'while True:\n        try:\n            input()\n        except:\n            pass',
  sleeps: 'import time; time.sleep(60)',
  'waits for what never comes': 'import asyncio; asyncio.run(asyncio.Event().wait())',
  'waits for a lock': 'import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()',
  'matches for ever': 'import re; re.match(r"(a+)+$", "a" * 60 + "b")'
})) {
  check(`a test that ${how} ends within its limit, and the others are reported`, async t => {
    const report = await test({ 'test_a.py': `def test_first(): pass\n\ndef test_hangs():\n    ${body}\n` }, { wallMs: 2500 })
    t.equal(report.outcome, 'failed')
    t.match(report.cause, 'time')
    t.same(outcomesOf(report), { test_first: 'passed', test_hangs: 'failed' })
  })
}

check('a file that hangs while it is loaded reaches the time limit', async t => {
  t.match(await test({ 'test_a.py': 'while True: pass\n' }, { wallMs: 2000 }), { outcome: 'failed', cause: 'time' })
})

check('a process that ends is never a pass', async t => {
  t.match(await test({ 'test_a.py': 'def test_a(): pass\nimport sys\nsys.exit(0)\n' }), { outcome: 'failed', cause: 'exited', message: 'test_a.py ended the program while it was loaded' })
  t.match(await test({ 'test_a.py': 'import os\ndef test_fine(): pass\ndef test_ends():\n    os._exit(0)\ndef test_after(): pass\n' }), { outcome: 'failed', cause: 'exited', tests: [{ name: 'test_fine', outcome: 'passed' }, { name: 'test_ends', outcome: 'failed' }, { name: 'test_after', outcome: 'not run' }] })
  t.match(await test({ 'test_a.py': 'import os\nos.abort()\ndef test_a(): pass\n' }), { outcome: 'failed', cause: 'exited' })
  t.match(await test({ 'test_a.py': 'def test_a(): exit(0)\n' }), { outcome: 'failed', cause: null, tests: [{ outcome: 'failed', message: 'SystemExit: 0\n  test_a.py:1: def test_a(): exit(0)' }] })
})

check('nothing to run is never a pass', async t => {
  t.match(await test({ 'test_a.py': 'assert True\n' }), { outcome: 'not run', cause: 'no tests', message: 'no test was defined', tests: [] })
  t.match(await test({ 'test_a.py': 'import pytest\n@pytest.mark.skip(reason="later")\ndef test_a(): pass\n' }), { outcome: 'not run', cause: 'no tests', message: 'every test was skipped', tests: [{ outcome: 'skipped', message: 'later' }] })
  t.match(await sandbox.test({ language: 'python', files: { 'a.py': '' }, tests: [] }, { signal }), { outcome: 'not run', cause: 'no tests' })
})

check('code that takes more and more memory gets a MemoryError, and the report names the limit', async t => {
  const report = await test({ 'test_a.py': 'def test_list():\n    held = []\n    while True: held.append(bytearray(1 << 24))\n\ndef test_after(): pass\n' }, { wallMs: 40_000, cpuMs: 40_000 })
  t.match(report, { outcome: 'failed', cause: 'memory' })
  t.same(outcomesOf(report), { test_list: 'failed', test_after: 'passed' })
})

check('output without end ends the run', async t => {
  const report = await test({ 'test_a.py': 'def test_prints():\n    while True: print("x" * 1000)\n\ndef test_after(): pass\n' }, { outputBytes: 50_000 })
  t.match(report, { outcome: 'failed', cause: 'output', tests: [{ name: 'test_prints', outcome: 'failed' }, { name: 'test_after', outcome: 'not run' }] })
  t.ok((report.tests[0]?.output.length ?? 0) <= 50_000)
})

check('deep recursion is an ordinary failure', async t => {
  const report = await test({ 'test_a.py': 'def down(n): return down(n + 1)\ndef test_deep(): down(0)\ndef test_after(): pass\n' })
  t.match(report.tests, [{ outcome: 'failed', message: /^RecursionError/ }, { outcome: 'passed' }])
})

check('recursion through C that ends the process is explained, and the results before it are kept', async t => {
  const source = 'import json\ndef deep(n): return json.loads("[" * n + "]" * n)\n'
  const message = 'the process ended before its tests had: it recursed deeper than can be followed here, through functions that are not written in Python'
  t.match(await test({ 'a.py': source, 'test_a.py': 'from a import deep\ndef test_flat(): assert deep(5)\ndef test_deep(): deep(100000)\n' }), {
    outcome: 'failed', cause: 'exited', message, tests: [{ name: 'test_flat', outcome: 'passed' }, { name: 'test_deep', outcome: 'failed', message }]
  })
  t.match(await evaluate(source, ['deep(5)', 'deep(100000)', 'deep(5)']), [{ type: 'returned' }, { type: 'not run', cause: 'exited', message: message.replace('its tests', 'the call') }, { type: 'not run', message: /^an earlier call ended it: the process ended/ }])
})

check('settings that pytest refuses and hooks that fail are load errors', async t => {
  for (const [settings, message] of [['[tool.pytest.ini_options]\naddopts = "--nope"\n', /--nope/], ['no toml', /pyproject\.toml/]] as const) {
    t.match(await test({ 'pyproject.toml': settings, 'test_a.py': 'def test_a(): pass\n' }), { outcome: 'failed', cause: 'load error', message, tests: [{ outcome: 'not run' }] }, settings)
  }
  t.match(await test({ 'conftest.py': 'def pytest_collection_modifyitems(items): items.none\n', 'test_a.py': 'def test_a(): pass\n' }), { outcome: 'failed', cause: 'load error', message: /has no attribute 'none'/, tests: [{ outcome: 'not run' }] })
})

check('a conftest that throws, one that ends the program and a fixture that fails are different outcomes', async t => {
  const tests = { 'test_a.py': 'def test_a(): pass\n' }
  t.match(await test({ 'conftest.py': '1 / 0\n', ...tests }), { outcome: 'failed', cause: 'load error', message: /ZeroDivisionError/, frame: { file: 'conftest.py', line: 1 }, tests: [{ name: 'test_a', outcome: 'not run' }] })
  t.match(await test({ 'conftest.py': 'import sys\nsys.exit(0)\n', ...tests }), { outcome: 'failed', cause: 'exited', message: 'conftest.py ended the program while it was loaded', tests: [{ outcome: 'not run' }] })
  t.match(await test({ 'conftest.py': 'while True: pass\n', ...tests }, { wallMs: 2000 }), { outcome: 'failed', cause: 'time', tests: [{ outcome: 'not run' }] })
  t.match(await test({ 'conftest.py': 'import numpy\n', ...tests }), { outcome: 'not run', cause: 'not available', missing: ['numpy'] })
  const fixture = await test({ 'test_a.py': 'import pytest\n@pytest.fixture(scope="module")\ndef server(): raise OSError("no server")\ndef test_a(server): pass\ndef test_b(): pass\n' })
  t.match(fixture, { outcome: 'failed', cause: null, tests: [{ outcome: 'failed', message: /^OSError: no server/ }, { outcome: 'passed' }] })
})

check('a test that ends the whole run leaves the others not run', async t => {
  for (const body of ['pytest.exit("enough")', 'raise KeyboardInterrupt']) {
    t.match(await test({ 'test_a.py': `import pytest\ndef test_a(): pass\ndef test_b(): ${body}\ndef test_c(): pass\n` }), { outcome: 'failed', cause: 'exited', tests: [{ outcome: 'passed' }, { name: 'test_b' }, { name: 'test_c', outcome: 'not run' }] }, body)
  }
})

check('a test that needs time zones is not run', async t => {
  const { outcome, tests } = await test({ 'test_a.py': 'import time\nfrom datetime import datetime, timezone\nfrom zoneinfo import ZoneInfo\ndef test_utc(): assert datetime(2024, 1, 1, tzinfo=timezone.utc).utcoffset().total_seconds() == 0\ndef test_york(): assert datetime(2024, 1, 1, tzinfo=ZoneInfo("America/New_York")).utcoffset().total_seconds() == -18000\ndef test_set(): time.tzset()\n' })
  const message = 'it needs the data of time zones, which are not here'
  t.equal(outcome, 'not run')
  t.match(tests, [{ outcome: 'passed' }, { outcome: 'not run', message: new RegExp(message) }, { outcome: 'not run', message: new RegExp(message) }])
})

check('tests that need a missing package are not run, the others are', async t => {
  const report = await test({ 'test_a.py': 'import numpy as np\ndef test_array(): pass\n', 'test_b.py': 'def test_b(): pass\ndef test_late():\n    import pandas\n' })
  t.match(report, { outcome: 'not run', cause: 'not available', message: 'not available here: numpy, pandas', missing: ['numpy', 'pandas'] })
  t.same(outcomesOf(report), { test_array: 'not run', test_b: 'passed', test_late: 'not run' })
  t.match(await test({ 'app.py': 'from fastapi import FastAPI\n', 'test_app.py': 'from app import x\ndef test_x(): pass\n' }), { outcome: 'not run', cause: 'not available', missing: ['fastapi'] })
  t.match(await test({ 'test_a.py': 'def test_a(mocker): pass\n' }), { cause: 'not available', missing: ['pytest-mock'] })
  t.match(await test({ 'test_a.py': 'import tkinter\ndef test_a(): pass\n' }), { cause: 'not available', missing: ['tkinter'] })
})

check('an unknown module is an error of the program', async t => {
  t.match(await test({ 'stack.py': '', 'test_a.py': 'import stacks\ndef test_a(): pass\n' }), { outcome: 'failed', cause: 'load error', message: /No module named 'stacks'/, missing: [] })
  t.match(await test({ 'shop/__init__.py': '', 'test_a.py': 'import shop.cart\ndef test_a(): pass\n' }), { outcome: 'failed', cause: 'load error', missing: [] })
})

check('tests that need processes, connections or threads are not run, with that reason', async t => {
  const report = await test({ 'test_a.py': `import os, subprocess, socket, threading
def test_process(): subprocess.run(["ls"])
def test_command(): assert os.system("true") == 0
def test_connect(): socket.create_connection(("127.0.0.1", 9))
def test_listen(): socket.create_server(("127.0.0.1", 0))
def test_datagram():
    with socket.socket(type=socket.SOCK_DGRAM) as datagrams: datagrams.sendto(b"a", ("127.0.0.1", 9))
def test_waits():
    event = threading.Event()
    threading.Thread(target=event.wait).start()
` }, { wallMs: 3000 })
  t.same(report.tests.map(({ outcome }) => outcome), ['not run', 'not run', 'not run', 'not run', 'not run', 'not run'], JSON.stringify(report))
  t.equal(report.outcome, 'not run')
})

check('threads that do not wait for each other run', async t => {
  const report = await test({ 'test_a.py': `import threading, queue, asyncio
from concurrent.futures import ThreadPoolExecutor, as_completed
def test_counter():
    total, lock = [0], threading.Lock()
    def work():
        for _ in range(100):
            with lock: total[0] += 1
    threads = [threading.Thread(target=work, name=f"w{i}") for i in range(5)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert total[0] == 500 and not any(thread.is_alive() for thread in threads)
def test_names():
    seen = []
    thread = threading.Thread(target=lambda: seen.append(threading.current_thread().name), name="mine")
    thread.start(); thread.join()
    assert seen == ["mine"] and threading.current_thread() is threading.main_thread()
def test_pool():
    with ThreadPoolExecutor(max_workers=4) as pool:
        assert list(pool.map(lambda x: x * x, range(4))) == [0, 1, 4, 9]
        assert sorted(f.result() for f in as_completed([pool.submit(pow, 2, n) for n in range(3)])) == [1, 2, 4]
def test_to_thread():
    assert asyncio.run(asyncio.to_thread(lambda: 7)) == 7
` })
  t.equal(report.outcome, 'passed', JSON.stringify(report))
})

check('a file of a job is imported instead of the standard library\'s module of the same name', async t => {
  const report = await test({ 'queue.py': 'class Queue:\n    def size(self): return 42\n', 'calendar.py': 'x = 1\n', 'test_queue.py': 'from queue import Queue\nimport calendar, datetime\ndef test_size(): assert Queue().size() == 42 and calendar.x == 1\n' })
  t.equal(report.outcome, 'passed', JSON.stringify(report))
})

check('packages, src folders, relative imports and tests in a folder of their own', async t => {
  const report = await test({
    'src/shop/__init__.py': 'from .cart import Cart\n', 'src/shop/cart.py': 'from . import tax\nclass Cart:\n    rate = tax.RATE\n', 'src/shop/tax.py': 'RATE = 2\n',
    'tools/__init__.py': '', 'tools/text.py': 'def up(s): return s.upper()\n',
    'tests/__init__.py': '', 'tests/conftest.py': 'import pytest\n@pytest.fixture\ndef two(): return 2\n', 'tests/sample.py': 'N = 3\n',
    'tests/test_cart.py': 'from shop import Cart\nfrom tools.text import up\nfrom .sample import N\ndef test_rate(two): assert Cart.rate == two and up("a") == "A" and N == 3\n'
  })
  t.equal(report.outcome, 'passed', JSON.stringify(report))
})

check('one job knows nothing of another', async t => {
  const first = await test({ 'test_a.py': 'import builtins, os, sys\ndef test_a():\n    builtins.seen = 1; os.environ["SEEN"] = "1"; open("/tmp/seen", "w").close(); sys.modules["seen"] = sys\n' })
  t.equal(first.outcome, 'passed')
  const second = await test({ 'test_a.py': 'import os\ndef test_a():\n    assert "SEEN" not in os.environ and not os.path.exists("/tmp/seen")\n    try: seen\n    except NameError: pass\n    try: import seen\n    except ImportError: return\n    assert False\n' })
  t.equal(second.outcome, 'passed', JSON.stringify(second))
})

check('a job finds nothing of what its interpreter ran before', async t => {
  const report = await test({ 'test_a.py': `import asyncio, linecache, os, random, secrets, sys, tempfile, types, unittest
def test_nothing():
    assert not [known for kind in (object, unittest.TestCase, unittest.IsolatedAsyncioTestCase) for known in kind.__subclasses__() if "rehearsed" in known.__module__]
    assert not [name for name in (*sys.modules, *linecache.cache, *sys.path_importer_cache) if "rehearsed" in name]
    assert os.listdir("/job") == ["test_a.py"] and os.listdir(tempfile.gettempdir()) == [] and os.getcwd() == "/job"
    assert "harness" not in sys.modules and "/svc" not in sys.path
class Other(types.ModuleType): pass
def test_addresses():
    kept = []
    for count in range(8):
        was, becomes = (type("A", (), {"__slots__": tuple("abcdefgh"[:count])}) for _ in range(2))
        for _ in range(3000):
            kept.append(was())
            kept[-1].__class__ = becomes
    for _ in range(600):
        kept.append(types.ModuleType("a"))
        kept[-1].__class__ = Other
def test_chance():
    assert os.getuid() >= 0 and os.urandom(16) != bytes(16) and secrets.token_hex(4) != secrets.token_hex(4) and random.random() != random.random()
` })
  t.match(report, { outcome: 'passed', cause: null }, JSON.stringify(report))
})

check('an aborted run ends at once', async t => {
  const controller = new AbortController()
  const limits = { wallMs: 600_000, cpuMs: 600_000 }
  const files = { 'test_a.py': 'while True: pass\n' }
  const running = sandbox.test({ language: 'python', files, tests: ['test_a.py'] }, { signal: controller.signal, limits })
  setTimeout(() => controller.abort(new Error('enough')), 300)
  await t.rejects(running, { message: 'enough' })
})
