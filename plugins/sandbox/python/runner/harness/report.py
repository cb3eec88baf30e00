"""Tells of each test as it ends: a plugin of pytest's."""
from unittest import SkipTest

import pytest
from _pytest.outcomes import Exit, Skipped, XFailed

from . import failures, limits, modules, others, threads
from .channel import tell
from .limits import LimitReached

def path_of(node):
    return str(node.path).removeprefix(f"{failures.ROOT}/")


def _name_of(item):
    """Without the packages and the file: `TestStack.test_pop`."""
    return ".".join(node.name for node in item.listchain() if isinstance(node, (pytest.Class, pytest.Item)))


class Reporter:
    def __init__(self):
        self.files = {}
        self.limit = self.ended = None
        self.parts = []

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector):
        threads.were_used = False
        try:
            with limits.limited():
                report = yield
        except (LimitReached, SystemExit) as error:
            report = pytest.CollectReport(collector.nodeid, "failed", failures.text_of(error), [])
            self.tell_problem(str(collector.path), error)
        else:
            if not report.passed:
                error = report.call.excinfo.value
                is_wrapped = isinstance(error, pytest.Collector.CollectError) and error.__cause__ is not None
                self.tell_problem(str(collector.path), error.__cause__ if is_wrapped else error, _printed(report))
        if limits.time_is_up():
            collector.session.shouldstop = "the time is up"
        return report

    def tell_problem(self, path, error, output=""):
        """Of a file that did not load."""
        problem = "load error"
        if isinstance(error, LimitReached):
            problem = error.cause
        elif isinstance(error, MemoryError):
            problem = "memory"
        elif isinstance(error, SystemExit):
            problem = "exited"
        elif isinstance(error, Skipped):
            problem = "skipped"
        lacks = modules.missing_module(error, self.files) or failures.lacking(error) or (threads.LACK if threads.were_used else None)
        message = failures.text_of(error) if problem == "skipped" else failures.message_of(error)
        tell({"type": "file", "file": path.removeprefix(f"{failures.ROOT}/"), "problem": problem, "message": message, "frame": failures.frame_of(error), "lacks": lacks, "output": output})

    def pytest_collection_finish(self, session):
        tell({"type": "collected", "tests": [[path_of(item), _name_of(item)] for item in session.items]})

    def pytest_deselected(self, items):
        tell({"type": "left out", "tests": [[path_of(item), _name_of(item)] for item in items]})

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        self.parts = []
        threads.were_used = False
        tell({"type": "begin", "file": path_of(item), "name": _name_of(item)})
        result = yield
        self._tell_test(item)
        if limits.time_is_up() or self.limit is not None:
            item.session.shouldstop = "a limit was reached"
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item):
        with limits.limited():
            return (yield)

    pytest_runtest_call = pytest_runtest_teardown = pytest_runtest_setup

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        raised = call.excinfo and call.excinfo.value  # before pytest makes one of its own of a SkipTest
        report = yield
        if call.excinfo is not None and not report.passed:
            report.told = self._told_of(call.excinfo.value, report)
            is_asked = report.skipped and isinstance(raised, (Skipped, XFailed, SkipTest))
            report.told["skipper"] = failures.frame_of(raised) if is_asked else None
        return report

    def pytest_runtest_logreport(self, report):
        self.parts.append(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo):
        if isinstance(excinfo.value, pytest.Session.Interrupted):
            return  # as it was asked to, see `shouldstop`
        how = "pytest.exit" if isinstance(excinfo.value, Exit) else type(excinfo.value).__name__
        self.ended = ("exited", f"{how} ended the run: {failures.text_of(excinfo.value)}")

    def pytest_internalerror(self, excinfo):
        self.ended = ("load error", failures.message_of(excinfo.value))

    def _told_of(self, error, report):
        told = {"frame": failures.frame_of(error), "message": failures.message_of(error), "limit": None, "lacks": None}
        if isinstance(error, LimitReached):
            told["limit"] = error.cause
            if error.cause == "output":
                self.limit = error
        elif isinstance(error, MemoryError):
            told["limit"] = "memory"
        if isinstance(error, pytest.FixtureLookupError):
            told["message"] = failures.text_of(error.msg) if error.msg else f"fixture '{error.argname}' not found"
            told["lacks"] = others.lacking(error.argname)
        if report.skipped:
            told["message"] = report.wasxfail.removeprefix("reason: ") if hasattr(report, "wasxfail") else failures.text_of(error)
        else:
            lacks = modules.missing_module(error, self.files) or failures.lacking(error) or (threads.LACK if threads.were_used else None)
            told["lacks"] = told["lacks"] or lacks
        return told

    def _tell_test(self, item):
        failed = [part for part in self.parts if part.failed]
        skipped = [part for part in self.parts if part.skipped]
        parts = failed or skipped
        tolds = [getattr(part, "told", None) or {"message": _words(part)} for part in parts]
        first = tolds[0] if tolds else {}
        messages = [f"{_subtest(part)}{told['message']}" for part, told in zip(parts, tolds)]
        tell({
            "type": "test", "file": path_of(item), "name": _name_of(item),
            "outcome": "failed" if failed else "skipped" if skipped or not self.parts else "passed",
            "durationMs": sum(part.duration for part in self.parts) * 1000,
            "message": failures.cut("\n".join(dict.fromkeys(messages))) if messages else None,
            "frame": first.get("frame") if failed else None, "skipper": first.get("skipper"),
            "limit": next((told["limit"] for told in tolds if told.get("limit")), None),
            "lacks": first.get("lacks"),
            "output": _printed(self.parts[-1]) if self.parts else "",
        })


def _words(report):
    """Of a failure that is no exception, as a strict xfail that passed."""
    return failures.cut(str(report.longrepr))


def _subtest(report):
    describe = getattr(report, "_sub_test_description", None)
    return f"{describe()} " if describe else ""


def _printed(report):
    return "".join(text for title, text in report.sections if title.startswith(("Captured stdout", "Captured stderr")))
