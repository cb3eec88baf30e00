"""The part of ctypes that programs use for numbers of a fixed width and for raw arrays. The rest of it is pointers: from one of
them all memory is in reach, and in it whatever reports."""
import operator
import struct
import sys
from types import ModuleType as _Module

# As on the systems that programs are written for, where a long has 64 bits.
_INTEGERS = {"c_byte": "b", "c_short": "h", "c_int": "i", "c_long": "q"}
_SAME = {"c_int8": "c_byte", "c_int16": "c_short", "c_int32": "c_int", "c_int64": "c_long", "c_longlong": "c_long", "c_ssize_t": "c_long", "c_uint8": "c_ubyte", "c_uint16": "c_ushort",
         "c_uint32": "c_uint", "c_uint64": "c_ulong", "c_ulonglong": "c_ulong", "c_size_t": "c_ulong"}
_EMPTY = object()


class _Kind(type):
    def __mul__(cls, length):
        if not isinstance(length, int):
            raise TypeError(f"can't multiply sequence by non-int of type {type(length).__name__!r}")
        if length < 0:
            raise ValueError(f"Array length must be >= 0, not {length}")
        return _Kind(f"{cls.__name__}_Array_{length}", (_Array,), {"_type_": cls, "_length_": length})

    __rmul__ = __mul__


class _Simple(metaclass=_Kind):
    _format = ""

    def __init__(self, value=0):
        self.value = value

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, value):
        self._value = self._held(value)

    @classmethod
    def _held(cls, value):
        size = struct.calcsize(cls._format)
        return int.from_bytes((operator.index(value) % (1 << 8 * size)).to_bytes(size, "little"), "little", signed=cls._format.islower())

    def __bool__(self):
        return bool(self.value)

    def __repr__(self):
        return f"{type(self).__name__}({self.value!r})"


class _Real(_Simple):
    @classmethod
    def _held(cls, value):
        return struct.unpack(cls._format, struct.pack(cls._format, value))[0]


class c_bool(_Simple):
    _format = "?"

    @classmethod
    def _held(cls, value):
        return bool(value)


class py_object(_Simple):
    _format = "q"

    def __init__(self, value=_EMPTY):
        self.value = value

    @classmethod
    def _held(cls, value):
        return value

    @property
    def value(self):
        if self._value is _EMPTY:
            raise ValueError("PyObject is NULL")
        return self._value

    @value.setter
    def value(self, value):
        self._value = value


class _Array(metaclass=_Kind):
    def __init__(self, *values):
        if len(values) > self._length_:
            raise IndexError("invalid index")
        self._items = [*map(self._held, values), *(self._zero() for _ in range(self._length_ - len(values)))]

    def _zero(self):
        if self._type_ is py_object:
            return _EMPTY
        return self._type_() if issubclass(self._type_, _Array) else self._type_().value

    def _held(self, value):
        if isinstance(value, self._type_):
            return value.value if isinstance(value, _Simple) else value
        if issubclass(self._type_, _Array):
            raise TypeError(f"expected {self._type_.__name__} instance, got {type(value).__name__}")
        return self._type_(value).value

    def __len__(self):
        return self._length_

    def __getitem__(self, index):
        try:
            found = self._items[index]
        except IndexError:
            raise IndexError("invalid index") from None
        if found is _EMPTY:
            raise ValueError("PyObject is NULL")
        return found

    def __setitem__(self, index, value):
        if isinstance(index, slice):
            values = [self._held(one) for one in value]
            if len(values) != len(self._items[index]):
                raise ValueError("Can only assign sequence of same size")
            self._items[index] = values
        else:
            try:
                self._items[index] = self._held(value)
            except IndexError:
                raise IndexError("invalid index") from None

    def __iter__(self):
        return (self[at] for at in range(len(self)))


def sizeof(thing):
    kind = thing if isinstance(thing, type) else type(thing)
    return kind._length_ * sizeof(kind._type_) if issubclass(kind, _Array) else struct.calcsize(kind._format)


def _lack(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise ModuleNotFoundError(f"ctypes.{name} is not available here", name="ctypes")


def install():
    module = _Module("ctypes", "Numbers of a fixed width, and arrays.")
    kinds = {"c_bool": c_bool, "py_object": py_object, "sizeof": sizeof, "Array": _Array, "_SimpleCData": _Simple, "__getattr__": _lack}
    for name, code in _INTEGERS.items():
        for kind, letter in ((name, code), (name.replace("_", "_u"), code.upper())):
            kinds[kind] = _Kind(kind, (_Simple,), {"_format": letter, "__module__": __name__})
    for name, code in (("c_float", "f"), ("c_double", "d")):
        kinds[name] = _Kind(name, (_Real,), {"_format": code, "__module__": __name__})
    kinds.update((name, kinds[known]) for name, known in _SAME.items())
    vars(module).update(kinds)
    for name in [name for name in sys.modules if name.partition(".")[0] in ("ctypes", "_ctypes")]:
        del sys.modules[name]
    sys.modules["ctypes"] = module
