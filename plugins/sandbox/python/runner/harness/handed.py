"""What tests hand to the code under test: a method of theirs brings its object along, and whoever runs in a loop has that loop.
What such an object inherits nobody puts into it; each line here is for `channel.watch_for_now`."""
from types import FunctionType as _Function

_SHUT, _FREE = 0, 1  # as in `seal`
_RUN = ("_outcome", "_asyncioRunner", "_testMethodName", "__class__")

names_of = {}  # class -> what its objects inherit


def of_instance(instance):
    cls = type(instance)
    if cls not in names_of:
        inherited = {name for base in cls.__mro__[:-1] for name, value in vars(base).items() if isinstance(bare(value), _Function)}
        names_of[cls] = dict.fromkeys((*inherited, *_RUN))
    return [id(vars(instance)), id(names_of[cls]), _SHUT] if hasattr(instance, "__dict__") else []


def of_equalities(case):
    """What counts as equal to it, by type."""
    return [id(case._type_equality_funcs), 0, _FREE]


def bare(value):
    """The function behind an attribute of a class."""
    return value.fget if isinstance(value, property) else getattr(value, "__func__", value)
