"""What `pytest.mark.filterwarnings` says, for as long as its test runs."""
import builtins
import contextlib
import importlib
import warnings

from pytest._outcomes import Failed

_FIELDS = 5


@contextlib.contextmanager
def of(item, first=()):
    """After those of the whole run. The last one counts most, and that is the farthest mark: pytest goes through them in that order."""
    texts = [*first, *(text for mark in item.iter_markers("filterwarnings") for text in mark.args)]
    if not texts:
        yield
        return
    with warnings.catch_warnings():
        for text in texts:
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
