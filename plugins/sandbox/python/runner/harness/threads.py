"""There are no threads here. A thread's work is done at once, when the thread is started. That is enough for most code. If a test
fails afterwards, it is reported as not run, since with real threads it might have passed."""
import concurrent.futures as futures
import sys
import threading

from .limits import LimitReached

UNAVAILABLE = {"ability": "threads"}

were_used = False


def _start(self):
    global were_used
    if not self._initialized:
        raise RuntimeError("thread.__init__() not called")
    if self._started.is_set():
        raise RuntimeError("threads can only be started once")
    were_used = True
    ident = threading.get_ident()
    before = threading._active.get(ident)
    self._ident = self._native_id = ident
    self._started.set()
    threading._active[ident] = self
    try:
        self.run()
    except SystemExit:
        pass
    except LimitReached:
        raise
    except BaseException:
        threading.excepthook(threading.ExceptHookArgs([*sys.exc_info(), self]))
    finally:
        threading._active[ident] = before
        self._svc_ended = True


def _join(self, timeout=None):
    if not self._initialized:
        raise RuntimeError("Thread.__init__() not called")
    if not self._started.is_set():
        raise RuntimeError("cannot join thread before it is started")


def _is_alive(self):
    return self._started.is_set() and not getattr(self, "_svc_ended", False)


def _submit(self, fn, /, *args, **kwargs):
    global were_used
    if self._shutdown:
        raise RuntimeError("cannot schedule new futures after shutdown")
    were_used = True
    future = futures.Future()
    future.set_running_or_notify_cancel()
    try:
        future.set_result(fn(*args, **kwargs))
    except LimitReached:
        raise
    except BaseException as error:
        future.set_exception(error)
    return future


def install():
    threading.Thread.start = _start
    threading.Thread.join = _join
    threading.Thread.is_alive = _is_alive
    futures.ThreadPoolExecutor.submit = _submit
