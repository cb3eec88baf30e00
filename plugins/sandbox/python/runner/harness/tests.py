"""Has pytest run the tests of a job."""
import sys

import _pytest.config
from _pytest.config.exceptions import UsageError

from . import coroutines, failures, limits
from .channel import tell
from .output import Unheard
from .report import Reporter

# It captures `sys` rather than descriptors, whose files cost time; `native` is the cheapest way of showing an error that nobody reads.
_ARGUMENTS = ["-q", "--capture=sys", "--tb=native", "--continue-on-collection-errors", "--disable-plugin-autoload", "-p", "no:faulthandler", "-p", "no:pastebin", "-p", "no:junitxml",
              "-o", "cache_dir=/svc/cache"]


def run(job):
    reporter = Reporter(job)
    sys.stdout = sys.stderr = Unheard()
    sys.argv = ["pytest", *job["tests"]]
    try:
        with limits.limited():
            config = _pytest.config._prepareconfig([*_ARGUMENTS, *job["tests"]], [reporter, coroutines])
        try:
            config.hook.pytest_cmdline_main(config=config)
        finally:
            config._ensure_unconfigure()
    except _pytest.config.ConftestImportFailure as failure:
        reporter.tell_problem(str(failure.path), failure.cause)
    except limits.LimitReached as limit:
        reporter.limit = limit
    except UsageError as error:
        reporter.ended = ("usage", failures.text_of(error))
    except BaseException as error:
        reporter.tell_problem(f"{failures.ROOT}/conftest.py", error)
    limit = reporter.limit
    tell({"type": "done", "limit": limit and {"cause": limit.cause, "message": failures.text_of(limit)}, "ended": reporter.ended and {"how": reporter.ended[0], "message": reporter.ended[1]}})
