"""Runs unittest's kind of tests."""
import unittest
from time import perf_counter as _now

from . import channel, limits


class Result(unittest.TestResult):
    """Tells each test as soon as it has ended: `record(test, started, errors, outcome, reason)`.

    `held` keeps what became of the hooks of classes and modules: (what it was, its error, the reason of a skip)."""

    def __init__(self, record, begin):
        super().__init__()
        self._record, self._begin = record, begin
        self.held = []
        self._limit = limits.limited()
        self._limit.__enter__()  # for the hooks before the first test

    def startTest(self, test):
        super().startTest(test)
        self._begin(test)
        self._errors, self._verdict, self._reason, self._started = [], "passed", None, _now()
        self._limit.__enter__()

    def stopTest(self, test):
        self._end_limit()
        super().stopTest(test)
        self._record(test, self._started, self._errors, self._verdict, self._reason)
        self._limit.__enter__()  # for the hooks between two tests

    def _end_limit(self):
        try:
            self._limit.__exit__(None, None, None)
        except limits.LimitReached as limit:
            self._verdict = "failed"
            self._errors = [("", limit.with_traceback(self._errors[0][1].__traceback__ if self._errors else None))]

    def stopTestRun(self):
        limits.watch.is_on = False
        channel.alarm(0)

    def _failed(self, test, error, about=""):
        if test.__class__.__name__ == "_ErrorHolder":  # setUpClass, setUpModule and their like
            self.held.append((test.description, error[1], None))
            return
        self._verdict = "failed"
        self._errors.append((about, error[1]))

    def addError(self, test, err):
        self._failed(test, err)

    def addFailure(self, test, err):
        self._failed(test, err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self._failed(test, err, subtest._subDescription())

    def addSkip(self, test, reason):
        if test.__class__.__name__ == "_ErrorHolder":
            self.held.append((test.description, None, reason))
        elif hasattr(test, "_testMethodName") and self._verdict == "passed":
            self._verdict, self._reason = "skipped", reason

    def addExpectedFailure(self, test, err):
        self._verdict, self._reason = "skipped", "it failed, as it was expected to"

    def addUnexpectedSuccess(self, test):
        self._verdict, self._reason = "failed", "it passed, and was expected to fail"


def suite_of(module):
    """The TestCases that the module itself defines, or shows as its own, in their order."""
    loader = unittest.TestLoader()
    loader.sortTestMethodsUsing = None
    cases = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, unittest.TestCase)
             and value not in (unittest.TestCase, unittest.IsolatedAsyncioTestCase, unittest.FunctionTestCase) and getattr(value, "__test__", True)]
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in dict.fromkeys(cases))


def name_of(test):
    return f"{type(test).__qualname__}.{test._testMethodName}" if hasattr(test, "_testMethodName") else str(test)


def tests_in(suite):
    for part in suite:
        if isinstance(part, unittest.TestSuite):
            yield from tests_in(part)
        else:
            yield part
