from collections import namedtuple
from types import FunctionType as _Function, MappingProxyType

from ._fixtures import MARKED, FixtureDef
from ._outcomes import Failed

HIDDEN_PARAM = object()
_MISSPELT = ("parameterize", "parametrise", "parameterise")


class MarkDecorator(namedtuple("MarkDecorator", ("name", "args", "kwargs"))):
    """`pytest.mark.NAME`, with what it was called with. Nobody can make another one of it."""

    __slots__ = ()

    def __new__(cls, name, args=(), kwargs=None):
        return super().__new__(cls, name, tuple(args), MappingProxyType(dict(kwargs or {})))

    @property
    def mark(self):
        return self

    @property
    def markname(self):
        return self.name

    def __call__(self, *args, **kwargs):
        if len(args) == 1 and isinstance(args[0], FixtureDef):
            raise Failed(MARKED)
        is_target = len(args) == 1 and not kwargs and (isinstance(args[0], _Function) or isinstance(args[0], type))
        if is_target and (self.name != "parametrize" or self.args or self.kwargs):
            return self._on(args[0])
        return MarkDecorator(self.name, self.args + args, {**self.kwargs, **kwargs})

    def with_args(self, *args, **kwargs):
        return MarkDecorator(self.name, self.args + args, {**self.kwargs, **kwargs})

    def _on(self, target):
        own = vars(target).get("pytestmark", [])
        target.pytestmark = [*_listed(own), self]
        return target

    def __repr__(self):
        return f"Mark(name={self.name!r}, args={self.args!r}, kwargs={self.kwargs!r})"


Mark = MarkDecorator


class MarkGenerator:
    __slots__ = ()

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError("Marker name must NOT start with underscore")
        if name in _MISSPELT:
            raise Failed(f"Unknown {name!r} mark, did you mean 'parametrize'?")
        return MarkDecorator(name)


mark = MarkGenerator()


class ParameterSet:
    def __init__(self, values, marks, id):
        self.values = values
        self.marks = _listed(marks)
        self.id = id


def param(*values, marks=(), id=None):
    return ParameterSet(values, marks, id)


def marks_of(*places):
    """Of a function, its class and its module, the nearest first."""
    found = []
    for place in places:
        if isinstance(place, type):
            for base in reversed(place.__mro__):
                found += _listed(vars(base).get("pytestmark", []))
        elif place is not None:
            found += _listed(getattr(place, "pytestmark", []))
    return found


def _listed(marks):
    return list(marks) if isinstance(marks, (list, tuple)) and not isinstance(marks, MarkDecorator) else [marks]
