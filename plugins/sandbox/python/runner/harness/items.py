"""Finds pytest's kind of tests in a module: functions and classes, one item for each set of parameters."""
import enum
import fnmatch
import inspect
import pathlib
import unittest
from itertools import product as _product
from types import FunctionType as _Function
from typing import NamedTuple

from pytest._fixtures import FixtureDef
from pytest._marks import HIDDEN_PARAM, MarkDecorator, marks_of
from pytest._outcomes import Failed

from . import fixtures as _fixtures, parameters
from .failures import ROOT
from .order import reordered


class Place(NamedTuple):
    """Where tests lie: in a file and in classes, the outermost first, by the names that these have there."""

    path: str
    module: object
    classes: tuple = ()
    names: tuple = ()

    def within(self, name, cls):
        return Place(self.path, self.module, (*self.classes, cls), (*self.names, name))


class Item:
    """One test with its parameters; to fixtures it is `request.node`."""

    def __init__(self, place, method, function, marks, fixtures, case=()):
        self.module, self.classes, self.method, self.function, self.fixtures = place.module, place.classes, method, function, fixtures
        self.cls = place.classes[-1] if place.classes else None
        self.direct = {name: value for part in case for name, value in part.direct.items()}
        self.indirect = {name: value for part in case for name, value in part.indirect.items()}
        self.keys = [key for part in case for key in part.keys]
        ids = [part.id for part in case if part.id is not HIDDEN_PARAM]
        self.originalname, self.id = method, f"[{'-'.join(ids)}]" if ids else ""
        self.name = method + self.id
        self.marks = marks + [mark for part in case for mark in part.marks]
        self.full_name = ".".join((*place.names, self.name))
        self.nodeid = "::".join((place.path, *place.names, self.name))
        self.fixturenames, self.user_properties = [], []
        self.path = self.fspath = pathlib.Path(ROOT, place.path)

    @property
    def keywords(self):
        return {mark.name: mark for mark in self.marks}

    own_markers = property(lambda self: self.marks)

    def iter_markers(self, name=None):
        return (mark for mark in self.marks if name is None or mark.name == name)

    def get_closest_marker(self, name, default=None):
        return next(self.iter_markers(name), default)

    def add_marker(self, marker):
        self.marks.append(marker)


class Metafunc:
    """A test, as `pytest_generate_tests` is shown it."""

    def __init__(self, definition, fixturenames, config):
        self.module, self.cls, self.function, self.fixturenames, self.config = definition.module, definition.cls, definition.function, fixturenames, config
        self.definition, self.marks = definition, []

    def parametrize(self, *args, **kwargs):
        self.marks.append(MarkDecorator("parametrize", args, kwargs))


class Collector:
    """Goes through one file: `options` say how tests are called, `config` is what hooks are shown."""

    def __init__(self, path, module, conftests, options, config):
        self._place, self._conftests, self._options, self._config = Place(path, module), conftests, options, config
        self._fixtures, self._of_units = _fixtures.of_module(module, conftests), {}

    def collect(self):
        items, module = [], self._place.module
        for name, value in list(vars(module).items()):
            if isinstance(value, type):
                items += self._of_class(self._place, name, value, self._fixtures)
            elif isinstance(value, _Function) and _is_called(name, value, self._options.functions) and getattr(value, "__test__", True):
                items += self._expanded(self._place, name, value, self._fixtures)
        _tell_apart(items)
        return reordered(items)

    def of_unit(self, test):
        """A test of unittest's kind, as pytest sees it."""
        cls, name = type(test), test._testMethodName
        method = getattr(cls, name, None)
        if id(cls) not in self._of_units:
            self._of_units[id(cls)] = _fixtures.of_class(self._fixtures, cls)
        return Item(self._place.within(cls.__name__, cls), name, method, marks_of(method, cls, self._place.module), self._of_units[id(cls)])

    def _of_class(self, around, name, cls, fixtures):
        if issubclass(cls, (unittest.TestCase, enum.Enum)) or not _is_called(name, cls, self._options.classes) or not getattr(cls, "__test__", True):
            return []
        if cls.__init__ is not object.__init__ or cls.__new__ is not object.__new__:
            return []
        place, fixtures = around.within(name, cls), _fixtures.of_class(fixtures, cls)
        groups, seen = [], set()
        for base in cls.__mro__[:-1]:
            groups.append([])
            for part in [part for part in vars(base) if part not in seen]:
                seen.add(part)
                value = getattr(cls, part, None)
                if isinstance(value, type):
                    groups[-1] += self._of_class(place, part, value, fixtures)
                elif callable(value) and not isinstance(value, FixtureDef) and _is_called(part, value, self._options.functions) and getattr(value, "__test__", True):
                    groups[-1] += self._expanded(place, part, value, fixtures)
        return [item for group in reversed(groups) for item in group]  # what a class inherits comes first

    def _expanded(self, place, method, function, fixtures):
        cls = place.classes[-1] if place.classes else None
        marks = marks_of(function, *reversed(place.classes), place.module)
        has_self = cls is not None and not isinstance(inspect.getattr_static(cls, method), (staticmethod, classmethod))
        wanted = _fixtures.arguments_of(function, has_self)
        names = _fixtures.closure(wanted, marks, fixtures, parameters.direct_names(marks))
        added = self._generated(Metafunc(Item(place, method, function, marks, fixtures), names, self._config))
        if added:
            marks = added + marks
            names = _fixtures.closure(wanted, marks, fixtures, parameters.direct_names(marks))
        axes = [parameters.of_mark(mark, method, fixtures) for mark in marks if mark.name == "parametrize"]
        named = [name for axis in axes for name in (*axis[0].direct, *axis[0].indirect)]
        if len(set(named)) < len(named):
            raise Failed(f"In {method}: duplicate parametrization of {next(name for name in named if named.count(name) > 1)!r}")
        for name in set(named) - set(names) - set(wanted):
            raise Failed(f"In {method}: function uses no argument '{name}'")
        several = [(name, definition) for name in names if name not in named for definition in _with_params(name, fixtures)]
        axes = [parameters.of_fixture(definition, name) for name, definition in several] + axes
        items = []
        for case in _product(*axes):
            item = Item(place, method, function, [mark for mark in marks if mark.name != "parametrize"], fixtures, case)
            item.arguments, item.fixturenames = wanted, names
            items.append(item)
        return items

    def _generated(self, metafunc):
        """What the hooks add, the nearest first, but for hooks that came in from elsewhere."""
        cls, module = metafunc.cls, metafunc.module
        hook = getattr(cls, "pytest_generate_tests", None)
        if isinstance(hook, _Function) and hook.__globals__ is vars(module):
            hook(cls(), metafunc)
        for place in (module, *reversed(self._conftests)):
            hook = vars(place).get("pytest_generate_tests")
            if isinstance(hook, _Function) and hook.__globals__ is vars(place):
                hook(metafunc)
        return metafunc.marks


def _is_called(name, value, patterns):
    is_named = any(name.startswith(pattern) or (any(sign in pattern for sign in "*?[") and fnmatch.fnmatch(name, pattern)) for pattern in patterns)
    return is_named or getattr(value, "__test__", None) is True


def _with_params(name, fixtures):
    """The definition of that name whose parameters count: one that overrides another, and asks for it, has that one's."""
    for definition in reversed(fixtures.get(name, ())):
        if definition.params is not None:
            return [definition]
        if name not in definition.argnames:
            break
    return []


def _tell_apart(items):
    """What is known by its name has one of its own."""
    known = set()
    for item in items:
        name, number = item.full_name, 1
        while item.full_name in known:
            number += 1
            item.full_name = f"{name[:-1]}_{number}]" if name.endswith("]") else f"{name}[{number}]"
        known.add(item.full_name)
