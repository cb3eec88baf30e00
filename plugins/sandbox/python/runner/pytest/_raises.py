import re
import traceback
import warnings

from ._outcomes import Exit, Failed


class ExceptionInfo:
    """What a `raises` block caught."""

    def __init__(self, error=None):
        self._error = error

    @property
    def value(self):
        if self._error is None:
            raise AssertionError(".value can only be used after the context manager exits")
        return self._error

    @property
    def type(self):
        return type(self.value)

    @property
    def typename(self):
        return self.type.__name__

    @property
    def tb(self):
        return self.value.__traceback__

    @property
    def traceback(self):
        return traceback.extract_tb(self.tb)

    @classmethod
    def from_exception(cls, error, exprinfo=None):
        return cls(error)

    def match(self, regexp):
        _check_match(self.value, regexp)
        return True

    def errisinstance(self, kinds):
        return isinstance(self.value, kinds)

    def exconly(self, tryshort=False):
        return "".join(traceback.format_exception_only(self.value)).rstrip()

    def getrepr(self, **_):
        return "".join(traceback.format_exception(self.value)).rstrip()

    def group_contains(self, expected_exception, *, match=None, depth=None):
        return any((depth is None or at == depth) and isinstance(error, expected_exception) and (match is None or re.search(match, _text(error))) for at, error in _parts(self.value))

    def __str__(self):
        return repr(self)

    def __repr__(self):
        return f"<ExceptionInfo {self._error!r}>"

    __class_getitem__ = classmethod(lambda cls, _: cls)


def _text(error):
    said = re.sub(r" \(\d+ sub-exceptions?\)$", "", str(error)) if isinstance(error, BaseExceptionGroup) else str(error)
    return "\n".join([said, *getattr(error, "__notes__", ())])


def _parts(error, depth=1):
    """All that a group holds, and how deep it lies."""
    for part in getattr(error, "exceptions", ()):
        yield depth, part
        yield from _parts(part, depth + 1)


def _leaves(error):
    return [part for _, part in _parts(error) if not isinstance(part, BaseExceptionGroup)]


def _check_match(error, regexp):
    text = _text(error)
    if not re.search(regexp, text):
        hint = "\n  Did you mean to `re.escape()` the regex?" if getattr(regexp, "pattern", regexp) == text else ""
        raise AssertionError(f"Regex pattern did not match.\n  Expected regex: {getattr(regexp, 'pattern', regexp)!r}\n  Actual message: {text!r}{hint}")


def _name(kinds):
    return kinds.__name__ if isinstance(kinds, type) else f"({', '.join(kind.__name__ for kind in kinds)})"


class RaisesExc:
    def __init__(self, expected_exception=None, *, match=None, check=None):
        if expected_exception is None:
            if match is None and check is None:
                raise ValueError("You must specify at least one parameter to match on.")
            expected_exception = BaseException
        elif expected_exception == ():
            raise ValueError("Expected an exception type or a tuple of exception types, but got `()`")
        kinds = expected_exception if isinstance(expected_exception, tuple) else (expected_exception,)
        for kind in kinds:
            if not (isinstance(kind, type) and issubclass(kind, BaseException)):
                raise TypeError(f"Expected a BaseException type, but got {kind!r}" if isinstance(kind, type) else f"expected exception must be a BaseException type, not {type(kind).__name__}")
        self._kinds, self._match, self._check = expected_exception, match, check
        self._info = ExceptionInfo()

    def matches(self, error):
        return (isinstance(error, self._kinds) and (self._match is None or re.search(self._match, _text(error)) is not None)
                and (self._check is None or bool(self._check(error))))

    def __enter__(self):
        return self._info

    def __exit__(self, kind, error, _):
        if error is None:
            raise Failed(f"DID NOT RAISE {_name(self._kinds)}")
        if not isinstance(error, self._kinds):
            return False
        self._info._error = error
        if self._match is not None:
            _check_match(error, self._match)
        if self._check is not None and not self._check(error):
            raise AssertionError(f"the check of {error!r} did not return True")
        return True


class RaisesGroup(RaisesExc):
    """Holds where a group has exactly these, in any order."""

    def __init__(self, *expected, match=None, check=None, allow_unwrapped=False, flatten_subgroups=False):
        if not expected:
            raise TypeError("RaisesGroup needs at least one exception to expect")
        if allow_unwrapped and (len(expected) > 1 or match is not None or check is not None):
            raise ValueError("allow_unwrapped takes one exception, and no match or check of the group")
        super().__init__(BaseException if allow_unwrapped else BaseExceptionGroup, match=match, check=check)
        self._expected, self._flatten, self._is_unwrapped = expected, flatten_subgroups, allow_unwrapped

    def matches(self, error):
        if self._is_unwrapped and not isinstance(error, BaseExceptionGroup):
            return _fits(self._expected[0], error)
        found = _leaves(error) if self._flatten else list(getattr(error, "exceptions", ()))
        return isinstance(error, BaseExceptionGroup) and super().matches(error) and len(found) == len(self._expected) and _can_pair(list(self._expected), found)

    def __exit__(self, kind, error, tb):
        if error is None:
            raise Failed(f"DID NOT RAISE any exception, expected {self!r}")
        if not self.matches(error):
            if isinstance(error, (BaseExceptionGroup, Exception)):
                raise Failed(f"Raised exception did not match {self!r}: {error!r}") from error
            return False
        self._info._error = error
        return True

    def __repr__(self):
        return f"RaisesGroup({', '.join(one.__name__ if isinstance(one, type) else repr(one) for one in self._expected)})"


def _fits(expected, error):
    return expected.matches(error) if isinstance(expected, RaisesExc) else isinstance(error, expected)


def _can_pair(expected, found):
    """Whether each has one of its own, in any order."""
    if not expected:
        return True
    return any(_fits(expected[0], one) and _can_pair(expected[1:], found[:at] + found[at + 1:]) for at, one in enumerate(found))


def raises(expected_exception=None, *args, match=None, check=None, **kwargs):
    if not args:
        if kwargs:
            raise TypeError(f"Unexpected keyword arguments passed to pytest.raises: {', '.join(sorted(kwargs))}")
        return RaisesExc(expected_exception, match=match, check=check)
    function, *rest = args
    with RaisesExc(expected_exception) as info:
        function(*rest, **kwargs)
    return info


raises.Exception = Failed


class _Warns:
    def __init__(self, expected, match):
        self._expected, self._match = expected, match
        self._catcher = warnings.catch_warnings(record=True)

    def __enter__(self):
        self.list = self._catcher.__enter__()
        warnings.simplefilter("always")
        return self

    def __exit__(self, kind, error, tb):
        self._catcher.__exit__(kind, error, tb)
        if error is not None and (not isinstance(error, Exception) or isinstance(error, Exit)):
            return False
        if not any(self._fits(one) for one in self.list):
            seen = [f"{one.category.__name__}: {one.message}" for one in self.list]
            self._emit_others()
            raise Failed(f"DID NOT WARN. No warnings of type {_name(self._expected)} were emitted{'' if self._match is None else f' that match {self._match!r}'}.\n Emitted: {seen}")
        self._emit_others()
        return False

    def _emit_others(self):
        """What was not asked for is for whoever stands around."""
        for one in self.list:
            if not self._fits(one):
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno, module=__name__, source=one.source)

    def _fits(self, one):
        return issubclass(one.category, self._expected) and (self._match is None or re.search(self._match, str(one.message)))

    def __iter__(self):
        return iter(self.list)

    def __len__(self):
        return len(self.list)

    def __getitem__(self, index):
        return self.list[index]

    def pop(self, cls=Warning):
        return self.list.pop(next(index for index, one in enumerate(self.list) if issubclass(one.category, cls)))


def warns(expected_warning=Warning, *args, match=None, **kwargs):
    context = _Warns(expected_warning, match)
    if not args:
        return context
    with context:
        return args[0](*args[1:], **kwargs)


def deprecated_call(*args, match=None, **kwargs):
    return warns((DeprecationWarning, PendingDeprecationWarning, FutureWarning), *args, match=match, **kwargs)
