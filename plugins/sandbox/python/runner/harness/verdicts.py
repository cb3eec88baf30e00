"""What became of a test of pytest's kind: what its marks say of it, and what was raised."""
import os
import unittest

from pytest._outcomes import Skipped, XFailed

from . import failures, limits, modules


def is_own_skip(error):
    """Whether the tests skip themselves. What they test may not."""
    return failures.is_from(error, modules.codes)


def skip_reason(item):
    for mark in item.iter_markers():
        if mark.name == "skip":
            return str(mark.kwargs.get("reason") or (mark.args[0] if mark.args else "unconditional skip"))
        if mark.name == "skipif":
            conditions = mark.args or (mark.kwargs.get("condition"),)
            if any(_holds(condition, item) for condition in conditions):
                return str(mark.kwargs.get("reason", "its condition holds"))
    return None


def _holds(condition, item):
    if isinstance(condition, str):
        import platform
        import sys
        return eval(condition, {"os": os, "sys": sys, "platform": platform, **vars(item.module)})
    return condition


def _expected_failure(item):
    for mark in item.iter_markers("xfail"):
        if all(_holds(condition, item) for condition in mark.args) and mark.kwargs.get("condition", True):
            return mark
    return None


def of(item, error, is_strict=False):
    """(error, outcome, message) of a test that ran."""
    if isinstance(error, (Skipped, XFailed, unittest.SkipTest)) and not is_own_skip(error):
        return error, "failed", f"the code under test skipped its test: {failures.message_of(error)}"
    if isinstance(error, (Skipped, unittest.SkipTest)):
        return None, "skipped", failures.text_of(error)
    if isinstance(error, XFailed):
        return None, "skipped", f"expected to fail: {failures.text_of(error)}"
    expected = _expected_failure(item)
    if expected is None:
        return (None, "passed", None) if error is None else (error, "failed", failures.message_of(error))
    if error is None:
        return (None, "failed", f"it passed, and was expected to fail: {expected.kwargs.get('reason', '')}") if expected.kwargs.get("strict", is_strict) else (None, "passed", None)
    kinds = expected.kwargs.get("raises", BaseException)
    if not isinstance(error, kinds) or isinstance(error, limits.LimitReached):
        return error, "failed", failures.message_of(error)
    return None, "skipped", f"expected to fail: {expected.kwargs.get('reason', '')}"
