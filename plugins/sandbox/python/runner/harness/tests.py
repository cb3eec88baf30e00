"""Runs the files of tests of a job, and reports each test as soon as it has ended."""
import os
from time import perf_counter as _now
import unittest

from pytest._outcomes import Skipped, XFailed

from . import canaries, channel, failures, items, limits, modules, options, seal, threads, units
from .output import streams
from .session import Session, Setup


class Run:
    def __init__(self, job):
        self._files, self._tests = job["files"], job["tests"]
        self._session = Session(options.read(self._files))
        self._conftests = {}
        self._limit = None
        self._is_last = False

    def all(self):
        for index, path in enumerate(self._tests):
            if self._is_over():
                break
            self._is_last = index + 1 == len(self._tests)
            self._run_file(path)
        if self._session.is_open and not self._is_over():
            self._end(self._tests[-1])
        channel.tell({"type": "done", "alive": canaries.are_alive(), "limit": self._limit})

    def _end(self, path):
        """What the last file did not take down, since it had no such test."""
        started = _now()
        error = self._attempt(lambda: self._session.leave(None))
        if error is not None:
            self._tell(path, "the end of the session", started, error, "failed", f"after the tests: {failures.message_of(error)}")

    def _is_over(self):
        if self._limit is None and limits.time_is_up():
            self._limit = {"cause": "time", "message": "the time for the whole run was used up"}
        return self._limit is not None

    def _run_file(self, path):
        module, conftests = self._loaded(path)
        if module is None:
            return
        try:
            found = items.collect(module, conftests)
            suite = units.suite_of(module)
            names = [item.full_name for item in found] + [units.name_of(test) for test in units.tests_in(suite)]
            hook = items.hooks_in(module, conftests)
            others, skipped = self._others(suite, module, conftests, hook is not None)
            self._seal(path, module, {item.cls for item in found} | {type(test) for test in [*units.tests_in(suite), *others, *(test for test, _ in skipped)]})
        except BaseException as error:
            self._tell_unloaded(path, error)
            return
        channel.tell({"type": "file", "file": path, "problem": None, "found": names, "output": streams.take()})
        if hook is not None:
            return self._tell_apart(path, names, failures.NeedsPytest(f"pytest would call {hook}", "pytest's hooks and plugins"))
        for test, reason in skipped:
            self._tell(path, units.name_of(test), _now(), None, "skipped", reason)
        if others:
            self._tell_apart(path, map(units.name_of, others), failures.NeedsPytest("pytest would do more for this test than unittest does", "pytest's fixtures and marks in a TestCase"))
        if any(units.tests_in(suite)):
            self._run_units(path, suite)
        for index, item in enumerate(found):
            if self._is_over():
                break
            self._run_item(path, item, found[index + 1] if index + 1 < len(found) else None)

    def _others(self, suite, module, conftests, has_hook):
        """Takes the tests out of it that unittest would run as pytest does not, and those that their marks skip, with why."""
        others, skipped = [], []
        for part in suite:
            kept = []
            for test in part:
                item = items.of_unit(test, module, conftests)
                reason = _skip_reason(item)
                if reason is not None:
                    skipped.append((test, reason))
                else:
                    (others if has_hook or self._session.options.filters or items.needs_pytest(item) else kept).append(test)
            part._tests = kept
        return others, skipped

    def _tell_apart(self, path, names, error):
        for name in names:
            self._tell(path, name, _now(), error, "failed", failures.message_of(error))

    def _loaded(self, path):
        try:
            with limits.limited():
                conftests = self._conftests_for(path)
                return modules.load(path), conftests
        except BaseException as error:
            self._tell_unloaded(path, error)
            return None, []

    def _conftests_for(self, path):
        """Those of its folder and of all above it, the outermost first."""
        folders, folder = [""], ""
        for part in os.path.dirname(path).split("/"):
            if part:
                folder = f"{folder}{part}/"
                folders.append(folder)
        found = [f"{folder}conftest.py" for folder in folders if f"{folder}conftest.py" in self._files]
        for name in found:
            if name not in self._conftests:
                self._conftests[name] = modules.load(name)
                self._seal(name, self._conftests[name], ())
        return [self._conftests[name] for name in found]

    def _seal(self, path, module, classes):
        channel.watch(seal.of_tests(module, modules.texts[path], classes))

    def _tell_unloaded(self, path, error):
        problem = "load error"
        lacks = modules.missing_module(error, self._files)
        if isinstance(error, (Skipped, unittest.SkipTest)) and _is_own_skip(error):
            problem = "skipped"
        elif isinstance(error, limits.LimitReached):
            problem = error.cause
            self._stop_for(error)
        elif isinstance(error, SystemExit):
            problem = "exited"
        message = failures.text_of(error) if problem == "skipped" else failures.message_of(error)
        channel.tell({"type": "file", "file": path, "problem": problem, "message": message, "frame": failures.frame_of(error), "lacks": lacks, "output": streams.take()})

    def _stop_for(self, error):
        """What was printed too much stays too much."""
        if error.cause == "output":
            self._limit = {"cause": error.cause, "message": failures.text_of(error)}

    def _run_units(self, path, suite):
        names = {test.id(): units.name_of(test) for test in units.tests_in(suite)}

        def record(test, started, errors, outcome, reason):
            names.pop(test.id(), None)
            error = errors[0][1] if errors else None
            message = "\n".join(f"{about} {failures.message_of(one)}".strip() for about, one in errors[:20]) or reason
            self._tell(path, units.name_of(test), started, error, outcome, failures.cut(message) if message else None)
            if self._is_over():
                result.stop()

        def begin(test):
            self._begin(path, units.name_of(test))

        def run():
            suite.run(result)

        result = units.Result(record, begin)
        threads.were_used = False
        error = self._attempt(run, has_own_limits=True)
        result.stopTestRun()
        for about, held, reason in [*result.held, *([("", error, None)] if error is not None else [])]:
            # Of a class or module whose set-up failed, no test was run.
            affected = {} if about.startswith("tearDown") else {id: name for id, name in names.items() if about.partition("(")[2].rstrip(")") in id}
            message = reason or f"{about} {failures.message_of(held)}".strip()
            for name in affected.values() if affected or reason else [about or "unittest"]:
                self._tell(path, name, _now(), held, "skipped" if reason else "failed", message)
            for id in affected:
                del names[id]

    def _run_item(self, path, item, following):
        started = _now()
        threads.were_used = False
        reason = _skip_reason(item)
        if reason is not None:
            # It may have been the last of its class or module.
            error = self._attempt(lambda: self._session.leave(following, self._is_last, item))
            self._tell(path, item.full_name, started, error, "failed" if error else "skipped", failures.message_of(error) if error else reason)
            return
        self._begin(path, item.full_name)
        error = self._attempt(Setup(item, self._session).run)
        after = self._attempt(lambda: self._session.leave(following, self._is_last, item))
        if error is not None or after is None:
            self._tell(path, item.full_name, started, *_verdict(item, error, self._session.options.is_strict))
        else:
            self._tell(path, item.full_name, started, after, "failed", f"after the test: {failures.message_of(after)}")

    def _begin(self, path, name):
        channel.tell({"type": "begin", "file": path, "name": name})

    def _attempt(self, work, has_own_limits=False):
        try:
            if has_own_limits:
                work()
            else:
                with limits.limited():
                    work()
        except BaseException as error:
            channel.raised()
            return error
        return None

    def _tell(self, path, name, started, error, outcome, message):
        lacks = None
        if outcome == "failed" and error is not None:
            lacks = modules.missing_module(error, self._files) or failures.lacking(error) or (threads.LACK if threads.were_used else None)
        threads.were_used = False
        limit = error.cause if isinstance(error, limits.LimitReached) else "memory" if isinstance(error, MemoryError) else None
        if limit == "output":
            self._stop_for(error)
        channel.tell({
            "type": "test", "file": path, "name": name, "outcome": outcome, "durationMs": round((_now() - started) * 1000, 2),
            "message": message, "frame": failures.frame_of(error) if error is not None else None,
            "limit": limit, "lacks": lacks, "output": streams.take(),
        })


def _is_own_skip(error):
    """Whether the tests skip themselves. What they test may not."""
    return failures.is_from(error, modules.codes)


def _skip_reason(item):
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


def _verdict(item, error, is_strict=False):
    """(error, outcome, message) of a test that ran."""
    if isinstance(error, (Skipped, XFailed, unittest.SkipTest)) and not _is_own_skip(error):
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
