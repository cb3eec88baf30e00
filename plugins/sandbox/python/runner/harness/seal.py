"""What has to be the same at the end as before the job's code ran: the functions that run tests and the words of tests.

The addresses are compared by JavaScript, through the interpreter's own C functions: nothing that Python code can put in the
place of something else has a part in it. Some doors are only ever used to reach what runs the tests; using one is told."""
import _signal
import asyncio
import builtins
import gc
import inspect
import itertools
import logging
import math
import re
import sys
import types
import unittest
import unittest.case
import unittest.loader
import unittest.result
import unittest.suite
from asyncio import runners
from unittest import mock

import pytest
from pytest import _approx, _builtin, _fixtures, _marks, _monkeypatch, _outcomes, _raises

from . import calls, canaries, channel, declared, failures, frames, items, limits, loop, modules, output, rewrite, session, signals, tests, threads, units, values

_MODULES = (calls, canaries, channel, declared, failures, frames, items, limits, loop, modules, output, rewrite, session, signals, tests, threads, units, values,
            pytest, _approx, _builtin, _fixtures, _marks, _monkeypatch, _outcomes, _raises, unittest, unittest.case, unittest.loader, unittest.result, unittest.suite, mock, math, inspect, itertools)
# A name of their own would come before the builtin.
_JUDGES = (items, session, tests, units, _approx, _raises, _outcomes, unittest.case, unittest.result)
# What tests import must be the one that is sealed.
_IMPORTED = ("unittest", "pytest", "math", "builtins", "sys")
# Those that honest programs replace for the time of a test, and leave so.
_BUILTINS = frozenset(name for name in vars(builtins) if name not in ("print", "input", "open", "exit", "quit", "breakpoint", "help", "copyright", "credits", "license", "__import__", "_", "__debug__"))
# What the harness calls of modules that honest programs change in other places.
_STANDARD = ((vars(_signal), ("signal",)), (vars(asyncio), ("Runner",)), (vars(runners), ("Runner",)), (vars(re), ("compile", "fullmatch", "match", "search", "_compile")))
_STANDARD_CLASSES = ((logging.Handler, ("format", "handle")),
                     (logging.Formatter, ("format", "formatMessage")), (logging.LogRecord, ("getMessage",)))
# Bound once the job's files are laid out, and sealed then.
_LATE = (vars(modules), "_codes")
# They look into the interpreter, or give a new copy of what was replaced.
_HIDDEN = frozenset(("_signal", "_testcapi", "_testinternalcapi", "_testlimitedcapi", "_remote_debugging"))
_guarded = set()  # the globals whose functions keep their defaults
_kept = []
_LASTING = (types.ModuleType, types.MappingProxyType, property, staticmethod, classmethod, str, bytes, tuple, frozenset, float, dict)
_CHANGING = ("_job", "__warningregistry__", "__cached__")
# Of an object, after the count of its references and its type.
_BODY = 8
_OURS = ("harness", "pytest", "unittest")
_DOORS = frozenset(("gc.get_objects", "gc.get_referrers", "gc.get_referents", "sys.settrace", "sys.setprofile",
                    "ctypes.dlsym", "ctypes.cdata", "ctypes.string_at", "ctypes.call_function"))


# What a class of tests inherits, and what would come before that.
_BEFORE = ("__init__", "__new__", "__setattr__", "__getattribute__", "__getattr__", "__call__")
_STATE = ("maxDiff", "longMessage", "_classSetupFailed", "_class_cleanups")
_WORDS = (*(name for name in vars(unittest.TestCase) if not name.startswith("__") and name not in _STATE), "asyncSetUp", "asyncTearDown", *_BEFORE)
_HOOKS = ("setup_method", "teardown_method", "setup", "teardown", "setup_class", "teardown_class", *_BEFORE)
_MODULE_HOOKS = ("setup_function", "teardown_function", "setup_module", "teardown_module", "setUpModule", "tearDownModule")


class _Row:
    """(dictionary, key, value) of each, (function, code, 0), (dictionary, key, 1) of what is not in it, (class, order of its bases, 2),
    (address, the word that is there, 3)."""

    def __init__(self):
        self.addresses, self._seen = [], set()

    def add(self, mapping, key, value):
        self.addresses += id(mapping), id(key), id(value)
        function = getattr(value, "__func__", value)
        if isinstance(function, types.FunctionType):
            self.add_function(function)

    def add_function(self, function):
        if function in self._seen:
            return
        self._seen.add(function)
        self.addresses += id(function), id(function.__code__), 0
        for key, value in (function.__kwdefaults__ or {}).items():
            self.addresses += id(function.__kwdefaults__), id(key), id(value)
        for cell in function.__closure__ or ():
            if isinstance(_contents(cell), types.FunctionType):
                self.addresses += id(cell) + _BODY, id(cell.cell_contents), 3
                self.add_function(cell.cell_contents)

    def add_all(self, mapping):
        """Nothing is put into it, either."""
        self.addresses += id(mapping) + _BODY, len(mapping), 3
        for key, value in mapping.items():
            self.add(mapping, key, value)

    def add_absent(self, mapping, keys):
        for key in keys:
            if key not in mapping:
                self.addresses += id(mapping), id(key), 1

    def add_order(self, cls):
        _kept.append(cls.__mro__)  # so that no other comes to lie where it did
        self.addresses += id(cls), id(cls.__mro__), 2

    def add_class(self, cls, changed):
        own = _dictionary(cls)
        for name, value in own.items():
            if name not in changed and name not in _STATE and not (name.startswith("__") and name not in _BEFORE):
                self.add(own, name, value)
        self.add_absent(own, _WORDS if issubclass(cls, unittest.TestCase) else _HOOKS)
        self.add_order(cls)

    def add_module(self, mapping):
        for key, value in mapping.items():
            if mapping is _LATE[0] and key == _LATE[1]:
                continue
            if not callable(value) and not isinstance(value, _LASTING):
                continue
            if key in _CHANGING:
                continue
            self.add(mapping, key, value)
            if isinstance(value, type) and value not in self._seen and value.__module__.partition(".")[0] in _OURS:
                self._seen.add(value)
                self.add_module(_dictionary(value))


def _dictionary(cls):
    """A class shows only a proxy of it."""
    return gc.get_referents(cls.__dict__)[0]


def _contents(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return None  # it is empty


def of_harness():
    row = _Row()
    for module in _MODULES:
        row.add_module(vars(module))
        _guarded.add(id(vars(module)))
    for key, value in vars(builtins).items():
        if key in _BUILTINS:
            row.add(vars(builtins), key, value)
    for mapping, names in (*_STANDARD, *((_dictionary(cls), names) for cls, names in _STANDARD_CLASSES)):
        for key, value in mapping.items():
            if key in names:
                row.add(mapping, key, value)
    for key, value in sys.modules.items():
        if key.partition(".")[0] in _IMPORTED and value is not None:
            row.add(sys.modules, key, value)
    row.add_order(unittest.TestCase)
    row.add_all(_fixtures.BUILTIN)
    for fixture in _fixtures.BUILTIN.values():
        row.add_all(vars(fixture))
    for module in _JUDGES:
        row.add_absent(vars(module), _BUILTINS)
    return row.addresses


def of_files():
    row = _Row()
    mapping, key = _LATE
    row.add(mapping, key, mapping[key])
    return row.addresses


def of_tests(module, rebound, changed):
    """Neither a test nor anything that it was written with may be exchanged for another once it was found, but what its own file
    binds again: names of the module, and attributes."""
    row = _Row()
    names = vars(module)
    for key, value in names.items():
        if key in rebound or (key.startswith("__") and key.endswith("__")):
            continue
        row.add(names, key, value)
        if isinstance(value, _fixtures.FixtureDef):
            row.add_all(vars(value))
        if isinstance(value, type) and value.__module__ == module.__name__:
            row.add_class(value, changed)
    row.add_absent(names, _BUILTINS - rebound)
    row.add_absent(names, _MODULE_HOOKS)
    _guarded.add(id(names))
    return row.addresses


def watch_doors():
    own = _dictionary.__code__

    def hook(event, arguments, doors=_DOORS, values=("__defaults__", "__kwdefaults__"), hidden=_HIDDEN, is_look=frames.is_look, frame=sys._getframe):
        if event == "object.__setattr__":
            if arguments[1] == "__code__" or (arguments[1] in values and id(getattr(arguments[0], "__globals__", None)) in _guarded):
                channel.tell_door()
        elif event in doors:
            if frame(1).f_code is not own:
                channel.tell_door()
        elif event == "import":
            if arguments[0] in hidden:
                raise ModuleNotFoundError(f"No module named {arguments[0]!r}", name=arguments[0])
        elif is_look(event, arguments):
            check(frame)

    check = frames.checker(hook.__code__)
    sys.addaudithook(hook)
