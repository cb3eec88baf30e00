"""Who calls whom on the way to a report, from the way in on: the worker compares it with what stands on the interpreter's stack,
so that nobody else's report is one. Code under test stands in between as soon as it has a part in the call."""
import unittest
from unittest import IsolatedAsyncioTestCase, TestCase
from unittest.suite import BaseTestSuite, TestSuite

from . import calls, channel, handed, modules, session, tests, units
from .failures import all_codes
from .limits import limited

# What the files of tests themselves hold, which may have a way of its own to run a test.
TESTS = 1
_NOBODY, _ANYBODY = 0, 2


def _within(function, name):
    return next(constant for constant in function.__code__.co_consts if getattr(constant, "co_name", None) == name)


def of_harness(way_in):
    """Each as [group, code, globals, the groups that may have called it]."""
    run = tests.Run
    begin, record, all_units = (_within(run._run_units, name) for name in ("begin", "record", "run"))
    chains = (
        (channel.tell, (run.all, run._run_file, run._tell_unloaded, run._begin, run._tell, calls.evaluate)),
        (channel.watch, (run._seal,)),
        (channel.watch_for_now, (handed.watch, handed.watch_case)),
        (channel.returned, (session.Setup.run, units.noted)),
        (run._begin, (run._run_item, begin)),
        (run._tell, (run._run_file, run._run_item, run._run_units, run._tell_apart, run._end, record)),
        (run._tell_apart, (run._run_file,)),
        (run._end, (run.all,)),
        (run._tell_unloaded, (run._run_file, run._loaded)),
        (run._loaded, (run._run_file,)),
        (run._conftests_for, (run._loaded,)),
        (run._seal, (run._run_file, run._conftests_for)),
        (handed.watch, (_ANYBODY,)),
        (handed.watch_case, (_ANYBODY,)),
        (channel.alarm, (limited.__enter__, limited.__exit__, units.Result.stopTestRun)),
        (limited.__enter__, (units.Result.__init__, units.Result.startTest, units.Result.stopTest, run._attempt, run._loaded, calls._evaluate_one)),
        (limited.__exit__, (units.Result._end_limit, run._attempt, run._loaded, calls._evaluate_one)),
        (units.Result._end_limit, (units.Result.stopTest,)),
        (units.Result.__init__, (run._run_units,)),
        (units.Result.stopTestRun, (run._run_units,)),
        (calls._evaluate_one, (calls.evaluate,)),
        (begin, (units.Result.startTest,)),
        (record, (units.Result.stopTest,)),
        (units.Result.startTest, (TestCase.run,)),
        (units.Result.stopTest, (TestCase.run,)),
        (units.noted, (TestCase.run,)),
        (TestCase.run, (IsolatedAsyncioTestCase.run, TestCase.__call__, TESTS)),
        (IsolatedAsyncioTestCase.run, (TestCase.__call__, TESTS)),
        (TestCase.__call__, (TestSuite.run, TESTS)),
        (TestSuite.run, (BaseTestSuite.__call__, all_units)),
        (BaseTestSuite.__call__, (TestSuite.run,)),
        (all_units, (run._attempt,)),
        (session.Setup.run, (run._attempt,)),
        (run._attempt, (run._run_units, run._run_item, run._end)),
        (run._run_item, (run._run_file,)),
        (run._run_units, (run._run_file,)),
        (run._run_file, (run.all,)),
        (run.all, (way_in,)),
        (calls.evaluate, (way_in,)),
        (way_in, (_NOBODY,)),
    )
    return {
        "orders": [["t", id(channel.tell.__code__)], ["y", id(channel.returned.__code__)], ["a", id(channel.alarm.__code__)], ["w", id(channel.watch.__code__)], ["n", id(channel.watch_for_now.__code__)]],
        "callers": [[_group(called), _group(called), _globals_of(called), [_group(caller) for caller in by]] for called, by in chains],
    }


def of_files():
    by = [id(function.__code__) for function in (TestCase.__call__, TestSuite.run)]
    return [[TESTS, id(code), 0, [TESTS, *by]] for whole in modules.codes.values() for code in all_codes(whole)]


def _group(called):
    return called if isinstance(called, int) else id(getattr(called, "__code__", called))


def _globals_of(called):
    if hasattr(called, "__globals__"):
        return id(called.__globals__)
    return id(vars(units if called is units.noted else tests))
