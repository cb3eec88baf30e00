"""What has to stay as it is while a job's code runs: what runs tests, and what tests are written with.

The worker watches the dictionaries that this names from outside, by the interpreter's own C functions (`guard.mjs`): it sees a
change when it happens, so that nothing that is put back goes unseen. What tests themselves speak of they may change for a while:
that is compared whenever one is told of. Some doors are only ever used to reach what runs the tests; using one is told."""
import _signal
import abc
import annotationlib
import asyncio
import builtins
import copy
import gc
import inspect
import itertools
import json
import logging
import math
import re
import sys
import types
import unittest
import unittest._log  # which would otherwise come late
import unittest.async_case
import unittest.mock
from asyncio import runners
from importlib.machinery import FrozenImporter
from types import FunctionType as _Function

from pytest import _fixtures

from . import callers, calls, channel, failures, frames, handed, limits, loop, modules, patterns, tests, threads, units

# How the names that come with a dictionary are meant, as in `guard.mjs`: they are shut, all but they are, they keep their values.
_SHUT, _FREE, _KEPT = 0, 1, 2

_OURS = ("harness", "pytest", "unittest")
# Nothing in these is ever replaced by an honest program, but what its tests speak of.
_STANDARD = (math, itertools, re, re._compiler, re._parser)
_STANDARD_CLASSES = (abc.ABCMeta, type, object, *(value for value in vars(builtins).values() if isinstance(value, type)))
# What tests reckon with: the functions and the methods of their classes stay, with all that belongs to them.
_RECKONED = ("asyncio", "contextlib", "importlib", "_frozen_importlib", "_frozen_importlib_external", "inspect", "re", "traceback", "warnings", "tempfile", "json", "dataclasses",
             "decimal", "_pydecimal", "fractions", "functools", "operator", "collections", "pathlib", "posixpath", "genericpath", "statistics", "string", "textwrap", "copy",
             "enum", "heapq", "bisect", "cmath", "numbers", "difflib", "pprint", "concurrent")
# What honest programs do replace there.
_REPLACED = frozenset(("default", "showwarning", "formatwarning", "_showwarnmsg_impl", "_showwarning_orig"))
# In these, only what the harness calls.
_PARTS = ((vars(_signal), ("signal", "getsignal", "raise_signal")), *((mapping, (name,)) for mapping, name, _ in frames.HELPERS),
          (logging.Handler, ("format", "handle")), (logging.Formatter, ("format", "formatMessage")), (logging.LogRecord, ("getMessage",)))
_BUILTINS = frozenset(vars(builtins))
# Names that Python itself or an honest program gives another value.
_LIVELY = dict.fromkeys(("_classSetupFailed", "_class_cleanups", "tearDown_exceptions", "__warningregistry__", "__cached__", "__annotations_cache__", "__annotate_func__", "__annotate__",
                         "__annotations__", "__doc__", "__abstractmethods__", "__static_attributes__", "__firstlineno__", "_job"))
# Those of the shell, and what programs write their own of.
_SHELL = frozenset(("input", "print", "exit", "quit", "breakpoint", "help", "copyright", "credits", "license", "_", "__debug__"))
# They look into the interpreter, or give a new copy of what was replaced.
_HIDDEN = frozenset(("_signal", "_testcapi", "_testinternalcapi", "_testlimitedcapi", "_testclinic", "_testclinic_limited", "_xxtestfuzz", "xxsubtype", "_remote_debugging",
                     "_interpreters", "_xxsubinterpreters"))
_LOADED = ("_pyodide_core", "gc", "_imp")
_DOORS = frozenset(("gc.get_objects", "gc.get_referrers", "gc.get_referents", "sys.settrace", "sys.setprofile", "sys.monitoring.register_callback", "marshal.load",
                    "ctypes.dlsym", "ctypes.cdata", "ctypes.string_at", "ctypes.call_function"))
_DEFAULTS = ("__defaults__", "__kwdefaults__")

# What a class of tests inherits, and what would come before that.
_STATE = ("maxDiff", "longMessage", "_classSetupFailed", "_class_cleanups", "tearDown_exceptions")
_SPECIAL = ("__init__", "__new__", "__setattr__", "__delattr__", "__getattribute__", "__getattr__", "__call__", "__dict__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__",
            "__hash__", "__bool__", "__len__", "__contains__", "__getitem__", "__iter__", "__next__", "__enter__", "__exit__", "__aenter__", "__aexit__", "__await__", "__class__", "__test__",
            "__unittest_skip__", "__unittest_expecting_failure__", "__unittest_skip_why__", "pytestmark")
_WORDS = (*(name for name in vars(unittest.TestCase) if not name.startswith("__") and name not in _STATE), "asyncSetUp", "asyncTearDown", *_SPECIAL)
_HOOKS = ("setup_method", "teardown_method", "setup", "teardown", "setup_class", "teardown_class", *_SPECIAL)
_MODULE_HOOKS = ("setup_function", "teardown_function", "setup_module", "teardown_module", "setUpModule", "tearDownModule")
_OF_TESTS = dict.fromkeys(("pytestmark", "patchings", "__wrapped__", "__unittest_skip__", "__unittest_expecting_failure__", "__unittest_skip_why__", "__test__"))
_ADDED = dict.fromkeys(("additional_patchers",))

_guarded = frozenset()  # addresses of the globals whose functions keep their defaults, of the modules and classes that keep their kind
_codes = frozenset()  # of the harness: nobody else makes functions of them
_own = ()  # modules
_spoken = {}
_keeping = []  # what only the worker knows of, by its address


class _Places:
    """What is watched: (dictionary, names, how they are meant) of each; and the cells that keep what is in them."""

    def __init__(self):
        self.told, self.cells, self._seen = [], [], set()

    def add(self, mapping, names, kind):
        self.told += id(mapping), id(names), kind
        for value in list(mapping.values()):
            self.add_function(handed.bare(value))

    def add_function(self, function, of_tests=False):
        """With whatever it encloses. What the code under test made of a function is its own."""
        if not isinstance(function, _Function) or id(function) in self._seen:
            return
        self._seen.add(id(function))
        for cell in function.__closure__ or ():
            if isinstance(_contents(cell), _Function):
                self.cells.append(id(cell))
                self.add_function(_contents(cell), of_tests)
        if id(function.__globals__) not in _guarded:
            return
        if function.__kwdefaults__:
            self.told += id(function.__kwdefaults__), id(_LIVELY), _FREE
        if function.__dict__:
            self.told += (id(function.__dict__), id(_OF_TESTS), _SHUT) if of_tests else (id(function.__dict__), id(_LIVELY), _FREE)
        if isinstance(function.__dict__.get("patchings"), list):
            for patching in function.patchings:
                patching.additional_patchers = tuple(patching.additional_patchers)
                self.told += id(vars(patching)), id(_ADDED), _SHUT
            function.patchings = tuple(function.patchings)

    def add_module(self, mapping):
        self.add(mapping, _LIVELY, _FREE)
        for value in list(mapping.values()):
            if isinstance(value, type) and value.__module__.partition(".")[0] in _OURS:
                self.add_class(value)

    def add_reckoned(self, module):
        """What of a module of the standard library others reckon with: its functions and classes, and their methods."""
        _guard(vars(module))
        self.add(vars(module), _kept_names(name for name, value in vars(module).items() if callable(value) and name not in _REPLACED), _SHUT)
        for cls in [value for value in vars(module).values() if isinstance(value, type) and value.__module__ == module.__name__]:
            self.add_methods(cls)

    def add_methods(self, cls):
        if id(cls) in self._seen:
            return
        self._seen.add(id(cls))
        own = _dictionary(cls)
        self.add(own, _kept_names(name for name, value in own.items() if isinstance(handed.bare(value), _Function) and name not in _REPLACED), _SHUT)

    def add_class(self, cls):
        if id(cls) in self._seen:
            return
        self._seen.add(id(cls))
        self.add_module(_dictionary(cls))
        _guard(cls)

    def add_tests(self, cls, is_test, text):
        """A class of a file of tests."""
        own = _dictionary(cls)
        inherited = {name for base in cls.__mro__[:-1] for name, value in vars(base).items() if isinstance(handed.bare(value), _Function)}
        if is_test:
            # A base of the code under test goes on with them, too.
            is_own = all(base.__module__.partition(".")[0] in ("unittest", "builtins", cls.__module__) for base in cls.__mro__)
            constants = {name for name, value in own.items() if is_own and value is not None and not name.startswith("__")}
            shut = {*inherited, *constants, *(_WORDS if issubclass(cls, unittest.TestCase) else _HOOKS)} - set(_STATE)
            _guard(cls)
        else:  # one of the code under test may have made it, and go on with it
            shut = {name for name in inherited if id(getattr(handed.bare(inspect.getattr_static(cls, name)), "__globals__", None)) in _guarded}
        self.told += id(own), id(_kept_names(shut - text.changed)), _SHUT
        for value in own.values():
            self.add_function(handed.bare(value), of_tests=True)


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
    _guard(*map(vars, (*_own, *_STANDARD)), *_own, *_STANDARD)
    for module in _own:
        places.add_module(vars(module))
    for module in _STANDARD:
        places.add(vars(module), _LIVELY, _FREE)
    places.told += id(vars(builtins)), id(_kept_names(_BUILTINS - _SHELL)), _SHUT
    for cls in dict.fromkeys(_STANDARD_CLASSES):
        places.add(_dictionary(cls), _LIVELY, _FREE)
    for place, names in _PARTS:
        places.add(_dictionary(place) if isinstance(place, type) else place, _kept_names(names), _SHUT)
    for name in [name for name in sys.modules if name.partition(".")[0] in _RECKONED]:
        places.add_reckoned(sys.modules[name])
    for cls in (*loop.Runner.__mro__, *loop.Loop.__mro__):
        places.add_methods(cls)
    places.told += id(vars(limits.watch)), 0, _FREE
    for instance in (json._default_decoder, json._default_encoder):
        places.told += handed.of_instances(instance)["places"]
    for mapping in (_fixtures.BUILTIN, patterns.known, handed.names_of, copy._deepcopy_dispatch):
        places.told += id(mapping), 0, _FREE
    _codes = frozenset(code for function in _functions() for code in failures.all_codes(function.__code__))
    return {
        "text": id(str), "cell": id(_dictionary(types.CellType)["cell_contents"]), "dictionary": id(_dictionary(_Places)["__dict__"]), "bells": [id(channel.door_bell), id(channel.raised_bell)],
        "places": places.told, "cells": places.cells, "hidden": [*_HIDDEN, *_LOADED],
        "writers": [[id(function.__code__), id(function.__globals__), by, *map(id, written)] if written else [id(function.__code__), id(function.__globals__), by, _ANYWHERE] for function, by, written in _writers()],
    }


_ANYWHERE = 0


def _writers():
    """What changes what is watched while a job runs: (function, by whom it is called or 0, the dictionaries or none for a test's own).
    Whoever else calls them gains nothing by it."""
    run, case = tests.Run, unittest.TestCase
    uses_threads = (threads._start, threads._submit, run._tell, run._run_units, run._run_item, calls._evaluate_one)
    return (
        *((function, 0, (vars(threads),)) for function in uses_threads),
        (units.Result.startTest, id(case.run.__code__), (vars(units),)),
        (_guard, 0, (globals(),)),
        (handed._names, 0, (handed.names_of,)),
        (patterns.compiled, 0, (patterns.known,)),
        (unittest.mock.mock_open, 0, (vars(unittest.mock),)),
        (case.run, 0, ()),
        (case.addTypeEqualityFunc, callers.TESTS, ()),
        (loop.install, 0, (vars(asyncio), vars(runners))),
        *((function, 0, (vars(limits.watch),)) for function in (limits.limited.__enter__, limits.limited.__exit__, limits._on_interrupt, limits._Watch.begin, units.Result.stopTestRun)),
    )


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


def of_files(files, has_tests):
    """What the files of tests speak of they may change, and put back. What they import is what is there, but the job's own."""
    for text in modules.texts.values():
        _spoken.update(dict.fromkeys(text.spoken))
        handed.changed.update(dict.fromkeys(text.changed))
    given = frozenset().union(*(text.given for text in modules.texts.values()))
    local = modules.local_names(files)
    imported = {name: module for name, module in sys.modules.items() if _is_lasting(name.partition(".")[0], local) and module is not None}
    imported.update((module.__name__, module) for module in modules.made.values())
    _keeping.append(imported)
    places, rows, writers = [id(sys.modules), id(imported), _KEPT], [], []
    for mapping in (modules.texts, modules.codes, modules.made, _spoken, handed.changed):
        places += id(mapping), 0, _FREE
    for path, module in modules.made.items():
        names, text = vars(module), modules.texts[path]
        _guard(names, module)
        if text.makes_names:  # it is closed once it is loaded
            places += id(names), id(_kept_names((*_BUILTINS, *_MODULE_HOOKS, *names))), _SHUT
        else:
            places += _closed(names, text, given)
        writers += [[id(code), id(names), 0, id(names)] for code in (*failures.all_codes(modules.codes[path]),)[:1]]
        patches = unittest.mock._patch_dict
        if text.makes_names:
            writers += [[id(function.__code__), id(function.__globals__), 0, id(names), _ANYWHERE] for function in (unittest.mock._clear_dict, patches._unpatch_dict)]
        elif text.has_dictionaries:
            writers += [[id(function.__code__), id(function.__globals__), 0, _ANYWHERE] for function in (unittest.mock._clear_dict, patches._unpatch_dict)]
    for module in (*_STANDARD, builtins, unittest, unittest.mock):
        rows += [address for key, value in vars(module).items() if key in _spoken and key not in _LIVELY for address in (id(vars(module)), id(key), id(value))]
    hidden = ["_ctypes"] if has_tests else []
    return {"places": places, "rows": rows, "writers": writers, "spoken": id(_spoken), "hidden": hidden}


def _closed(names, text, given):
    """But for what tests bind again."""
    return id(names), id(_kept_names((*text.rebound, *given, *_LIVELY))), _FREE


def _is_lasting(name, local):
    return name in ("unittest", "pytest", "math") or (name in sys.stdlib_module_names and name not in local)


def of_tests(module, text, classes):
    """Neither a test nor anything that it was written with may be exchanged for another once it was found, but what its own file
    binds again: names of the module, and attributes."""
    places, rows = _Places(), []
    names = vars(module)
    if text.makes_names:
        places.told += _closed(names, text, frozenset().union(*(text.given for text in modules.texts.values())))
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
        if cls is not None and cls.__module__ == module.__name__:
            places.add_tests(cls, True, text)
    return {"places": places.told, "rows": rows, "cells": places.cells}


def watch_doors(has_tests):
    own, coroutine, details = _dictionary.__code__, types.coroutine.__code__, unittest.mock._copy_func_details.__code__
    annotations, frozen = annotationlib.call_annotate_function.__code__, FrozenImporter.get_code.__closure__[0].cell_contents.__code__
    mock = unittest.mock
    checks = frozenset(code for function in (mock._check_signature, mock._set_signature, mock._set_async_signature) for code in failures.all_codes(function.__code__))
    # From a pointer all memory is in reach. Calls are compared outside, where that is no use.
    hidden = _HIDDEN | {"_ctypes"} if has_tests else _HIDDEN

    def hook(event, arguments, doors=_DOORS, hidden=hidden, is_look=frames.is_look, frame=sys._getframe):
        if event == "object.__setattr__":
            place, name = arguments[:2]
            if name == "__code__":
                if frame(1).f_code is not coroutine or not _is_made_of(place, arguments[2]):
                    channel.tell_door()
            elif name in _DEFAULTS:
                if id(getattr(place, "__globals__", None)) in _guarded and not (frame(1).f_code is details and place.__code__ in checks):
                    channel.tell_door()
            elif id(place) in _guarded or (name == "__class__" and id(type(place)) in _guarded):
                channel.tell_door()
        elif event in doors:
            if frame(1).f_code is not own:
                channel.tell_door()
        elif event == "function.__new__":
            if arguments[0] in _codes or (arguments[0].co_freevars and frame(1).f_code is not annotations):
                channel.tell_door()
        elif event == "exec":
            if getattr(arguments[0], "co_freevars", ()):
                channel.tell_door()
        elif event == "code.__new__":
            made_of = frame(1).f_locals.get("co") if frame(1).f_code is coroutine else None
            if type(made_of) is not types.CodeType or arguments[0] != made_of.co_code:
                channel.tell_door()
        elif event == "marshal.loads":
            if frame(1).f_code is not frozen and any(byte in arguments[0] for byte in _CODES):
                channel.tell_door()
        elif event == "sys.addaudithook":
            raise RuntimeError  # it is not added: it would be told what this one looks at
        elif event == "import":
            if arguments[0] in hidden:
                raise ModuleNotFoundError(f"No module named {arguments[0]!r}", name="ctypes" if arguments[0] == "_ctypes" else arguments[0])
            if arguments[1] is not None:
                raise ImportError(f"no compiled module can be loaded here: {arguments[0]}", name=arguments[0])
        elif is_look(event, arguments):
            check(frame)

    gc.set_debug = lambda flags, /: None  # garbage that is kept would lead to what has run
    check = frames.checker(hook.__code__)
    sys.addaudithook(hook)


# How marshal says that a code object follows.
_CODES = (b"c", b"\xe3")


def _is_made_of(function, code):
    """Whether that is the function's own code but for its flags, as `types.coroutine` makes it."""
    return type(function) is _Function and function.__code__.co_code == code.co_code and function.__code__.co_consts == code.co_consts
