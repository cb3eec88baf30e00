import contextlib
import inspect
import re
import warnings
from collections import namedtuple

from . import _builtin
from ._logging import LogCaptureFixture
from ._monkeypatch import MonkeyPatch
from ._outcomes import Failed

MARKED = "Marks cannot be applied to fixtures.\nSee docs: https://docs.pytest.org/en/stable/deprecations.html#applying-a-mark-to-a-fixture-function"
SCOPES = ("session", "package", "module", "class", "function")


class FixtureLookupError(LookupError):
    pass


class FixtureDef(namedtuple("FixtureDef", ("func", "scope", "params", "autouse", "argname", "ids"))):
    """A function that makes a value for tests, by the name that they ask for it. Nobody can make another one of it."""

    __slots__ = ()

    def __new__(cls, function, scope, params, autouse, name, ids):
        ids = tuple(ids) if isinstance(ids, list) else ids
        return super().__new__(cls, function, scope() if callable(scope) else scope, None if params is None else tuple(params), autouse, name or function.__name__, ids)

    __name__ = property(lambda self: self.func.__name__)
    __doc__ = property(lambda self: self.func.__doc__)
    __wrapped__ = property(lambda self: self.func)

    @property
    def argnames(self):
        return [name for name, parameter in inspect.signature(self.func).parameters.items() if parameter.default is inspect.Parameter.empty]

    def __call__(self, *_, **__):
        raise Failed(f'Fixture "{self.argname}" called directly. Fixtures are not meant to be called directly')


def fixture(fixture_function=None, *, scope="function", params=None, autouse=False, ids=None, name=None):
    def decorate(function):
        if isinstance(function, type):
            raise ValueError("class fixtures not supported (maybe in the future)")
        if hasattr(function, "pytestmark"):
            raise Failed(MARKED)
        inner = function.__func__ if isinstance(function, (staticmethod, classmethod)) else function
        return FixtureDef(inner, scope, params, autouse, name, ids)
    return decorate(fixture_function) if fixture_function is not None else decorate


yield_fixture = fixture


class FixtureRequest:
    """What `request` is to a test or to a fixture."""

    def __init__(self, item, name, definition, setup, finalizers=None):
        self.node, self._setup, self.config, self._finalizers = item, setup, setup.config, finalizers
        self.fixturename = name
        self.scope = definition.scope if definition else "function"
        self.function, self.cls, self.module = item.function, item.cls, item.module
        self.instance = setup.instance if self.scope == "function" else None
        self.fixturenames = item.fixturenames
        self.keywords = {mark.name: mark for mark in item.marks}
        self.path = self.fspath = item.path
        if name in item.indirect:
            self.param = item.indirect[name]

    def getfixturevalue(self, argname):
        return self._setup.value_of(argname)

    def addfinalizer(self, finalizer):
        (self._setup.finalizers if self._finalizers is None else self._finalizers).append(finalizer)

    def applymarker(self, marker):
        self.node.marks.append(marker)

    __class_getitem__ = classmethod(lambda cls, _: cls)


def _closing(make):
    """A fixture that closes what it made."""
    def generate():
        made = make()
        try:
            yield made
        finally:
            made.close()
    return generate


def _monkeypatch():
    with MonkeyPatch.context() as patch:
        yield patch


def _caplog(request):
    capture = LogCaptureFixture(request._setup.session.logs)
    try:
        yield capture
    finally:
        capture.close()


def _tmp_path(request):
    return request.getfixturevalue("tmp_path_factory").mktemp(re.sub(r"\W", "_", request.node.name)[:30])


def _recwarn():
    recorder = _builtin.WarningsRecorder()
    recorder.__enter__()
    warnings.simplefilter("default")
    try:
        yield recorder
    finally:
        recorder.close()


@contextlib.contextmanager
def _subtest(msg=None, **_):
    yield


_MAKERS = {
    "monkeypatch": _monkeypatch,
    "capsys": _closing(_builtin.CaptureFixture),
    "capfd": _closing(_builtin.CaptureFixture),
    "capsysbinary": _closing(_builtin.BinaryCaptureFixture),
    "capfdbinary": _closing(_builtin.BinaryCaptureFixture),
    "caplog": _caplog,
    "recwarn": _recwarn,
    "tmp_path": _tmp_path,
    "tmpdir": lambda tmp_path: _builtin.LocalPath(tmp_path),
    "cache": lambda: _builtin.Cache(),
    "record_property": lambda: lambda name, value: None,
    "doctest_namespace": lambda: {},
}
_ONCE = {"tmp_path_factory": _builtin.TempPathFactory, "tmpdir_factory": _builtin.TempPathFactory}

BUILTIN = {name: FixtureDef(make, "function", None, False, name, None) for name, make in _MAKERS.items()}
BUILTIN |= {name: FixtureDef(lambda make=make: make(), "session", None, False, name, None) for name, make in _ONCE.items()}
BUILTIN["pytestconfig"] = FixtureDef(lambda request: request.config, "session", None, False, "pytestconfig", None)
BUILTIN["subtests"] = FixtureDef(lambda: type("Subtests", (), {"test": staticmethod(_subtest)})(), "function", None, False, "subtests", None)
