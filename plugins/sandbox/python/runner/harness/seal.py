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
# What tests import must be the one that is sealed.
_IMPORTED = ("unittest", "pytest", "math", "builtins", "sys")
_BUILTINS = ("AssertionError", "BaseException", "Exception", "all", "any", "bool", "compile", "dict", "eval", "exec", "float", "frozenset", "getattr", "hasattr", "int", "isinstance",
             "issubclass", "iter", "len", "list", "max", "min", "next", "object", "range", "repr", "set", "sorted", "str", "sum", "tuple", "type", "vars", "zip", "__build_class__")
# What the harness calls of modules that honest programs change in other places.
_STANDARD = ((vars(_signal), ("signal",)), (vars(asyncio), ("Runner",)), (vars(runners), ("Runner",)), (vars(re), ("compile", "fullmatch", "match", "search", "_compile")))
_STANDARD_CLASSES = ((logging.Handler, ("format", "handle")),
                     (logging.Formatter, ("format", "formatMessage")), (logging.LogRecord, ("getMessage",)))
# Bound once the job's files are laid out, and sealed then.
_LATE = (vars(modules), "_codes")
_kept = []
_LASTING = (types.ModuleType, types.MappingProxyType, property, staticmethod, classmethod)
_OURS = ("harness", "pytest", "unittest")
_DOORS = frozenset(("gc.get_objects", "gc.get_referrers", "gc.get_referents", "sys.settrace", "sys.setprofile",
                    "ctypes.dlopen", "ctypes.dlsym", "ctypes.cdata", "ctypes.string_at", "ctypes.call_function"))


# What a TestCase inherits, and what would come before that.
_WORDS = (*(name for name in vars(unittest.TestCase) if not name.startswith("__") and name not in ("setUp", "tearDown", "setUpClass", "tearDownClass", "maxDiff", "longMessage")),
          "__getattribute__", "__getattr__", "__call__")


class _Row:
    """(dictionary, key, value) of each, (function, code, 0), (dictionary, key, 1) of what is not in it, (class, order of its bases, 2)."""

    def __init__(self):
        self.addresses, self._seen = [], set()

    def add(self, mapping, key, value):
        self.addresses += id(mapping), id(key), id(value)
        function = getattr(value, "__func__", value)
        if isinstance(function, types.FunctionType) and function not in self._seen:
            self._seen.add(function)
            self.addresses += id(function), id(function.__code__), 0

    def add_absent(self, mapping, keys):
        for key in keys:
            if key not in mapping:
                self.addresses += id(mapping), id(key), 1

    def add_order(self, cls):
        _kept.append(cls.__mro__)  # so that no other comes to lie where it did
        self.addresses += id(cls), id(cls.__mro__), 2

    def add_module(self, mapping):
        for key, value in mapping.items():
            if mapping is _LATE[0] and key == _LATE[1]:
                continue
            if not callable(value) and not isinstance(value, _LASTING):
                continue
            self.add(mapping, key, value)
            if isinstance(value, type) and value not in self._seen and value.__module__.partition(".")[0] in _OURS:
                self._seen.add(value)
                self.add_module(_dictionary(value))


def _dictionary(cls):
    """A class shows only a proxy of it."""
    return gc.get_referents(cls.__dict__)[0]


def of_harness():
    row = _Row()
    for module in _MODULES:
        row.add_module(vars(module))
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
    return row.addresses


def of_files():
    row = _Row()
    mapping, key = _LATE
    row.add(mapping, key, mapping[key])
    return row.addresses


def of_tests(module, fixed):
    """A test may not be exchanged for another once it was found, nor the words that it uses, nor those `fixed` names of its module."""
    row = _Row()
    for key, value in vars(module).items():
        if key in fixed or key.startswith(("test", "@")) or value is pytest or value is unittest or getattr(value, "__module__", None) in ("pytest", "unittest"):
            row.add(vars(module), key, value)
        if isinstance(value, type) and value.__module__ == module.__name__:
            own = _dictionary(value)
            for name, method in own.items():
                if name.startswith("test"):
                    row.add(own, name, method)
            if issubclass(value, unittest.TestCase):
                row.add_absent(own, _WORDS)
                row.add_order(value)
    return row.addresses


def watch_doors(tell):
    own = _dictionary.__code__

    def hook(event, arguments, doors=_DOORS, is_look=frames.is_look, frame=sys._getframe):
        if event in doors or (event == "object.__setattr__" and arguments[1] == "__code__"):
            if frame(1).f_code is not own:
                tell()
        elif is_look(event, arguments):
            check(frame)

    check = frames.checker(hook.__code__)
    sys.addaudithook(hook)
