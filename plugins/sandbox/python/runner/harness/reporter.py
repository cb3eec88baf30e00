"""A plugin of pytest's that reports each test as it ends."""
from unittest import SkipTest

import pytest
from _pytest.outcomes import Exit, Skipped, XFailed

from . import absent_plugins, failures, limits, threads
from .channel import send
from .limits import LimitReached
from .modules import ROOT


class Reporter:
    def __init__(self):
        self.files = {}
        self.stop = None  # why the run did not finish: a cause and a message
        self.has_reached_limit = False
        self.phases = []  # pytest's reports of the current test: set-up, call, teardown

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector):
        threads.were_used = False
        try:
            with limits.limited():
                report = yield
        except (LimitReached, SystemExit) as error:
            report = pytest.CollectReport(collector.nodeid, "failed", failures.text_of(error), [])
            self.send_problem(str(collector.path), error)
        else:
            if not report.passed:
                error = report.call.excinfo.value
                is_wrapped = isinstance(error, pytest.Collector.CollectError) and error.__cause__ is not None
                self.send_problem(str(collector.path), error.__cause__ if is_wrapped else error, _output(report))
        if limits.time_is_up():
            collector.session.shouldstop = "the time is up"
        return report

    def send_problem(self, path, error, output=""):
        """Reports a file that did not load, or that skips all its tests."""
        problem = "load error"
        if isinstance(error, LimitReached):
            problem = error.cause
        elif isinstance(error, MemoryError):
            problem = "memory"
        elif isinstance(error, SystemExit):
            problem = "exited"
        elif isinstance(error, Skipped):
            problem = "skipped"
        send({
            "type": "file", "file": path.removeprefix(f"{ROOT}/"), "problem": problem, "output": output,
            "message": failures.text_of(error) if problem == "skipped" else failures.message_of(error),
            "frame": failures.frame_of(error), "unavailable": failures.unavailable(error, self.files),
        })

    def pytest_collection_finish(self, session):
        send({"type": "collected", "tests": [[_path(item), _name(item)] for item in session.items]})

    def pytest_deselected(self, items):
        send({"type": "deselected", "tests": [[_path(item), _name(item)] for item in items]})

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        self.phases = []
        threads.were_used = False
        send({"type": "begin", "file": _path(item), "name": _name(item)})
        result = yield
        self._send_test(item)
        if limits.time_is_up() or self.has_reached_limit:
            item.session.shouldstop = "a limit was reached"
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item):
        with limits.limited():
            return (yield)

    pytest_runtest_call = pytest_runtest_teardown = pytest_runtest_setup

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        raised = call.excinfo and call.excinfo.value  # before pytest replaces a SkipTest with an exception of its own
        report = yield
        if call.excinfo is not None and not report.passed:
            report.details = self._details(call.excinfo.value, report)
            was_requested = report.skipped and isinstance(raised, (Skipped, XFailed, SkipTest))
            report.details["skippedAt"] = failures.frame_of(raised) if was_requested else None
        return report

    def pytest_runtest_logreport(self, report):
        self.phases.append(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo):
        if isinstance(excinfo.value, pytest.Session.Interrupted):
            return  # we asked for it: see `shouldstop`
        how = "pytest.exit" if isinstance(excinfo.value, Exit) else type(excinfo.value).__name__
        self.stop = ("exited", f"{how} ended the run: {failures.text_of(excinfo.value)}")

    def pytest_internalerror(self, excinfo):
        self.stop = ("load error", failures.message_of(excinfo.value))

    def _details(self, error, report):
        details = {"frame": failures.frame_of(error), "message": failures.message_of(error), "limit": None, "unavailable": None}
        if isinstance(error, LimitReached):
            details["limit"] = error.cause
            if error.cause == "output":
                self.has_reached_limit = True
                self.stop = (error.cause, failures.text_of(error))
        elif isinstance(error, MemoryError):
            details["limit"] = "memory"
        if isinstance(error, pytest.FixtureLookupError):
            details["message"] = failures.text_of(error.msg) if error.msg else f"fixture '{error.argname}' not found"
            details["unavailable"] = absent_plugins.module_of(error.argname)
        if report.skipped:
            is_xfail = hasattr(report, "wasxfail")
            details["message"] = report.wasxfail.removeprefix("reason: ") if is_xfail else failures.text_of(error)
        else:
            details["unavailable"] = details["unavailable"] or failures.unavailable(error, self.files)
        return details

    def _send_test(self, item):
        failed = [phase for phase in self.phases if phase.failed]
        skipped = [phase for phase in self.phases if phase.skipped]
        phases = failed or skipped
        # A failure without an exception, such as a strict xfail that passed, has no details.
        details = [getattr(phase, "details", None) or {"message": failures.cut(str(phase.longrepr))} for phase in phases]
        first = details[0] if details else {}
        messages = dict.fromkeys(f"{_subtest(phase)}{detail['message']}" for phase, detail in zip(phases, details))
        send({
            "type": "test", "file": _path(item), "name": _name(item),
            "outcome": "failed" if failed else "skipped" if skipped or not self.phases else "passed",
            "durationMs": sum(phase.duration for phase in self.phases) * 1000,
            "message": failures.cut("\n".join(messages)) if messages else None,
            "frame": first.get("frame") if failed else None, "skippedAt": first.get("skippedAt"),
            "limit": next((detail["limit"] for detail in details if detail.get("limit")), None),
            "unavailable": first.get("unavailable"),
            "output": _output(self.phases[-1]) if self.phases else "",
        })


def _path(node):
    return str(node.path).removeprefix(f"{ROOT}/")


def _name(item):
    """The name without packages and file: `TestStack.test_pop`."""
    return ".".join(node.name for node in item.listchain() if isinstance(node, (pytest.Class, pytest.Item)))


def _subtest(report):
    describe = getattr(report, "_sub_test_description", None)
    return f"{describe()} " if describe else ""


def _output(report):
    return "".join(text for title, text in report.sections if title.startswith(("Captured stdout", "Captured stderr")))
