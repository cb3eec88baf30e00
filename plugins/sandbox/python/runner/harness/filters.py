"""What `pytest.mark.filterwarnings` says, for as long as its test runs."""
import builtins
import contextlib
import importlib
import warnings

from pytest._outcomes import Failed

_FIELDS = 5


@contextlib.contextmanager
def of(item):
    marks = list(item.iter_markers("filterwarnings"))
    if not marks:
        yield
        return
    with warnings.catch_warnings():
        for mark in reversed(marks):  # the nearest comes last, and first in the list of filters
            for text in mark.args:
                warnings.filterwarnings(*_parsed(text))
        yield


def _parsed(text):
    fields = [field.strip() for field in text.split(":")]
    if len(fields) > _FIELDS:
        raise Failed(f"too many fields in the warning filter {text!r}: action:message:category:module:line")
    action, message, category, module, line = fields + [""] * (_FIELDS - len(fields))
    return warnings._getaction(action), message, _category(category), module, int(line or 0)


def _category(name):
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module) if module else builtins, last) if name else Warning
