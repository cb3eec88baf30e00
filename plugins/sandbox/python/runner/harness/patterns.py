"""`re` keeps what it compiled by keys of any kind, which run code of their own when they are looked up. Here only plain ones are kept."""
import re

_LIMIT = 512

known = {}
_compile, _flag, _clear = re._compiler.compile, re.RegexFlag, re._compile_template.cache_clear


def compiled(pattern, flags):
    if isinstance(flags, _flag):
        flags = flags.value
    if type(pattern) not in (str, bytes) or type(flags) is not int:
        return _uncached(pattern, flags)
    key = type(pattern), pattern, flags
    found = known.get(key)
    if found is None:
        found = _compile(pattern, flags)
        if flags & re.DEBUG:
            return found
        if len(known) >= _LIMIT:
            del known[next(iter(known))]
        known[key] = found
    return found


def _uncached(pattern, flags):
    if isinstance(pattern, re.Pattern):
        if flags:
            raise ValueError("cannot process flags argument with a compiled pattern")
        return pattern
    if not isinstance(pattern, (str, bytes)):
        raise TypeError("first argument must be string or compiled pattern")
    return _compile(pattern, flags)


def install():
    re._compile = compiled
    re.purge = _clear
    re._cache.clear()
    re._cache2.clear()
