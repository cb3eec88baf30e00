"""Tests that share a value of a parameter that outlives a test come one after the other, as with pytest, so that it is made but once."""
from collections import OrderedDict as _Ordered, deque as _deque

from pytest._fixtures import SCOPES

_WIDE = SCOPES[:-1]


def reordered(items):
    if not any(item.keys for item in items):
        return items
    by_item = {scope: {item: dict.fromkeys((*key[1:], id(item.cls) if scope == "class" else None) for key in item.keys if key[0] == scope) for item in items} for scope in _WIDE}
    by_key = {scope: {} for scope in _WIDE}
    for scope in _WIDE:
        for item in items:
            for key in by_item[scope][item]:
                by_key[scope].setdefault(key, _Ordered())[item] = None
    return list(_at(0, dict.fromkeys(items), by_item, by_key))


def _at(depth, items, by_item, by_key):
    if depth == len(_WIDE) or len(items) < 3:
        return items
    own, done, seen, waiting = by_item[_WIDE[depth]], {}, set(), _deque(items)
    while waiting:
        free, slicing = {}, None
        while waiting:
            item = waiting.popleft()
            if item in done or item in free:
                continue
            keys = [key for key in own[item] if key not in seen]
            if not keys:
                free[item] = None
                continue
            slicing = keys[-1]
            for one in reversed([one for one in by_key[_WIDE[depth]][slicing] if one in items]):
                waiting.appendleft(one)
                for scope in _WIDE:
                    for key in by_item[scope][one]:
                        by_key[scope][key].move_to_end(one, last=False)
            break
        done.update(_at(depth + 1, free, by_item, by_key))
        if slicing is not None:
            seen.add(slicing)
    return done
