"""Where what has to stay as it is lies: dictionaries, and how their names are meant, for `guard.mjs`."""
import gc
import inspect
import unittest
from types import FunctionType as _Function

from . import handed
from .handed import FREE, SHUT

ANYWHERE = 0  # of a writer: in whatever is watched for the time of a test
OURS = ("harness", "pytest", "unittest")
# What honest programs do replace there.
_REPLACED = frozenset(("default", "showwarning", "formatwarning", "_showwarnmsg_impl", "_showwarning_orig", "filters", "_filters_version", "onceregistry", "defaultaction",
                       "_warnings_context", "_loggerClass", "_logRecordFactory", "tempdir", "_name_sequence", "_event_loop_policy", "_shutdown", "environ", "environb"))
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

guarded = frozenset()  # addresses of the globals whose functions keep their defaults, of the modules and classes that keep their kind
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
        self._add_names(module, [name for name in vars(module) if name not in _REPLACED and name not in LIVELY])

    def add_imported(self, module):
        """Of any other that tests import only what can be called: the rest may be its state."""
        self._add_names(module, [name for name, value in vars(module).items() if callable(value) and name not in _REPLACED])

    def _add_names(self, module, names):
        guard(vars(module), module)
        self.add(vars(module), kept_names(names), SHUT)
        for cls in [value for value in vars(module).values() if isinstance(value, type) and value.__module__ == module.__name__]:
            self.add_methods(cls)

    def add_methods(self, cls):
        if id(cls) in self._seen:
            return
        self._seen.add(id(cls))
        guard(cls)
        self.add(dictionary(cls), kept_names({*_names_of_functions(cls), *_SPECIAL} - _REPLACED), SHUT)

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
