"""The values that tests are given in turn: those of `parametrize`, and those of fixtures that have several."""
import enum
import re
from collections import Counter
from types import GeneratorType as _Generator

from pytest._fixtures import SCOPES
from pytest._marks import HIDDEN_PARAM, MarkDecorator, ParameterSet
from pytest._outcomes import Failed


class Choice:
    """One value, or set of values, for some of a test's parameters."""

    def __init__(self, direct, indirect, id, marks, index, scope):
        self.direct, self.indirect, self.id, self.marks = direct, indirect, id, marks
        self.keys = [] if scope == "function" else [(scope, name, index) for name in (*direct, *indirect)]


def of_mark(mark, method, fixtures):
    names, values = _parametrized(method, *mark.args, **{key: value for key, value in mark.kwargs.items() if key in ("argnames", "argvalues")})
    ids, indirect = mark.kwargs.get("ids"), mark.kwargs.get("indirect", False)
    if isinstance(ids, _Generator) or isinstance(ids, (map, filter, zip)):
        ids = list(ids)
    if ids is not None and not callable(ids) and values and len(ids) != len(values):
        raise Failed(f"In {method}: {len(values)} parameter sets specified, with different number of ids: {len(ids)}")
    through = set(names) if indirect is True else set(indirect or ())
    scope = mark.kwargs.get("scope") or _narrowest(names, through, fixtures)
    if not values:
        from pytest import mark as marks
        return [Choice(dict.fromkeys(names), {}, "NOTSET", [marks.skip(reason="got empty parameter set")], 0, scope)]
    pairs = [list(zip(names, entry.values)) for entry in values]
    made = _told_apart([_id_of(entry, pairs[index], ids, index) for index, entry in enumerate(values)], method)
    return [Choice({name: one for name, one in pairs[index] if name not in through}, {name: one for name, one in pairs[index] if name in through}, made[index], entry.marks, index, scope)
            for index, entry in enumerate(values)]


def of_fixture(definition, name):
    entries = [value if isinstance(value, ParameterSet) else ParameterSet((value,), [], None) for value in definition.params]
    made = _told_apart([_id_of(entry, [(name, entry.values[0])], definition.ids, index) for index, entry in enumerate(entries)], name)
    return [Choice({}, {name: entry.values[0]}, made[index], entry.marks, index, definition.scope) for index, entry in enumerate(entries)]


def direct_names(marks):
    """Those whose fixtures have no part in it."""
    return {name for mark in marks if mark.name == "parametrize" and not mark.kwargs.get("indirect", False) for name in _names(mark.args[0] if mark.args else mark.kwargs.get("argnames", ""))}


def _names(argnames):
    return [name.strip() for name in argnames.split(",") if name.strip()] if isinstance(argnames, str) else list(argnames)


def _parametrized(method, argnames, argvalues, *_):
    """A value stands for itself where its name is a text. In a list of names, and with a comma after it, even a single one has tuples."""
    names = _names(argnames)
    is_single = isinstance(argnames, str) and len(names) == 1 and not argnames.rstrip().endswith(",")
    entries = []
    for index, value in enumerate(argvalues):
        try:
            entry = value if isinstance(value, ParameterSet) else ParameterSet((value,) if is_single else tuple(value), [], None)
        except TypeError:
            raise Failed(f"In {method}: parametrize names its arguments in a list ({', '.join(names)}), so that each entry is a list of values, but entry {index} is {value!r}") from None
        if len(entry.values) != len(names):
            raise Failed(f"In {method}: parametrize names {len(names)} arguments ({', '.join(names)}), but entry {index} has {len(entry.values)}: {entry.values!r}")
        entries.append(entry)
    return names, entries


def _narrowest(names, through, fixtures):
    scopes = [fixtures[name][-1].scope if name in through and name in fixtures else "function" for name in names]
    return max(scopes, key=SCOPES.index, default="function")


def _id_of(entry, pairs, ids, index):
    if entry.id is not None:
        return entry.id if entry.id is HIDDEN_PARAM else str(entry.id)
    if ids is not None and not callable(ids) and index < len(ids) and ids[index] is not None:
        return ids[index] if ids[index] is HIDDEN_PARAM else str(ids[index])
    return "-".join(_id_of_value(name, value, ids, index) for name, value in pairs)


def _id_of_value(name, value, ids, index):
    made = ids(value) if callable(ids) else None
    id = None if made is None else _plain_id(made)
    id = _plain_id(value) if id is None else id
    return f"{name}{index}" if id is None else id


def _plain_id(value):
    if isinstance(value, str):
        return value.encode("unicode_escape").decode() if value.isascii() or not value.isprintable() else value
    if value is None or isinstance(value, (bool, int, float, complex, enum.Enum)):
        return str(value)
    if isinstance(value, bytes):
        return value.decode("ascii", "backslashreplace")
    if isinstance(value, re.Pattern):
        return _plain_id(value.pattern)
    name = getattr(value, "__name__", None)
    return name if isinstance(name, str) else None


def _told_apart(ids, method):
    """Those that there are twice are numbered, as pytest does: not into one that is there already."""
    if ids.count(HIDDEN_PARAM) > 1:
        raise Failed(f"In {method}: multiple instances of HIDDEN_PARAM cannot be used in the same parametrize call")
    counts, numbers = Counter(ids), {}
    known = set(counts)
    if len(known) == len(ids):
        return ids
    told = list(ids)
    for index, id in enumerate(ids):
        if counts[id] == 1:
            continue
        between = "_" if id[-1:].isdigit() else ""
        number = numbers.get(id, 0)
        while f"{id}{between}{number}" in known:
            number += 1
        told[index], numbers[id] = f"{id}{between}{number}", number + 1
        known.add(told[index])
    return told
