"""Jobs of our own that are run before the real one. For the snapshot they use all parts of the harness, so that everything is loaded.
In each worker a short one is run, since V8 compiles what runs for the first time: the real job then takes two thirds of the time."""
import gc
import linecache
import logging
import os
import shutil
import sys
from contextlib import contextmanager

from . import channel, modules

_UNITS = """
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
"""

_MODULE = """
from dataclasses import dataclass
@dataclass
class Thing:
    name: str
    size: float = 2.5
    def summary(self, *parts, **more):
        try:
            return {self.name: [f'{part!r:>4}' for part in sorted(parts)], **more}['none']
        except KeyError as error:
            return str(error), round(self.size / 2, 1)
def each(count):
    for number in range(count):
        yield number, str(number).join('ab')
"""
_TESTS = """
import pytest
from rehearsed import Thing, each
@pytest.fixture
def thing():
    return Thing('a')
@pytest.mark.parametrize('count', [1, 2])
def test_all(count, thing):
    assert thing.summary('b', 1 and 'c') == ("'none'", 1.2)
    assert len(list(each(count))) == count
    with pytest.raises(ValueError, match='x'):
        raise ValueError('x')
def test_wrong(thing):
    assert [thing] == [Thing('b')]
"""
_CALLS = [
    {"file": "rehearsed.py", "expression": "Thing()", "setup": "import asyncio"},
    {"expression": "await asyncio.sleep(0)", "setup": "import asyncio"},
    {"expression": "1 / 0"},
]

WHOLE = (
    {"files": {"rehearsed.py": "def same(a):\n    return a\n", "test_rehearsed.py": _UNITS}, "tests": ["test_rehearsed.py"]},
    {"files": {"rehearsed.py": "class Thing:\n    def __init__(self): self.a = {1: [2.0, 'x', None]}\n"}, "calls": _CALLS},
)
SHORT = ({"files": {"rehearsed.py": _MODULE, "test_rehearsed.py": _TESTS}, "tests": ["test_rehearsed.py"]},)
LIMITS = {"hasJavaScript": True, "budgetMs": 60_000, "eachMs": 10_000, "outputBytes": 1_000_000}


@contextmanager
def discarded():
    """Nothing that runs inside is reported, and nothing of it remains."""
    streams, path, handlers = (sys.stdin, sys.stdout, sys.stderr), list(sys.path), list(logging.root.handlers)
    channel.connect(os.devnull)
    try:
        yield
    finally:
        channel.disconnect()
        sys.stdin, sys.stdout, sys.stderr = streams
        sys.path[:] = path
        logging.root.handlers[:] = handlers
        os.chdir("/")
        shutil.rmtree(modules.ROOT)
        for name in [name for name in sys.modules if "rehearsed" in name]:
            del sys.modules[name]
        for name in ("last_exc", "last_type", "last_value", "last_traceback"):  # pytest keeps the last failure there
            vars(sys).pop(name, None)
        sys.path_importer_cache.clear()
        linecache.clearcache()
        gc.collect()
