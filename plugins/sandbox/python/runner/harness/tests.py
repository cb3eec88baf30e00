"""Runs the files of tests of a job, and reports each test as soon as it has ended."""
import os
from time import perf_counter as _now
import unittest

from pytest._config import Config
from pytest._outcomes import Skipped

from . import canaries, channel, chosen, failures, hooks, limits, modules, options, seal, threads, units, verdicts
from .items import Collector
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
            collector = Collector(path, module, conftests, self._session.options, self._session.config)
            found = collector.collect()
            suite, names = units.suite_of(module)
            alike = {id(test): collector.of_unit(test) for test in units.tests_in(suite)}
            chosen.check_marks([*found, *alike.values()], self._session.options, self._session.config.markers)
            unmet = hooks.unmet(module, conftests)
            left, others, skipped = self._left(path, found, suite, alike, names), *self._others(suite, alike, unmet is not None)
            self._seal(path, module, {item.cls for item in (*found, *alike.values())})
        except BaseException as error:
            self._tell_unloaded(path, error)
            return
        told = dict.fromkeys((*(item.full_name for item in found), *names.values(), *left))
        channel.tell({"type": "file", "file": path, "problem": None, "found": list(told), "output": streams.take()})
        if unmet is not None:
            return self._tell_apart(path, told, unmet)
        for test, reason in skipped:
            self._tell(path, names[id(test)], _now(), None, "skipped", reason)
        if others:
            self._tell_apart(path, [names[id(test)] for test in others], failures.NeedsPytest("pytest would do more for this test than unittest does", "pytest's fixtures and marks in a TestCase"))
        for name, error in left.items():
            self._tell_apart(path, [name], error)
        if any(units.tests_in(suite)):
            self._session.logs.end()
            self._run_units(path, suite, names)
        found = [item for item in found if item.full_name not in left]
        for index, item in enumerate(found):
            if self._is_over():
                break
            self._run_item(path, item, found[index + 1] if index + 1 < len(found) else None)

    def _left(self, path, found, suite, alike, names):
        """What the settings leave out, with why; it is taken out of the suite."""
        settings = self._session.options
        why = {item.full_name: chosen.left_out(item, settings) for item in found}
        for part in suite:
            why.update((names[id(test)], chosen.left_out(alike[id(test)], settings)) for test in part)
            part._tests = [test for test in part if why[names[id(test)]] is None]
        if settings.renames:
            known = {name.partition("[")[0] for name in why}
            why.update((name, chosen.apart("other names for tests")) for name in modules.texts[path].tests if name not in known)
        return {name: error for name, error in why.items() if error is not None}

    def _others(self, suite, alike, is_unmet):
        """Takes the tests out of it that unittest would run as pytest does not, and those that their marks skip, with why."""
        others, skipped = [], []
        for part in suite:
            kept = []
            for test in part:
                item = alike[id(test)]
                reason = verdicts.skip_reason(item)
                if reason is not None:
                    skipped.append((test, reason))
                else:
                    (others if is_unmet or self._session.options.filters or hooks.needs_pytest(item) else kept).append(test)
            part._tests = kept
        return others, skipped

    def _tell_apart(self, path, names, error):
        for name in names:
            self._tell(path, name, _now(), error, "failed", failures.message_of(error))

    def _loaded(self, path):
        try:
            with limits.limited():
                self._begin_logs(modules.texts[path].modules)
                conftests = self._conftests_for(path)
                return modules.load(path), conftests
        except BaseException as error:
            self._tell_unloaded(path, error)
            return None, []

    def _begin_logs(self, imported):
        """Files that are for unittest alone log as they would there."""
        if "unittest" in imported and "pytest" not in imported:
            self._session.logs.end()
        else:
            self._session.logs.begin("collect")

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
                conftest = modules.load(name)
                self._seal(name, conftest, ())
                hooks.begin(conftest, self._session.config)
                self._conftests[name] = conftest  # where it cannot begin, it cannot for any other file
        return [self._conftests[name] for name in found]

    def _seal(self, path, module, classes):
        channel.watch(seal.of_tests(module, modules.texts[path], classes))

    def _tell_unloaded(self, path, error):
        problem = "load error"
        lacks = modules.missing_module(error, self._files) or (failures.lacking(error) if isinstance(error, failures.NeedsPytest) else None)
        if isinstance(error, (Skipped, unittest.SkipTest)) and verdicts.is_own_skip(error):
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

    def _run_units(self, path, suite, names):
        waiting = {id(test): test.id() for test in units.tests_in(suite)}

        def record(test, started, errors, outcome, reason):
            waiting.pop(id(test), None)
            error = errors[0][1] if errors else None
            message = "\n".join(f"{about} {failures.message_of(one)}".strip() for about, one in errors[:20]) or reason
            self._tell(path, names[id(test)], started, error, outcome, failures.cut(message) if message else None)
            if self._is_over():
                result.stop()

        def begin(test):
            self._begin(path, names[id(test)])

        def run():
            suite.run(result)

        result = units.Result(record, begin)
        threads.were_used = False
        error = self._attempt(run, has_own_limits=True)
        result.stopTestRun()
        for about, held, reason in [*result.held, *([("", error, None)] if error is not None else [])]:
            # Of a class or module whose set-up failed, no test was run.
            affected = {} if about.startswith("tearDown") else {one: names[one] for one, id in waiting.items() if about.partition("(")[2].rstrip(")") in id}
            message = reason or f"{about} {failures.message_of(held)}".strip()
            for name in affected.values() if affected or reason else [about or "unittest"]:
                self._tell(path, name, _now(), held, "skipped" if reason else "failed", message)
            for one in affected:
                del waiting[one]

    def _run_item(self, path, item, following):
        started = _now()
        threads.were_used = False
        reason = verdicts.skip_reason(item)
        if reason is not None:
            # It may have been the last of its class or module.
            error = self._attempt(lambda: self._session.leave(following, self._is_last, item))
            self._tell(path, item.full_name, started, error, "failed" if error else "skipped", failures.message_of(error) if error else reason)
            return
        self._begin(path, item.full_name)
        error = self._attempt(Setup(item, self._session).run)
        after = self._attempt(lambda: self._session.leave(following, self._is_last, item))
        if error is not None or after is None:
            self._tell(path, item.full_name, started, *verdicts.of(item, error, self._session.options.is_strict))
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
            lacks = modules.missing_module(error, self._files) or failures.lacking(error) or hooks.lacking(error) or (threads.LACK if threads.were_used else None)
        threads.were_used = False
        limit = error.cause if isinstance(error, limits.LimitReached) else "memory" if isinstance(error, MemoryError) else None
        if limit == "output":
            self._stop_for(error)
        channel.tell({
            "type": "test", "file": path, "name": name, "outcome": outcome, "durationMs": round((_now() - started) * 1000, 2),
            "message": message, "frame": failures.frame_of(error) if error is not None else None,
            "limit": limit, "lacks": lacks, "output": streams.take(),
        })
