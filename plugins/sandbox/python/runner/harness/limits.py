"""Stops code that takes too long or prints too much."""
import math
import signal
import time

from . import channel

_now = time.perf_counter
_EARLY = 0.05
_LATE = 0.002  # the worker's clock and this one are not the same


class LimitReached(BaseException):
    """Not an Exception, so that an `except Exception` of the code under test does not catch it."""

    def __init__(self, cause, message):
        super().__init__(message)
        self.cause = cause


class _Watch:
    """The time limits of the run and of what is running."""

    def __init__(self):
        self.is_on = self.has_rung = False
        self.each = self.until = self.end = math.inf
        self.output, self.printed = 1 << 20, 0

    def begin(self, job):
        self.end = _now() + job["budgetMs"] / 1000
        self.each = job["eachMs"] / 1000
        self.output, self.printed = job["outputBytes"], 0


watch = _Watch()


def time_is_up():
    return _now() >= watch.end


class limited:
    """Limits the time of one test or call: `with limited(): ...` raises LimitReached, even where the code caught it or raised
    something else instead."""

    def __enter__(self):
        now = _now()
        watch.until = min(now + watch.each, watch.end)
        watch.is_on, watch.has_rung = True, False
        channel.alarm(max(1, math.ceil((watch.until - now) * 1000)))
        return self

    def __exit__(self, _kind, error, _traceback):
        watch.is_on = False
        channel.alarm(0)
        if watch.has_rung and not isinstance(error, LimitReached):
            raise _overrun() from error
        return False


def _overrun():
    if _now() >= watch.end - _LATE:
        return LimitReached("time", "the time for the whole run was used up")
    return LimitReached("time", f"it took longer than {watch.each:g} s")


def _on_interrupt(_number, _frame):
    now = _now()
    if now < watch.until - _EARLY:
        raise KeyboardInterrupt  # too early for the alarm: the program sent itself a signal
    if not watch.is_on or now < watch.until - _LATE:
        return
    watch.has_rung = True
    raise _overrun()  # a bare `except:` may catch it: worker.mjs interrupts again until it gets through


def sleep(seconds):
    """`time.sleep` in slices, since Python notices interrupts only while it runs."""
    seconds = float(seconds)
    if not seconds >= 0:
        raise ValueError("sleep length must be non-negative")
    until = _now() + seconds
    while (left := until - _now()) > 0:
        channel.pause(min(left, 0.02))


sleep.__module__ = "time"


def install():
    time.sleep = sleep
    signal.signal(signal.SIGINT, _on_interrupt)
