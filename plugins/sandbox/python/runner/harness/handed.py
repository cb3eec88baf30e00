"""What tests hand to the code under test: a method of theirs brings its object along, and whoever runs in a loop has that loop.
What such an object inherits nobody puts into it, nor another dictionary, until the next test is told of."""
from functools import cached_property
from types import FunctionType as _Function

from . import channel

# How the names that come with a dictionary are meant, as in `guard.mjs`: they are shut, all but they are, they keep their values;
# a test's own table, which only `addTypeEqualityFunc` fills; they are shut but for those that stand in the texts of the tests;
# they are shut, and what was there comes back when an object is emptied and filled again.
SHUT, FREE, KEPT, TABLE, LOOSE, OWN = 0, 1, 2, 3, 4, 5
_RUN = ("_outcome", "_asyncioRunner", "_testMethodName", "_type_equality_funcs", "_cleanups", "failureException", "_task_factory", "__class__")

names_of = {}  # id of a class -> it, and what its objects inherit: what a class is equal to is its own to say
changed = {}  # what the tests set themselves


def watch(*instances):
    """Nothing but this has these watched, in its own frame, whoever calls it: what is watched are real dictionaries."""
    channel.watch_for_now(_told(*instances))


def watch_case(case, result):
    channel.watch_for_now(_told_of_case(case, result))


def _told(*instances):
    found = [instance for instance in instances if hasattr(instance, "__dict__")]
    return {"places": [part for instance in found for part in (id(vars(instance)), id(_names(type(instance))), OWN)], "objects": [id(instance) for instance in found]}


def _told_of_case(case, result):
    told = _told(case, result)
    told["places"] += id(case._type_equality_funcs), 0, TABLE
    return told


def _names(cls):
    if id(cls) not in names_of:
        inherited = [name for name, value in functions_of(cls) if not isinstance(value, cached_property)]
        names_of[id(cls)] = cls, dict.fromkeys(name for name in (*inherited, *_RUN) if name not in changed)
    return names_of[id(cls)][1]


def functions_of(cls):
    """The functions that a class has or inherits: (name, attribute)."""
    return ((name, value) for base in cls.__mro__[:-1] for name, value in vars(base).items() if isinstance(bare(value), _Function))


def bare(value):
    """The function behind an attribute of a class."""
    if isinstance(value, property):
        return value.fget
    return value.func if isinstance(value, cached_property) else getattr(value, "__func__", value)
