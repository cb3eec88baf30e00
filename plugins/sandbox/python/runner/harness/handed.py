"""What tests hand to the code under test: a method of theirs brings its object along, and whoever runs in a loop has that loop.
What such an object inherits nobody puts into it, nor another dictionary; each of these is for `channel.watch_for_now`."""
from functools import cached_property
from types import FunctionType as _Function

_SHUT, _FREE = 0, 1  # as in `seal`
_RUN = ("_outcome", "_asyncioRunner", "_testMethodName", "_type_equality_funcs", "_cleanups", "failureException", "_task_factory", "__class__")

names_of = {}  # class -> what its objects inherit
changed = {}  # what the tests set themselves


def of_instances(*instances):
    found = [instance for instance in instances if hasattr(instance, "__dict__")]
    return {"places": [part for instance in found for part in (id(vars(instance)), id(_names(type(instance))), _SHUT)], "objects": [id(instance) for instance in found]}


def of_case(case, result):
    told = of_instances(case, result)
    told["places"] += id(case._type_equality_funcs), 0, _FREE
    return told


def _names(cls):
    if cls not in names_of:
        inherited = {name for base in cls.__mro__[:-1] for name, value in vars(base).items() if isinstance(bare(value), _Function) and not isinstance(value, cached_property)}
        names_of[cls] = dict.fromkeys(name for name in (*inherited, *_RUN) if name not in changed)
    return names_of[cls]


def bare(value):
    """The function behind an attribute of a class."""
    if isinstance(value, property):
        return value.fget
    return value.func if isinstance(value, cached_property) else getattr(value, "__func__", value)
