"""Finds pytest's kind of tests in a module: functions and classes, one item for each set of parameters."""
import enum
import inspect
import unittest
from itertools import product as _product
from types import FunctionType as _Function, GeneratorType as _Generator
from unittest import mock

from pytest._fixtures import BUILTIN, Config, FixtureDef
from pytest._marks import HIDDEN_PARAM, MarkDecorator, ParameterSet, marks_of
from pytest._outcomes import Failed


class Item:
    """One test with its parameters; to fixtures it is `request.node`."""

    def __init__(self, module, cls, method, function, marks, fixtures, case):
        self.module, self.cls, self.method, self.function, self.fixtures = module, cls, method, function, fixtures
        self.direct = {name: value for part in case for name, value in part.direct.items()}
        self.indirect = {name: value for part in case for name, value in part.indirect.items()}
        ids = [part.id for part in case if part.id is not HIDDEN_PARAM]
        self.id = f"[{'-'.join(ids)}]" if ids else ""
        self.originalname = method
        self.name = method + self.id
        self.marks = marks + [mark for part in case for mark in part.marks]
        self.full_name = (f"{cls.__qualname__.replace('.<locals>', '')}." if cls else "") + self.name
        self.nodeid = f"{module.__name__}::{self.full_name.replace('.', '::')}"
        self.fixturenames = []
        self.path = self.fspath = module.__file__
        self.user_properties = []

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

    def has_param(self, definition):
        return definition.argname in self.indirect or definition.params is not None

    def param_of(self, definition):
        return self.indirect[definition.argname][1]


class Metafunc:
    """A test, as `pytest_generate_tests` is shown it."""

    def __init__(self, module, cls, function, fixturenames, definition):
        self.module, self.cls, self.function, self.fixturenames, self.config = module, cls, function, fixturenames, Config()
        self.definition, self.marks = definition, []

    def parametrize(self, *args, **kwargs):
        self.marks.append(MarkDecorator("parametrize", args, kwargs))


class _Choice:
    """One value, or set of values, for some of a test's parameters."""

    def __init__(self, direct, indirect, id, marks):
        self.direct, self.indirect, self.id, self.marks = direct, indirect, id, marks


def fixtures_of(module, cls, conftests):
    """Name -> definitions, the nearest last: one may ask for what it overrides."""
    found = {name: [definition] for name, definition in BUILTIN.items()}
    places = [*conftests, module, *(reversed(cls.__mro__) if cls else ())]
    for place in places:
        for name, value in list(vars(place).items()):
            if isinstance(value, FixtureDef):
                key = value.argname if value.argname != value.func.__name__ else name
                found.setdefault(key, []).append(value)
    return found


def collect(module, conftests):
    items = []
    for name, value in list(vars(module).items()):
        if name.startswith("test") and isinstance(value, _Function) and getattr(value, "__test__", True):
            items += _expanded(module, None, name, value, conftests)
        elif isinstance(value, type):
            items += _of_class(module, value, conftests)
    return items


def _of_class(module, cls, conftests):
    if not cls.__name__.startswith("Test") or issubclass(cls, (unittest.TestCase, enum.Enum)) or not getattr(cls, "__test__", True):
        return []
    if cls.__init__ is not object.__init__ or cls.__new__ is not object.__new__:
        return []
    items, seen = [], set()
    for base in reversed(cls.__mro__):
        for name in vars(base):
            value = getattr(cls, name, None)
            if name in seen:
                continue
            seen.add(name)
            if isinstance(value, type) and value.__qualname__.startswith(f"{cls.__qualname__}."):
                items += _of_class(module, value, conftests)
            elif name.startswith("test") and callable(value) and not isinstance(value, FixtureDef) and not isinstance(value, type):
                items += _expanded(module, cls, name, value, conftests)
    return items


def _expanded(module, cls, method, function, conftests):
    marks = marks_of(function, cls, module)
    fixtures = fixtures_of(module, cls, conftests)
    is_static = cls is not None and isinstance(inspect.getattr_static(cls, method), staticmethod)
    wanted = arguments_of(function, has_self=cls is not None and not is_static)
    names = _closure(wanted, marks, fixtures)
    definition = Item(module, cls, method, function, marks, fixtures, ())
    marks = _generated(Metafunc(module, cls, function, names, definition), conftests) + marks
    axes = [_choices(mark, method) for mark in marks if mark.name == "parametrize"]
    named = [name for axis in axes for name in (*axis[0].direct, *axis[0].indirect)]
    if len(set(named)) < len(named):
        raise Failed(f"In {method}: duplicate parametrization of {next(name for name in named if named.count(name) > 1)!r}")
    given = {name for axis in axes for choice in axis for name in (*choice.direct, *choice.indirect)}
    for name in given - set(names) - set(wanted):
        raise Failed(f"In {method}: function uses no argument '{name}'")
    for name in names:
        definition = fixtures.get(name, [None])[-1]
        if definition is not None and definition.params is not None and name not in given:
            axes.append([_fixture_choice(definition, index, value) for index, value in enumerate(definition.params)])
    items = []
    for case in _product(*axes):
        item = Item(module, cls, method, function, [mark for mark in marks if mark.name != "parametrize"], fixtures, case)
        item.arguments, item.fixturenames = wanted, names
        items.append(item)
    _tell_apart(items)
    return items


def _generated(metafunc, conftests):
    """What the hooks add, the nearest first, but for hooks that came in from elsewhere."""
    cls, module = metafunc.cls, metafunc.module
    hook = getattr(cls, "pytest_generate_tests", None)
    if isinstance(hook, _Function) and hook.__globals__ is vars(module):
        hook(cls(), metafunc)
    for place in (metafunc.module, *reversed(conftests)):
        hook = vars(place).get("pytest_generate_tests")
        if isinstance(hook, _Function) and hook.__globals__ is vars(place):
            hook(metafunc)
    return metafunc.marks


def _tell_apart(items):
    """Parameters with one id between them are numbered, as pytest does."""
    counts = {}
    for item in items:
        counts.setdefault(item.full_name, []).append(item)
    for group in counts.values():
        if len(group) > 1:
            for index, item in enumerate(group):
                for name in ("name", "full_name", "nodeid"):
                    setattr(item, name, f"{getattr(item, name).removesuffix(']')}{index}]")


def arguments_of(function, has_self):
    """The names that a test wants values for. What `@patch` passes by itself is not among them."""
    parameters = list(inspect.signature(function, follow_wrapped=True).parameters.values())[1 if has_self else 0:]
    patched = sum(1 for patch in getattr(function, "patchings", ()) if not patch.attribute_name and patch.new is mock.DEFAULT)
    positional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [parameter.name for parameter in parameters[patched:] if parameter.default is inspect.Parameter.empty and parameter.kind not in positional]


def _closure(wanted, marks, fixtures):
    """Every fixture that has a part in the test: what is used by itself first."""
    first = [definitions[-1].argname for definitions in fixtures.values() if definitions[-1].autouse]
    used = [name for mark in marks if mark.name == "usefixtures" for name in mark.args]
    names, waiting = [], [*first, *used, *wanted]
    while waiting:
        name = waiting.pop(0)
        if name in names:
            continue
        names.append(name)
        for definition in fixtures.get(name, ()):
            waiting += [argument for argument in definition.argnames if argument not in ("self", "request")]
    return names


def _choices(mark, method):
    names, values = _parametrized(*mark.args, **{key: value for key, value in mark.kwargs.items() if key in ("argnames", "argvalues")})
    ids, indirect = mark.kwargs.get("ids"), mark.kwargs.get("indirect", False)
    if isinstance(ids, _Generator) or isinstance(ids, (map, filter, zip)):
        ids = list(ids)
    if ids is not None and not callable(ids) and values and len(ids) != len(values):
        raise Failed(f"In {method}: {len(values)} parameter sets specified, with different number of ids: {len(ids)}")
    through = set(names) if indirect is True else set(indirect or ())
    choices = []
    for index, value in enumerate(values):
        entry = value if isinstance(value, ParameterSet) else ParameterSet((value,) if len(names) == 1 else tuple(value), [], None)
        if len(entry.values) != len(names):
            raise Failed(f"parametrize names {len(names)} arguments ({', '.join(names)}), but entry {index} has {len(entry.values)}: {entry.values!r}")
        pairs = list(zip(names, entry.values))
        direct = {name: one for name, one in pairs if name not in through}
        choices.append(_Choice(direct, {name: (index, one) for name, one in pairs if name in through}, _id_of(entry, pairs, ids, index), entry.marks))
    if not choices:
        from pytest import mark as marks
        choices.append(_Choice({name: None for name in names}, {}, "NOTSET", [marks.skip(reason="got empty parameter set")]))
    return choices


def _parametrized(argnames, argvalues, *_):
    names = [name.strip() for name in argnames.split(",") if name.strip()] if isinstance(argnames, str) else list(argnames)
    return names, list(argvalues)


def _id_of(entry, pairs, ids, index):
    if entry.id is not None:
        return entry.id if entry.id is HIDDEN_PARAM else str(entry.id)
    if callable(ids):
        return "-".join(str(made) if (made := ids(value)) is not None else _plain_id(name, value, index) for name, value in pairs)
    if ids is not None and index < len(ids) and ids[index] is not None:
        return str(ids[index])
    return "-".join(_plain_id(name, value, index) for name, value in pairs)


def _fixture_choice(definition, index, value):
    marks = []
    entry_id = None
    if isinstance(value, ParameterSet):
        value, marks, entry_id = value.values[0], value.marks, value.id
    ids = definition.ids
    made = ids(value) if callable(ids) else ids[index] if ids is not None else entry_id
    return _Choice({}, {definition.argname: (index, value)}, str(made) if made is not None else _plain_id(definition.argname, value, index), marks)


def _plain_id(name, value, index):
    if isinstance(value, str):
        return value.encode("unicode_escape").decode() if value.isascii() or not value.isprintable() else value
    if value is None or isinstance(value, (bool, int, float, complex)) and not isinstance(value, enum.Enum):
        return str(value)
    if isinstance(value, bytes):
        return value.decode("ascii", "backslashreplace")
    if isinstance(value, enum.Enum):
        return str(value)
    if isinstance(getattr(value, "__name__", None), str):
        return value.__name__
    return f"{name}{index}"


_HOOKS = ("pytest_runtest_", "pytest_collect", "pytest_pycollect_", "pytest_pyfunc_call", "pytest_itemcollected", "pytest_fixture_", "pytest_deselected", "pytest_ignore_collect")
_OF_MODULES = ("setup_module", "teardown_module")
_OF_METHODS = ("setup_method", "teardown_method")
_TELLING = ("usefixtures", "filterwarnings", "xfail")


def hooks_in(module, conftests):
    """The first by which the tests would have pytest do something else, which is not done here."""
    for place in conftests:
        for name in vars(place):
            if name.startswith(_HOOKS):
                return name
    return next(("pytest_plugins" for place in (module, *conftests) if vars(place).get("pytest_plugins")), None)


def of_unit(test, module, conftests):
    """A test of unittest's kind, as pytest sees it."""
    cls, name = type(test), test._testMethodName
    method = getattr(cls, name, None)
    return Item(module, cls, name, method, marks_of(method, cls, module), fixtures_of(module, cls, conftests), ())


def needs_pytest(item):
    """Whether pytest would do more for a test of unittest's kind than unittest does."""
    module, cls = item.module, item.cls
    return (any(definitions[-1].autouse for definitions in item.fixtures.values()) or any(mark.name in _TELLING for mark in item.marks)
            or any(callable(getattr(module, name, None)) for name in _OF_MODULES) or any(callable(getattr(cls, name, None)) for name in _OF_METHODS))
