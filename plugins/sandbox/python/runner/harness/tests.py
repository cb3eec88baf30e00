"""Runs the tests of a job with pytest."""
import os
import sys
from pathlib import Path

from _pytest.config import Config, ConftestImportFailure, get_config
from _pytest.config.exceptions import UsageError

from . import absent_plugins, coroutines, failures, limits
from .channel import send
from .modules import ROOT
from .output import Discarded
from .reporter import Reporter

# Capturing `sys` is quicker than capturing descriptors, and `native` is the cheapest format for errors, which nobody reads.
_ARGUMENTS = [
    "-q", "--capture=sys", "--tb=native", "--continue-on-collection-errors", "--disable-plugin-autoload",
    "-p", "no:faulthandler", "-p", "no:pastebin", "-p", "no:junitxml", "-o", "cache_dir=/svc/cache",
]

_ready = []


def make_ready(count):
    """Loads pytest's own plugins ahead of the jobs, which is half of its start."""
    os.makedirs(ROOT, exist_ok=True)
    os.chdir(ROOT)
    for _ in range(count):
        config = get_config(_ARGUMENTS)
        reporter = Reporter()
        for plugin in (reporter, coroutines, absent_plugins):
            config.pluginmanager.register(plugin)
        _ready.append((config, reporter))
    os.chdir("/")


def run(job):
    config, reporter = _ready.pop()
    reporter.files = job["files"]
    sys.stdout = sys.stderr = Discarded()
    sys.argv = ["pytest", *job["tests"]]
    try:
        if job["tests"]:  # without any, pytest would search for tests
            _run(config, [*_ARGUMENTS, *job["tests"]])
    except ConftestImportFailure as failure:
        reporter.send_problem(str(failure.path), failure.cause)
    except limits.LimitReached as limit:
        reporter.stop = (limit.cause, failures.text_of(limit))
    except UsageError as error:
        reporter.stop = ("load error", failures.text_of(error))
    except BaseException as error:
        frame = failures.frame_of(error) or {"file": "conftest.py"}
        reporter.send_problem(frame["file"], error)
    cause, message = reporter.stop or (None, "")
    send({"type": "done", "cause": cause, "message": message})


def _run(config, arguments):
    """Does what `pytest.main` does after it has loaded the plugins."""
    config.invocation_params = Config.InvocationParams(args=arguments, plugins=None, dir=Path.cwd())
    try:
        with limits.limited():
            config = config.hook.pytest_cmdline_parse(pluginmanager=config.pluginmanager, args=arguments)
        config.hook.pytest_cmdline_main(config=config)
    finally:
        config._ensure_unconfigure()
