import contextlib
import importlib
import os
import sys
import warnings

_NOTHING = object()


class MonkeyPatch:
    """Changes that are taken back after the test."""

    def __init__(self):
        self._undo = []

    @classmethod
    @contextlib.contextmanager
    def context(cls):
        patch = cls()
        try:
            yield patch
        finally:
            patch.undo()

    def setattr(self, target, name, value=_NOTHING, raising=True):
        if value is _NOTHING:
            if not isinstance(target, str):
                raise TypeError("use setattr(target, name, value) or setattr(target, value) with target being a dotted import string")
            target, name, value = *_resolved(target, raising), name
        old = getattr(target, name, _NOTHING)
        if raising and old is _NOTHING:
            raise AttributeError(f"{target!r} has no attribute {name!r}")
        if isinstance(target, type):
            old = target.__dict__.get(name, _NOTHING)  # as it is there, not as the class shows it
        self._undo.append(lambda: _put_back(target, name, old))
        setattr(target, name, value)

    def delattr(self, target, name=_NOTHING, raising=True):
        if name is _NOTHING:
            target, name = _resolved(target, raising)
        if not hasattr(target, name):
            if raising:
                raise AttributeError(name)
            return
        old = target.__dict__.get(name, _NOTHING) if isinstance(target, type) else getattr(target, name)
        self._undo.append(lambda: _put_back(target, name, old))
        delattr(target, name)

    def setitem(self, mapping, name, value):
        old = mapping[name] if name in mapping else _NOTHING
        self._undo.append(lambda: _put_item_back(mapping, name, old))
        mapping[name] = value

    def delitem(self, mapping, name, raising=True):
        if name not in mapping:
            if raising:
                raise KeyError(name)
            return
        old = mapping[name]
        self._undo.append(lambda: _put_item_back(mapping, name, old))
        del mapping[name]

    def setenv(self, name, value, prepend=None):
        if not isinstance(value, str):
            warnings.warn(f"Value of environment variable {name} type should be str, but got {value!r}", stacklevel=2)
            value = str(value)
        if prepend and name in os.environ:
            value = value + prepend + os.environ[name]
        self.setitem(os.environ, name, value)

    def delenv(self, name, raising=True):
        self.delitem(os.environ, name, raising)

    def syspath_prepend(self, path):
        before = sys.path[:]
        self._undo.append(lambda: sys.path.__setitem__(slice(None), before))
        sys.path.insert(0, str(path))
        importlib.invalidate_caches()

    def chdir(self, path):
        before = os.getcwd()
        self._undo.append(lambda: os.chdir(before))
        os.chdir(path)

    def undo(self):
        while self._undo:
            self._undo.pop()()


def _put_back(target, name, old):
    if old is not _NOTHING:
        setattr(target, name, old)
    elif name in getattr(target, "__dict__", {name: None}):
        delattr(target, name)


def _put_item_back(mapping, name, old):
    if old is _NOTHING:
        mapping.pop(name, None)
    else:
        mapping[name] = old


def _resolved(path, raising):
    """The object that holds the last name of a dotted path, and that name."""
    holder, _, name = path.rpartition(".")
    if not holder:
        raise TypeError(f"must be absolute import path string, not {path!r}")
    parts = holder.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:count]))
        except ImportError as error:
            if count == 1:
                raise
            continue
        for part in parts[count:]:
            found = getattr(found, part)
        return found, name
