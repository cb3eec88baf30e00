"""What has to stay as it is while a job's code runs: what runs tests, and what tests are written with.

The worker watches the dictionaries that this names from outside, by the interpreter's own C functions (`guard.mjs`): it sees a
change when it happens, so that nothing that is put back goes unseen. What tests themselves speak of they may change for a while:
that is compared whenever one is told of. Some doors are only ever used to reach what runs the tests; using one is told."""
import _signal
import abc
import asyncio
import builtins
import contextlib
import gc
import inspect
import itertools
import logging
import math
import re
import sys
import types
import unittest
import unittest._log  # which would otherwise come late
import unittest.async_case
import unittest.mock
import zipimport
from asyncio import runners
from types import FunctionType as _Function

from pytest import _fixtures

from . import callers, calls, channel, frames, handed, loop, modules, tests, threads, units

# How the names that come with a dictionary are meant, as in `guard.mjs`: they are shut, all but they are, they keep their values.
_SHUT, _FREE, _KEPT = 0, 1, 2

_OURS = ("harness", "pytest", "unittest")
# Nothing in these is ever replaced by an honest program, but what its tests speak of.
_STANDARD = (builtins, math, itertools, inspect, re, re._compiler, re._parser, contextlib)
_STANDARD_CLASSES = (abc.ABCMeta, type, object, contextlib._GeneratorContextManager, contextlib._GeneratorContextManagerBase, contextlib.ContextDecorator,
                     *(value for value in vars(builtins).values() if isinstance(value, type)))
# In these, only what the harness calls.
_PARTS = ((vars(_signal), ("signal", "getsignal", "raise_signal")),
          (logging.Handler, ("format", "handle")), (logging.Formatter, ("format", "formatMessage")), (logging.LogRecord, ("getMessage",)))
# What tests reckon with: the functions and the methods of their classes stay, with all that belongs to them.
_RECKONED = ("asyncio", "json", "dataclasses", "decimal", "_pydecimal", "fractions", "functools", "operator", "collections", "datetime", "_pydatetime", "pathlib", "statistics",
             "string", "textwrap", "copy", "enum", "heapq", "bisect", "cmath", "numbers", "difflib", "pprint", "concurrent", "unittest")
# What honest programs do replace there.
_REPLACED = {"JSONEncoder": ("default",)}
# Modules of the standard library that honest programs set things in.
_LOOSE = frozenset(("sys", "os", "logging", "threading", "signal", "warnings", "asyncio", "builtins", "random", "time", "socket", "site", "types", "typing"))
_OTHERS = sys.stdlib_module_names - _LOOSE - frozenset(_RECKONED)
_BUILTINS = frozenset(vars(builtins))
# Names that Python itself or an honest program gives another value.
_LIVELY = dict.fromkeys(("_classSetupFailed", "_class_cleanups", "tearDown_exceptions", "__warningregistry__", "__cached__", "__annotations_cache__", "__annotate_func__", "__doc__", "__abstractmethods__", "_job",
                         "print", "input", "open", "exit", "quit", "breakpoint", "help", "copyright", "credits", "license", "_", "__debug__"))
# They look into the interpreter, or give a new copy of what was replaced.
_HIDDEN = frozenset(("_signal", "_testcapi", "_testinternalcapi", "_testlimitedcapi", "_remote_debugging", "_interpreters", "_xxsubinterpreters"))
_DOORS = frozenset(("gc.get_objects", "gc.get_referrers", "gc.get_referents", "sys.settrace", "sys.setprofile", "sys.monitoring.register_callback",
                    "ctypes.dlsym", "ctypes.cdata", "ctypes.string_at", "ctypes.call_function"))

# What a class of tests inherits, and what would come before that.
_BEFORE = ("__init__", "__new__", "__setattr__", "__getattribute__", "__getattr__", "__call__", "__dict__")
_STATE = ("maxDiff", "longMessage", "_classSetupFailed", "_class_cleanups", "tearDown_exceptions")
_WORDS = (*(name for name in vars(unittest.TestCase) if not name.startswith("__") and name not in _STATE), "asyncSetUp", "asyncTearDown", *_BEFORE)
_HOOKS = ("setup_method", "teardown_method", "setup", "teardown", "setup_class", "teardown_class", *_BEFORE)
_MODULE_HOOKS = ("setup_function", "teardown_function", "setup_module", "teardown_module", "setUpModule", "tearDownModule")
_WRITERS = (re._compile, re.purge, unittest.TestCase.run, unittest.IsolatedAsyncioTestCase._setupAsyncioRunner, unittest.mock.mock_open)

_guarded = frozenset()  # addresses of the globals whose functions keep their defaults, and of the classes that keep their bases
_codes = frozenset()  # of the harness: nobody else makes functions of them
_spoken = {}
_own = ()  # modules


class _Places:
    """What is watched: (dictionary, names, how they are meant) of each."""

    def __init__(self):
        self.told, self._seen = [], set()

    def add(self, mapping, names, kind):
        self.told += id(mapping), id(names), kind
        for value in list(mapping.values()):
            self.add_function(getattr(value, "__func__", value))

    def add_function(self, function):
        """With whatever it encloses. What the code under test made of a function is its own."""
        if not isinstance(function, _Function) or id(function) in self._seen:
            return
        self._seen.add(id(function))
        for cell in function.__closure__ or ():
            self.add_function(_contents(cell))
        if id(function.__globals__) not in _guarded:
            return
        for mapping in (function.__kwdefaults__, function.__dict__):
            if mapping:
                self.told += id(mapping), id(_LIVELY), _FREE

    def add_module(self, mapping):
        self.add(mapping, _LIVELY, _FREE)
        for value in list(mapping.values()):
            if isinstance(value, type) and value.__module__.partition(".")[0] in _OURS:
                self.add_class(value)

    def add_reckoned(self, module):
        """What of a module of the standard library others reckon with: its functions and classes, and their methods."""
        _guard(vars(module))
        self.add(vars(module), _kept_names(name for name, value in vars(module).items() if callable(value)), _SHUT)
        for cls in [value for value in vars(module).values() if isinstance(value, type) and value.__module__ == module.__name__ and id(value) not in self._seen]:
            self._seen.add(id(cls))
            own, free = _dictionary(cls), _REPLACED.get(cls.__name__, ())
            self.add(own, _kept_names(name for name, value in own.items() if isinstance(handed.bare(value), _Function) and name not in free), _SHUT)

    def add_class(self, cls):
        if id(cls) in self._seen:
            return
        self._seen.add(id(cls))
        self.add_module(_dictionary(cls))
        _guard(cls)


def _guard(*places):
    global _guarded
    _guarded |= set(map(id, places))


def _dictionary(cls):
    """A class shows only a proxy of it."""
    return gc.get_referents(cls.__dict__)[0]


def _contents(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return None  # it is empty


def _kept_names(names):
    """Keeps them for as long as there is an interpreter: the worker knows only where they are."""
    found = dict.fromkeys(names)
    _keeping.append(found)
    return found


_keeping = []


def install():
    """While the harness can still be imported."""
    global _own
    _own = tuple(module for name, module in sys.modules.items() if name.partition(".")[0] in _OURS and module is not None)


def of_harness():
    global _codes
    places = _Places()
    _guard(*map(vars, (*_own, *_STANDARD)))
    for module in _own:
        places.add_module(vars(module))
    for module in _STANDARD:
        places.add(vars(module), _LIVELY, _FREE)
    for cls in dict.fromkeys(_STANDARD_CLASSES):
        places.add(_dictionary(cls), _LIVELY, _FREE)
    for place, names in _PARTS:
        places.add(_dictionary(place) if isinstance(place, type) else place, _kept_names(names), _SHUT)
    for name in [name for name in sys.modules if name.partition(".")[0] in _RECKONED]:
        places.add_reckoned(sys.modules[name])
    for mapping in (_fixtures.BUILTIN, modules._tests, re._cache, re._cache2, handed.names_of):
        places.told += id(mapping), 0, _FREE
    _codes = frozenset(code for function in _functions() for code in callers.all_codes(function.__code__))
    return {
        "text": id(str), "cell": id(_dictionary(types.CellType)["cell_contents"]), "places": places.told,
        "writers": [address for function in (*_WRITERS, *_own_writers()) for address in (id(function.__code__), id(function.__globals__))],
    }


def _own_writers():
    """What of the harness changes what is watched while a job runs. Whoever else calls them gains nothing by it."""
    run = tests.Run
    return (modules.load, threads._start, threads._submit, units.Result.startTest, _guard, handed.of_instance, run._tell, run._run_units, run._run_item, calls._evaluate_one, loop.install)


def _functions():
    """All of the harness."""
    for module in _own:
        name = module.__name__
        if name.partition(".")[0] == "harness":
            for value in list(vars(module).values()):
                if isinstance(value, _Function) and value.__module__ == name:
                    yield value
                elif isinstance(value, type) and value.__module__ == name:
                    yield from (inner for inner in map(handed.bare, vars(value).values()) if isinstance(inner, _Function))


def of_files(files):
    """What the files of tests speak of they may change, and put back. What they import is what is there, but the job's own."""
    for text in modules.texts.values():
        _spoken.update(dict.fromkeys(text.spoken | text.changed))
    local = modules.local_names(files)
    imported = {name: module for name, module in sys.modules.items() if _is_lasting(name.partition(".")[0], local) and module is not None}
    _keeping.append(imported)
    lasting = [name for text in modules.texts.values() for name in text.spoken]
    rows = [address for module in (*_STANDARD, unittest, unittest.mock) for name in lasting if name in vars(module) and name not in _LIVELY
            for address in (id(vars(module)), id(_key(vars(module), name)), id(vars(module)[name]))]
    return {"places": [id(sys.modules), id(imported), _KEPT, *(part for mapping in (modules.texts, modules.codes, _spoken) for part in (id(mapping), 0, _FREE))], "rows": rows, "spoken": id(_spoken)}


def _is_lasting(name, local):
    return name in ("unittest", "pytest", "math") or (name in sys.stdlib_module_names and name not in local)


def _key(mapping, name):
    return next(key for key in mapping if key == name)


def of_tests(module, text):
    """Neither a test nor anything that it was written with may be exchanged for another once it was found, but what its own file
    binds again: names of the module, and attributes."""
    places, rows = _Places(), []
    names = vars(module)
    _guard(names)
    lasting = {key: value for key, value in names.items() if key not in text.rebound and not (key.startswith("__") and key.endswith("__"))}
    places.add(names, _kept_names((*lasting, *(_BUILTINS - text.rebound - _LIVELY.keys()), *_MODULE_HOOKS)), _SHUT)
    for key, value in lasting.items():
        if key in text.spoken:
            rows += id(names), id(key), id(value)
        if isinstance(value, _fixtures.FixtureDef):
            places.add_function(value.func)
        elif isinstance(value, type) and value.__module__ == module.__name__:
            _add_tests(places, value)
        elif isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] in _OTHERS:
            places.add(vars(value), _kept_names(name for name, one in vars(value).items() if callable(one) and not name.startswith("_")), _SHUT)
    return {"places": places.told, "rows": rows}


def _add_tests(places, cls):
    own = _dictionary(cls)
    shut = (name for name in own if name not in _STATE and not (name.startswith("__") and name not in _BEFORE))
    if issubclass(cls, unittest.TestCase):
        shut = (*shut, *_WORDS)
    elif cls.__name__.startswith("Test"):
        shut = (*shut, *_HOOKS)
    else:  # one of the code under test may have made it, and go on with it
        shut = (name for name in shut if id(getattr(handed.bare(own[name]), "__globals__", None)) in _guarded)
    places.add(own, _kept_names(shut), _SHUT)
    _guard(cls)


def watch_doors(has_tests):
    own = _dictionary.__code__
    # From a pointer all memory is in reach. Calls are compared outside, where that is no use.
    hidden = _HIDDEN | {"_ctypes"} if has_tests else _HIDDEN

    def hook(event, arguments, doors=_DOORS, values=("__defaults__", "__kwdefaults__"), hidden=hidden, is_look=frames.is_look, frame=sys._getframe):
        if event == "object.__setattr__":
            if _is_closed(*arguments[:2], values) and not (arguments[1] == "__code__" and frame(1).f_code is _COROUTINE):
                channel.tell_door()
        elif event in doors:
            if frame(1).f_code is not own:
                channel.tell_door()
        elif event == "function.__new__":
            if arguments[0] in _codes:
                channel.tell_door()
        elif event == "code.__new__":
            if frame(1).f_code is not _COROUTINE:
                channel.tell_door()
        elif event == "marshal.loads":
            if not _is_from_library(frame(1)):
                channel.tell_door()
        elif event == "sys.addaudithook":
            raise RuntimeError  # it is not added: it would be told what this one looks at
        elif event == "import":
            if arguments[0] in hidden:
                raise ModuleNotFoundError(f"No module named {arguments[0]!r}", name="ctypes" if arguments[0] == "_ctypes" else arguments[0])
        elif is_look(event, arguments):
            check(frame)

    gc.set_debug = lambda flags, /: None  # garbage that is kept would lead to what has run
    check = frames.checker(hook.__code__)
    sys.addaudithook(hook)


_COROUTINE = types.coroutine.__code__


def _is_from_library(frame):
    return frame.f_globals is vars(zipimport) and getattr(frame.f_locals.get("self"), "archive", None) == _LIBRARY


_LIBRARY = next(path for path in sys.path if path.endswith(".zip"))


def _is_closed(place, name, defaults):
    """Whether only cheats set that."""
    if name == "__code__":
        return True
    if name in defaults:
        return id(getattr(place, "__globals__", None)) in _guarded
    return id(place) in _guarded or (name == "__class__" and id(type(place)) in _guarded)
