"""What has to stay as it is while a job's code runs: what runs tests, and what tests are written with.

The worker watches the dictionaries that this names from outside, by the interpreter's own C functions (`guard.mjs`): it sees a
change when it happens, so that nothing that is put back goes unseen. What tests themselves speak of they may change for a while:
that is compared whenever one is told of."""
import _signal
import abc
import asyncio
import builtins
import collections
import concurrent.futures
import copy
import dis
import importlib
import inspect
import itertools
import json
import logging
import math
import opcode
import os
import pkgutil
import random
import re
import string
import sys
import tempfile
import types
import unittest
import unittest._log  # which would otherwise come late
import unittest.async_case
from asyncio import runners
from types import FunctionType as _Function
from unittest import mock

import pytest
from pytest import _fixtures

from . import callers, calls, channel, doors, failures, frames, handed, limits, loop, modules, output, patterns, places as _places, rewrite, tests, threads, units, values
from .handed import FREE, KEPT, SHUT
from .places import ANYWHERE, BUILTINS, LIVELY, OURS, TABLES, Places, dictionary, guard, keep, kept_names

# Nothing in these is ever replaced by an honest program, but what its tests speak of.
_STANDARD = (re, re._compiler, re._parser)
_STANDARD_CLASSES = (abc.ABCMeta, abc.ABC, type, object, *(value for value in vars(builtins).values() if isinstance(value, type)))
# What tests reckon with: the functions and the methods of their classes stay, with all that belongs to them.
_RECKONED = ("asyncio", "contextlib", "importlib", "_frozen_importlib", "_frozen_importlib_external", "inspect", "re", "traceback", "warnings", "tempfile", "json", "dataclasses",
             "decimal", "_pydecimal", "fractions", "functools", "operator", "collections", "pathlib", "posixpath", "genericpath", "statistics", "string", "textwrap", "copy",
             "enum", "heapq", "bisect", "cmath", "numbers", "difflib", "pprint", "concurrent", "_py_warnings", "os", "posix", "io", "_io", "hashlib", "random",
             "types", "math", "itertools", "contextvars", "pkgutil", "fnmatch", "glob", "copyreg", "weakref", "struct", "stat")
_LOOSE = ("shutil",)  # what tests are so fond of replacing that they reckon out the name
# Helpers of honest tests replace these: the clock, chance, the network, the system.
_REPLACED = ("sys", "builtins", "time", "datetime", "_pydatetime", "uuid", "secrets", "socket", "socketserver", "select", "ssl", "http", "urllib", "smtplib", "ftplib", "subprocess",
             "multiprocessing", "threading", "signal", "getpass", "platform", "webbrowser")
# In these, only what the harness calls.
_PARTS = ((vars(_signal), ("signal", "getsignal", "raise_signal")), *((mapping, (name,)) for mapping, name, _ in frames.HELPERS),
          (logging.Handler, ("format", "handle")), (logging.Formatter, ("format", "formatMessage")), (logging.LogRecord, ("getMessage",)))
_STAR = next(number for number, name in enumerate(opcode._intrinsic_1_descs) if name == "INTRINSIC_IMPORT_STAR")

_MODULE_HOOKS = ("setup_function", "teardown_function", "setup_module", "teardown_module", "setUpModule", "tearDownModule", "pytestmark", "pytest_generate_tests", "load_tests")
_NOTHING = object()

_own = ()  # modules
_codes = frozenset()
_used = {}  # builtins that tell of values
_spoken, _words = {}, {}
_reckoned = frozenset()  # names of modules


def install():
    """While the harness can still be imported."""
    global _own, _codes, _used
    _places.learn()
    _warm()
    _own = tuple(module for name, module in sys.modules.items() if name.partition(".")[0] in OURS and module is not None)
    _codes = frozenset(_codes_of(*_own))
    telling = _codes_of(calls, channel, failures, limits, output, rewrite, threads, values)
    _used = kept_names({step.argval for code in telling for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"} & vars(builtins).keys())


def _warm():
    """Has the library make what it makes when it is first asked for."""
    string.Template.pattern
    collections.Counter("a").most_common(1)
    os.path.expandvars("$x"), os.path.expandvars(b"$x")
    pkgutil.resolve_name("os")
    random.Random("a")
    concurrent.futures.ThreadPoolExecutor
    tempfile._O_TMPFILE_WORKS = False  # what it would find out


def of_harness():
    global _reckoned
    frames.learn()
    places = Places()
    guard(*map(vars, (*_own, *_STANDARD)), *_own, *_STANDARD)
    for module in (copy, re._compiler, re._parser):
        _freeze(module)
    for module in _own:
        places.add_module(vars(module))
    for module in _STANDARD:
        places.add(vars(module), LIVELY, FREE)
    places.told += id(vars(builtins)), id(kept_names(BUILTINS)), SHUT
    for cls in dict.fromkeys(_STANDARD_CLASSES):
        places.add(dictionary(cls), LIVELY, FREE)
    for place, names in _PARTS:
        places.add(dictionary(place) if isinstance(place, type) else place, kept_names(names), SHUT)
    for name in [name for name in sys.modules if name.partition(".")[0] in _RECKONED]:
        places.add_reckoned(sys.modules[name])
    _reckoned = frozenset(name for name in sys.modules if name.partition(".")[0] in (*_RECKONED, *_LOOSE))
    for name in _LOOSE:
        places.add_imported(sys.modules[name])
    for cls in (*loop.Runner.__mro__, *loop.Loop.__mro__):
        places.add_methods(cls)
    places.told += id(vars(limits.watch)), 0, FREE
    tables = [value for module in (mock, re._compiler, re._parser) for name, value in vars(module).items() if type(value) is dict and name != "__builtins__"]
    for mapping in (_fixtures.BUILTIN, patterns.known, handed.names_of, loop.begun, copy._deepcopy_dispatch, vars(json._default_decoder), vars(json._default_encoder), *tables):
        places.told += id(mapping), 0, FREE
    return {
        "text": id(str), "items": [opcode.opmap["STORE_SUBSCR"], opcode.opmap["DELETE_SUBSCR"]], "extended": opcode.opmap["EXTENDED_ARG"], "star": [opcode.opmap["CALL_INTRINSIC_1"], _STAR], "stores": [opcode.opmap[f"{what}_{where}"] for what in ("STORE", "DELETE") for where in ("NAME", "GLOBAL", "ATTR")],
        "cell": id(dictionary(types.CellType)["cell_contents"]), "dictionary": id(dictionary(Places)["__dict__"]), "bells": [id(bell) for bell in (channel.door_bell, channel.core_bell, channel.raised_bell)],
        "own": id(kept_names((*rewrite.OWN, "__builtins__"))), "tools": [id(tool) for tool in _tools()], "core": [address for place, names in _core() for address in (id(place), id(names) if names else 0)], "places": places.told, "cells": places.cells, "hidden": [*doors.HIDDEN, *doors.LOADED],
        "writers": [[id(function.__code__), id(function.__globals__), by, items, *[part if isinstance(part, int) else id(part) for part in written]]
                    for function, by, items, written in _writers()],
    }


def _tools():
    for module in (pytest, unittest, mock):
        yield module
        yield from (value for value in vars(module).values() if isinstance(value, (type, _Function)) and value.__module__.partition(".")[0] in OURS)


def _core():
    """What tells of values: the harness itself, and what that uses of the language. Each with the names that count, if not all do."""
    yield vars(builtins), _used
    yield vars(limits.watch), None
    for part in _core_parts():
        yield vars(part) if isinstance(part, types.ModuleType) else dictionary(part), None


def _core_parts():
    for module in _own:
        if module.__name__.partition(".")[0] == "harness":
            yield module
            yield from (value for value in vars(module).values() if isinstance(value, type) and value.__module__ == module.__name__)


def _freeze(module):
    """Its sets, and the lists in its tables."""
    for name, value in list(vars(module).items()):
        if type(value) is set:
            setattr(module, name, frozenset(value))
        elif type(value) is dict and name != "__builtins__":
            value.update((key, tuple(tuple(part) if type(part) is list else part for part in held)) for key, held in value.items() if type(held) is tuple)


def _writers():
    """What changes what is watched while a job runs: (function, by whom it is called or 0, whether it stores items, the dictionaries).
    Whoever else calls them gains nothing by it."""
    run, case = tests.Run, unittest.TestCase
    uses_threads = (threads._start, threads._submit, run._tell, run._run_units, run._run_item, calls._evaluate_one)
    return (
        *((function, 0, 0, (vars(threads),)) for function in uses_threads),
        (units.Result.startTest, id(case.run.__code__), 0, (vars(units),)),
        (units.Result.stopTest, id(case.run.__code__), 0, (vars(units),)),
        (guard, 0, 0, (guard.__globals__,)),
        (handed._names, 0, 1, (handed.names_of,)),
        (patterns.compiled, 0, 1, (patterns.known,)),
        (modules._Loader.exec_module, 0, 1, (modules.loaded,)),
        (mock.mock_open, 0, 0, (vars(mock),)),
        (case.run, 0, 0, (ANYWHERE,)),
        (case.addTypeEqualityFunc, callers.TESTS, 1, (TABLES,)),
        (loop.install, 0, 0, (vars(asyncio), vars(runners))),
        *((function, 0, 1, (loop.begun,)) for function in (loop._kept, loop.check, loop.Loop.create_task)),
        *((function, 0, 0, (vars(limits.watch),)) for function in (limits.limited.__enter__, limits.limited.__exit__, limits._on_interrupt, limits._Watch.begin, units.Result.stopTestRun)),
    )


def _codes_of(*modules):
    return [code for function in _functions(modules) for code in failures.all_codes(function.__code__)]


def _functions(modules):
    """Those of the harness among them."""
    for module in modules:
        name = module.__name__
        if name.partition(".")[0] == "harness":
            for value in list(vars(module).values()):
                if isinstance(value, _Function) and value.__module__ == name:
                    yield value
                elif isinstance(value, type) and value.__module__ == name:
                    yield from (inner for inner in map(handed.bare, vars(value).values()) if isinstance(inner, _Function))


def of_files():
    """What the files of tests speak of they may change, and put back. What they import is what is there, but the job's own."""
    for known in (_spoken, _words, handed.changed):
        known.clear()
    for text in modules.texts.values():
        _spoken.update(dict.fromkeys(text.spoken))
        _words.update(dict.fromkeys(text.words))
        handed.changed.update(dict.fromkeys(text.changed))
    given = _given()
    standard = list(_of_standard({name for text in modules.texts.values() for name in text.modules}))
    imported = {name: module for name, module in sys.modules.items() if _is_lasting(name.partition(".")[0]) and module is not None}
    imported.update((module.__name__, module) for module in modules.made.values())
    keep(imported)
    reckoned = Places()
    for module in standard:
        (reckoned.add_reckoned if module.__name__.partition(".")[0] in _RECKONED else reckoned.add_imported)(module)
    places, rows, writers = [id(sys.modules), id(imported), KEPT, *reckoned.told], [], []
    for mapping in (modules.texts, modules.codes, modules.made, modules.taken, modules.loaded, _spoken, _words, handed.changed):
        places += id(mapping), 0, FREE
    for path, module in modules.made.items():
        names, text = vars(module), modules.texts[path]
        guard(names, module)
        places += _kept(names, text, given, modules.codes[path]) if text.makes_names else _closed(names, text, given)
        if not isinstance(modules.codes[path], BaseException):
            writers.append([id(modules.codes[path]), id(names), 0, 0, id(names)])
    for module in (*_STANDARD, math, itertools, builtins, unittest, mock):
        rows += [address for key, value in vars(module).items() if key in _spoken and key not in LIVELY for address in (id(vars(module)), id(key), id(value))]
    return {"places": places, "rows": rows, "cells": reckoned.cells, "writers": writers, "spoken": id(_spoken), "words": id(_words)}


def _given():
    """What the tests set on modules."""
    return frozenset().union(*(text.given for text in modules.texts.values()))


def _closed(names, text, given):
    """But for what tests bind again."""
    return id(names), id(kept_names((*text.rebound, *given, *LIVELY))), FREE


def _kept(names, text, given, code=None):
    """It may empty these, and fill them with the same again. A builtin stays what it is, a hook is there or comes by `code`, which
    binds what it is about to bind itself."""
    coming = _places.bound(code, _places.STORES) if code is not None and not isinstance(code, BaseException) else ()
    values = {**{key: vars(builtins)[key] for key in BUILTINS}, **dict.fromkeys((*_MODULE_HOOKS, *coming), _NOTHING), **names}
    return id(names), id(keep({key: value for key, value in values.items() if key not in text.rebound and key not in given and key not in LIVELY})), KEPT


def _is_lasting(name):
    return name in OURS or (name in sys.stdlib_module_names and name not in modules.taken)


def _of_standard(names):
    """The modules of the standard library among them: none is left to be made later, by code that comes before the tests."""
    for name in sorted(names):
        root, parent = name.partition(".")[0], sys.modules.get(name.rpartition(".")[0])
        if root not in sys.stdlib_module_names or root in OURS or root in modules.taken or name.endswith("__main__"):
            continue
        if name not in sys.modules and (parent is None or hasattr(parent, "__path__")):
            try:
                importlib.import_module(name)
            except BaseException:
                continue  # the tests will say so
        if name in sys.modules and name not in _reckoned and (root not in _REPLACED or name == "urllib.parse"):
            yield sys.modules[name]


def of_tests(module, text, classes):
    """Neither a test nor anything that it was written with may be exchanged for another once it was found, but what its own file
    binds again: names of the module, and attributes."""
    places, rows = Places(), []
    names, known = vars(module), {made.__name__ for made in modules.made.values()}
    if text.makes_names:
        places.told += _kept(names, text, _given())
    for key, value in list(names.items()):
        if key.startswith("__") or key in text.rebound:
            continue
        if key in _spoken:
            rows += id(names), id(key), id(value)
        if isinstance(value, _fixtures.FixtureDef):
            places.add_function(value.func, of_tests=True)
        elif isinstance(value, type) and value.__module__ == module.__name__:
            places.add_tests(value, value in classes, text)
        else:
            places.add_function(value, of_tests=True)
    for cls in classes:
        if cls is not None and cls.__module__ in known:
            places.add_tests(cls, True, text)
    return {"places": places.told, "rows": rows, "cells": places.cells}


def close_doors():
    doors.watch(_codes, frozenset(map(id, _core_parts())))
