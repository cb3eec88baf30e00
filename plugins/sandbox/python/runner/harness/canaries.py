"""Assertions that must fail. Where one does not, the code under test has changed what assertions mean."""
import types
import unittest

import pytest

from . import rewrite


class _Case(unittest.TestCase):
    def test_fails(self):
        self.assertEqual(1, 2)

    def test_raises(self):
        raise RuntimeError

    def runTest(self):
        pass


class _Counting(unittest.TestResult):
    count = 0

    def addFailure(self, test, err):
        self.count += 1

    addError = addFailure


_ASSERTS = compile(rewrite.rewritten(__import__("ast").parse("def rewritten():\n    assert [1] == [2]\n")), "<canary>", "exec")


def _raises_nothing():
    with pytest.raises(ValueError):
        pass


def _unit_raises_nothing():
    with _Case().assertRaises(ValueError):
        pass


def _attempts():
    case = _Case()
    scope = types.ModuleType("canary")
    rewrite.equip(scope)
    exec(_ASSERTS, vars(scope))
    return (
        lambda: case.assertEqual(1, 2), lambda: case.assertEqual([1], [2]), lambda: case.assertEqual({"a": 1}, {"a": 2}), lambda: case.assertEqual("a", "b"),
        lambda: case.assertTrue(False), lambda: case.assertFalse(True), lambda: case.assertIn(1, []), lambda: case.assertIs(1, None), lambda: case.assertIsNone(1),
        lambda: case.assertAlmostEqual(1, 2), lambda: case.assertGreater(1, 2), lambda: case.assertIsInstance(1, str), lambda: case.fail(), _unit_raises_nothing,
        _raises_nothing, lambda: _check(1 == pytest.approx(2)), lambda: _check([1] == pytest.approx([2])), lambda: pytest.fail("canary"), scope.rewritten,
    )


def _check(value):
    assert value


def are_alive():
    for attempt in _attempts():
        try:
            attempt()
        except (AssertionError, pytest.fail.Exception):
            continue
        except BaseException:
            return False
        return False
    result = _Counting()
    unittest.TestSuite([_Case("test_fails"), _Case("test_raises")]).run(result)
    return result.count == 2 and len("ab") == 2 and isinstance(1, int) and not isinstance(1, str) and sorted([2, 1]) == [1, 2]
