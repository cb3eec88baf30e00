"""Runs unittest's kind of tests."""
import contextlib
import unittest
from time import perf_counter as _now
from unittest.suite import _ErrorHolder

from . import channel, failures, handed, limits, loop, modules

_running = _holder = 0  # the addresses of the test that runs and of its result: themselves they would be in everybody's hands


def _noting(call, is_test=False):
    """Tells the worker what comes out of a part of a test, before anything that keeps it does: objects of unittest are within
    reach of whoever is handed a method of a test."""
    def noting(self, /, *arguments, **named):
        if id(self) != _running:  # a test may run tests of its own
            return call(self, *arguments, **named)
        handed.watch(self._outcome, getattr(self, "_asyncioRunner", None))
        try:
            result = call(self, *arguments, **named)
        except BaseException as error:
            channel.raised()
            if isinstance(error, unittest.SkipTest) and not failures.is_from(error, modules.codes):
                raise AssertionError(f"the code under test skipped its test: {error}") from error
            raise
        if is_test:
            loop.check()
            channel.returned()
        return result
    return noting


def _noting_subtest(subtest):
    @contextlib.contextmanager
    def subTest(self, *arguments, **params):
        with subtest(self, *arguments, **params):
            try:
                yield
            except BaseException:
                if id(self) == _running:
                    channel.raised()
                raise
    return subTest


def _add_type_equality_func(self, typeobj, function):
    """As unittest does, but into a real table only, and by no hash of anybody's own: both would run as this."""
    table = self._type_equality_funcs
    if type(table) is not dict or type(typeobj).__hash__ is not type.__hash__:
        raise TypeError("type equality functions are kept in a dict, by plain classes")
    table[typeobj] = function


noted = _noting(None).__code__


def install():
    for case in (unittest.TestCase, unittest.IsolatedAsyncioTestCase):
        for name in ("_callSetUp", "_callTestMethod", "_callTearDown", "_callCleanup"):
            setattr(case, name, _noting(vars(case)[name], name == "_callTestMethod"))
    unittest.TestCase.addTypeEqualityFunc = _add_type_equality_func
    unittest.TestCase.subTest = _noting_subtest(unittest.TestCase.subTest)


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
        global _running, _holder
        if _running:
            channel.tell_door()  # one at a time
        _running, _holder = id(test), id(self)
        super().startTest(test)
        self._begin(test)
        self._errors, self._verdict, self._reason, self._started = [], "passed", None, _now()
        handed.watch_case(test, self)
        self._limit.__enter__()

    def stopTest(self, test):
        global _running
        if (id(test), id(self)) != (_running, _holder):
            channel.tell_door()
        self._end_limit()
        _running = 0
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
        if type(test) is _ErrorHolder:  # setUpClass, setUpModule and their like
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
        if type(test) is _ErrorHolder:
            self.held.append((test.description, None, reason))
        elif hasattr(test, "_testMethodName") and self._verdict == "passed":
            self._verdict, self._reason = "skipped", reason

    def addExpectedFailure(self, test, err):
        self._verdict, self._reason = "skipped", "it failed, as it was expected to"

    def addUnexpectedSuccess(self, test):
        self._verdict, self._reason = "failed", "it passed, and was expected to fail"


def suite_of(module):
    """The TestCases that the module itself defines, or shows as its own, in their order; and how each test is called there, by its address."""
    loader = unittest.TestLoader()
    loader.sortTestMethodsUsing = None
    suites, names = [], {}
    for name, value in vars(module).items():
        if (isinstance(value, type) and issubclass(value, unittest.TestCase) and value not in (unittest.TestCase, unittest.IsolatedAsyncioTestCase, unittest.FunctionTestCase)
                and getattr(value, "__test__", True)):
            suites.append(loader.loadTestsFromTestCase(value))
            names.update((id(test), f"{name}.{test._testMethodName}") for test in suites[-1])
    return unittest.TestSuite(suites), names


def tests_in(suite):
    for part in suite:
        if isinstance(part, unittest.TestSuite):
            yield from tests_in(part)
        else:
            yield part
