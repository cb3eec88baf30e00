"""`types.coroutine` makes code of code, as nobody else may: by a function that nothing it is given has a part in."""
import types

_of_any = types.coroutine
_Function, _COROUTINE, _BOTH = types.FunctionType, 0x100, 0x180


def coroutine(func):
    """Makes a coroutine function of a generator function."""
    if type(func) is not _Function or not func.__code__.co_flags & 0x20:
        return func if type(func) is _Function and func.__code__.co_flags & _BOTH else _of_any(func)
    code = func.__code__
    func.__code__ = code.replace(co_flags=code.co_flags | _COROUTINE)
    return func


def install():
    types.coroutine = coroutine
