import math
from collections.abc import Collection, Mapping, Sized
from datetime import datetime, timedelta

_REL, _ABS = 1e-6, 1e-12


class approx:
    """A number, or numbers in a list or dict, give or take a little."""

    __array_ufunc__ = None
    __array_priority__ = 100
    __hash__ = None

    def __init__(self, expected, rel=None, abs=None, nan_ok=False):
        for name, tolerance in (("relative", rel), ("absolute", abs)):
            if tolerance is not None and not tolerance >= type(tolerance)(0):
                raise ValueError(f"{name} tolerance can't be negative or NaN: {tolerance}")
        if isinstance(expected, Mapping) or _is_sequence(expected):
            kind = "dictionaries" if isinstance(expected, Mapping) else "data structures"
            if any(isinstance(part, type(expected)) for part in (expected.values() if isinstance(expected, Mapping) else expected)):
                raise TypeError(f"pytest.approx() does not support nested {kind}: {expected!r}")
        elif isinstance(expected, Collection) and not isinstance(expected, (str, bytes)):
            raise TypeError(f"pytest.approx() only supports ordered sequences, but got: {expected!r}")
        self.expected, self.rel, self.abs, self.nan_ok = expected, rel, abs, nan_ok
        if isinstance(expected, (datetime, timedelta)):
            self._span(expected)

    def __eq__(self, actual):
        expected = self.expected
        if isinstance(expected, Mapping):
            return isinstance(actual, Mapping) and actual.keys() == expected.keys() and all(self._is_close(actual[key], expected[key]) for key in expected)
        if hasattr(expected, "__iter__") and isinstance(expected, Sized) and not isinstance(expected, (str, bytes)):
            if not isinstance(actual, Sized) or len(actual) != len(expected):
                return False
            return all(self._is_close(one, other) for one, other in zip(actual, expected))
        return self._is_close(actual, expected)

    def _is_close(self, actual, expected):
        if isinstance(expected, approx):
            return expected == actual
        if isinstance(expected, bool):
            return isinstance(actual, bool) and actual == expected
        if not hasattr(expected, "__sub__") or isinstance(expected, (set, frozenset)):
            return actual == expected
        if isinstance(expected, (datetime, timedelta)):
            return self._is_near(actual, expected)
        try:
            if actual == expected:
                return True
            if expected != expected or actual != actual:
                return bool(self.nan_ok and expected != expected and actual != actual)
            if math.isinf(_size(expected)) or math.isinf(_size(actual)):
                return False
            return bool(_size(expected - actual) <= self._tolerance(expected))
        except TypeError:
            return False

    def _is_near(self, actual, expected):
        span = self._span(expected)
        try:
            return bool(_size(expected - actual) <= span)
        except (TypeError, OverflowError):
            return False

    def _span(self, expected):
        """How far a time may be off, which has to be said."""
        if self.rel is not None and (isinstance(expected, datetime) or not isinstance(self.rel, (int, float))):
            raise TypeError("pytest.approx() takes a relative tolerance for a timedelta only, and as a number")
        if self.nan_ok or self.rel is None and self.abs is None or self.abs is not None and not isinstance(self.abs, timedelta):
            raise TypeError("pytest.approx() requires an explicit tolerance for datetime/timedelta comparisons, and no nan_ok: e.g. approx(expected, abs=timedelta(seconds=1))")
        return max(span for span in (self.abs, None if self.rel is None else self.rel * _size(expected)) if span is not None)

    def _tolerance(self, expected):
        absolute = type(_size(expected))(self.abs) if self.abs is not None else _like(expected, _ABS)
        if self.rel is None and self.abs is not None:
            return absolute
        return max(absolute, _like(expected, _REL if self.rel is None else self.rel) * _size(expected))

    def __ne__(self, actual):
        return not self == actual

    def __bool__(self):
        raise AssertionError("approx() is not supported in a boolean context.\nDid you mean: `assert a == approx(b)`?")

    def __repr__(self):
        expected = self.expected
        if isinstance(expected, (int, float, complex)) and not isinstance(expected, bool) and math.isfinite(abs(expected)):
            return f"{expected} ± {float(self._tolerance(expected)):.1e}"
        if isinstance(expected, (datetime, timedelta)):
            return f"{expected} ± {self._span(expected)}"
        return f"approx({expected!r})"


def _is_sequence(value):
    return hasattr(value, "__getitem__") and isinstance(value, Sized) and not isinstance(value, (str, bytes))


def _size(value):
    return abs(value)


def _like(expected, tolerance):
    """Decimals do not mix with floats."""
    kind = type(expected)
    return kind(str(tolerance)) if kind.__name__ == "Decimal" else tolerance
