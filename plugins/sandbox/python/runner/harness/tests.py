"""Has pytest run the tests of a job."""
import os
import sys
from pathlib import Path

from _pytest.config import Config, ConftestImportFailure, get_config
from _pytest.config.exceptions import UsageError

from . import coroutines, failures, limits, others
from .channel import tell
from .output import Unheard
from .report import Reporter

# It captures `sys` rather than descriptors, whose files cost time; `native` is the cheapest way of showing an error that nobody reads.
_ARGUMENTS = ["-q", "--capture=sys", "--tb=native", "--continue-on-collection-errors", "--disable-plugin-autoload", "-p", "no:faulthandler", "-p", "no:pastebin", "-p", "no:junitxml",
              "-o", "cache_dir=/svc/cache"]

_configs = []


def make_ready(count):
    """Has pytest load its own plugins ahead of the jobs, which is half of its start."""
    os.makedirs(failures.ROOT, exist_ok=True)
    os.chdir(failures.ROOT)
    for _ in range(count):
        config = get_config(_ARGUMENTS)
        reporter = Reporter()
        for plugin in (reporter, coroutines, others):
            config.pluginmanager.register(plugin)
        _configs.append((config, reporter))
    os.chdir("/")


def run(job):
    config, reporter = _configs.pop()
    reporter.files = job["files"]
    sys.stdout = sys.stderr = Unheard()
    sys.argv = ["pytest", *job["tests"]]
    try:
        if job["tests"]:  # without any, pytest looks for some
            _run(config, [*_ARGUMENTS, *job["tests"]])
    except ConftestImportFailure as failure:
        reporter.tell_problem(str(failure.path), failure.cause)
    except limits.LimitReached as limit:
        reporter.limit = limit
    except UsageError as error:
        reporter.ended = ("usage", failures.text_of(error))
    except BaseException as error:
        frame = failures.frame_of(error) or {"file": "conftest.py"}
        reporter.tell_problem(frame["file"], error)
    limit = reporter.limit
    tell({"type": "done", "limit": limit and {"cause": limit.cause, "message": failures.text_of(limit)}, "ended": reporter.ended and {"how": reporter.ended[0], "message": reporter.ended[1]}})


def _run(config, arguments):
    """As `pytest.main` does, from where the plugins are there."""
    config.invocation_params = Config.InvocationParams(args=arguments, plugins=None, dir=Path.cwd())
    try:
        with limits.limited():
            config = config.hook.pytest_cmdline_parse(pluginmanager=config.pluginmanager, args=arguments)
        config.hook.pytest_cmdline_main(config=config)
    finally:
        config._ensure_unconfigure()
