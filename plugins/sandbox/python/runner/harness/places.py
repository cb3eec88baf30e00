"""Where what has to stay as it is lies: dictionaries, and how their names are meant, for `guard.mjs`."""
import builtins
import gc
import inspect
import opcode
import sys
import unittest
from types import FunctionType as _Function

from . import failures, handed
from .handed import FREE, LOOSE, SHUT

ANYWHERE, TABLES = 0, 1  # of a writer: in whatever is watched for the time of a test, or in a test's own tables
OURS = ("harness", "pytest", "unittest")
# What honest programs do replace there.
_REPLACED = frozenset(("default", "showwarning", "formatwarning", "_showwarnmsg_impl", "_showwarning_orig", "filters", "_filters_version", "onceregistry", "defaultaction",
                       "_warnings_context", "_loggerClass", "_logRecordFactory", "converter", "default_time_format", "default_msec_format", "raiseExceptions", "lastResort", "_srcfile",
                       "logThreads", "logMultiprocessing", "logProcesses", "logAsyncioTasks", "tempdir", "_name_sequence", "_event_loop_policy", "_shutdown", "_registered_with_atexit", "_dirty", "environ", "environb"))
# Names that Python itself or an honest program gives another value.
LIVELY = dict.fromkeys(("_classSetupFailed", "_class_cleanups", "tearDown_exceptions", "__warningregistry__", "__cached__", "__annotations_cache__", "__annotate_func__", "__annotate__",
                         "__annotations__", "__doc__", "__abstractmethods__", "__static_attributes__", "__firstlineno__", "_job"))

# What a class of tests inherits, and what would come before that.
_STATE = ("maxDiff", "longMessage", "_classSetupFailed", "_class_cleanups", "tearDown_exceptions")
_SPECIAL = ("__init__", "__new__", "__setattr__", "__delattr__", "__getattribute__", "__getattr__", "__call__", "__dict__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__",
            "__hash__", "__bool__", "__len__", "__contains__", "__getitem__", "__iter__", "__next__", "__enter__", "__exit__", "__aenter__", "__aexit__", "__await__", "__class__", "__test__",
            "__unittest_skip__", "__unittest_expecting_failure__", "__unittest_skip_why__", "pytestmark")
_WORDS = (*(name for name in vars(unittest.TestCase) if not name.startswith("__") and name not in _STATE), "asyncSetUp", "asyncTearDown", *_SPECIAL)
_HOOKS = ("setup_method", "teardown_method", "setup", "teardown", "setup_class", "teardown_class", *_SPECIAL)
_OF_TESTS = dict.fromkeys(("pytestmark", "patchings", "__wrapped__", "__unittest_skip__", "__unittest_expecting_failure__", "__unittest_skip_why__", "__test__"))
_ADDED = dict.fromkeys(("additional_patchers",))

# What no module of the library gets of its own: it would hide what it uses. But for those of the shell, and what programs write their own of.
BUILTINS = frozenset(vars(builtins)) - {"input", "print", "exit", "quit", "breakpoint", "help", "copyright", "credits", "license", "_", "__debug__"}
_EXTENDED, _BINDS, STORES = opcode.opmap["EXTENDED_ARG"], (opcode.opmap["STORE_GLOBAL"], opcode.opmap["DELETE_GLOBAL"]), (opcode.opmap["STORE_NAME"],)

guarded = frozenset()  # addresses of the globals whose functions keep their defaults, of the modules and classes that keep their kind
_known = {}  # name of a module -> the globals that its own functions bind
keeping = []  # what only the worker knows of, by its address


class Places:
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
        if id(function.__globals__) not in guarded:
            return
        if function.__kwdefaults__:
            self.told += id(function.__kwdefaults__), id(LIVELY), FREE
        if function.__dict__:
            self.told += (id(function.__dict__), id(_OF_TESTS), SHUT) if of_tests else (id(function.__dict__), id(LIVELY), FREE)
        if isinstance(function.__dict__.get("patchings"), list):
            for patching in function.patchings:
                patching.additional_patchers = tuple(patching.additional_patchers)
                self.told += id(vars(patching)), id(_ADDED), SHUT
            function.patchings = tuple(function.patchings)

    def add_module(self, mapping):
        self.add(mapping, LIVELY, FREE)
        for value in list(mapping.values()):
            if isinstance(value, type) and value.__module__.partition(".")[0] in OURS:
                self.add_class(value)

    def add_reckoned(self, module):
        """What of a module of the standard library others reckon with: its functions and classes, and their methods."""
        self._add_names(module, (), SHUT)

    def add_imported(self, module):
        """Of any other that tests import all but what it binds again itself, and what the tests may have others replace by a name that they reckon out."""
        self._add_names(module, _rebound(module), LOOSE)

    def _add_names(self, module, own, kind):
        guard(vars(module), module)
        self.add(vars(module), kept_names({*vars(module), *BUILTINS} - _REPLACED - LIVELY.keys() - set(own)), kind)
        for cls in [value for value in vars(module).values() if isinstance(value, type) and value.__module__ == module.__name__]:
            self.add_methods(cls, kind)

    def add_methods(self, cls, kind=SHUT):
        if id(cls) in self._seen:
            return
        self._seen.add(id(cls))
        guard(cls)
        self.add(dictionary(cls), kept_names({*_names_of(cls), *_SPECIAL} - _REPLACED - LIVELY.keys()), kind)

    def add_class(self, cls):
        if id(cls) in self._seen:
            return
        self._seen.add(id(cls))
        self.add_module(dictionary(cls))
        guard(cls)

    def add_tests(self, cls, is_test, text):
        """A class of a file of tests."""
        own = dictionary(cls)
        inherited = _names_of_functions(cls)
        if is_test:
            # A base of the code under test goes on with them, too.
            is_own = all(base.__module__.partition(".")[0] in ("unittest", "builtins", cls.__module__) for base in cls.__mro__)
            constants = {name for name, value in own.items() if is_own and value is not None and not name.startswith("__")}
            shut = {*inherited, *constants, *(_WORDS if issubclass(cls, unittest.TestCase) else _HOOKS)} - set(_STATE)
            guard(cls)
        else:  # one of the code under test may have made it, and go on with it
            shut = {name for name in inherited if id(getattr(handed.bare(inspect.getattr_static(cls, name)), "__globals__", None)) in guarded}
        self.told += id(own), id(kept_names(shut - text.changed)), SHUT
        for value in own.values():
            self.add_function(handed.bare(value), of_tests=True)


def guard(*places):
    global guarded
    guarded |= set(map(id, places))


def dictionary(cls):
    """A class shows only a proxy of it."""
    return gc.get_referents(cls.__dict__)[0]


def learn():
    """Looks through what is there, before there is any job to wait for it."""
    for module in list(sys.modules.values()):
        if module is not None and hasattr(module, "__dict__"):
            _rebound(module)


def _rebound(module):
    """The globals that its own functions bind."""
    if module.__name__ in _known:
        return _known[module.__name__]
    names = _known[module.__name__] = set()
    values = [value for value in vars(module).values() if getattr(value, "__module__", None) == module.__name__]
    for value in [*values, *(inner for cls in values if isinstance(cls, type) for inner in map(handed.bare, vars(cls).values()))]:
        for code in failures.all_codes(value.__code__) if isinstance(value, _Function) else ():
            names.update(bound(code))
    return names


def bound(code, operations=_BINDS):
    """The names that its own instructions bind."""
    raw, high = code.co_code, 0
    if any(operation in raw[::2] for operation in operations):
        for operation, low in zip(raw[::2], raw[1::2]):
            if operation in operations:
                yield code.co_names[high + low]
            high = (high + low) << 8 if operation == _EXTENDED else 0


def _names_of(cls):
    return {name for base in cls.__mro__[:-1] for name in vars(base)}


def _names_of_functions(cls):
    return {name for name, _ in handed.functions_of(cls)}


def _contents(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return None  # it is empty


def kept_names(names):
    return keep(dict.fromkeys(names))


def keep(names):
    """For as long as there is an interpreter: the worker knows only where they are."""
    keeping.append(names)
    return names
