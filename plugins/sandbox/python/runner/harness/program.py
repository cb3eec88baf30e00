"""Runs a file to its end as `python FILE ARGS` does: as `__main__`, with standard streams of its own."""
import atexit
import builtins
import errno
import os
import socket
import subprocess
import sys
from importlib.machinery import SourceFileLoader as _SourceFileLoader
from types import ModuleType as _Module

from . import channel, failures, limits, processes, threads
from .modules import ROOT

_FAILED = 1
_INTERRUPTED = 130
_BYTE = 0xFF
_CLEARS = ("clear", "cls")


def run(job):
    """Returns how the program ended. What it prints goes to the streams of the process."""
    _install(f"{ROOT}/{job['entry']}", job["args"])
    threads.were_used = False
    ending = {"exitCode": _FAILED, "cause": None, "frame": None, "unavailable": None}
    try:
        with limits.limited():
            ending.update(_ending(_error_of(_execute, f"{ROOT}/{job['entry']}"), job["files"]))
            error = _error_of(atexit._run_exitfuncs)
            if error is not None:
                ending.update(_ending(error, job["files"]))
    except limits.LimitReached as limit:
        ending.update(cause=limit.cause, unavailable=threads.UNAVAILABLE if threads.were_used else None)
    for stream in (sys.stdout, sys.stderr):
        _error_of(lambda: stream.flush())  # a program can close it, or put anything in its place
    return ending


def _error_of(work, *arguments):
    """Calls `work`. Returns what it raised, or None."""
    try:
        work(*arguments)
        return None
    except limits.LimitReached:
        raise
    except BaseException as error:
        return error


def _execute(path):
    with open(path, "rb") as file:
        source = file.read()
    exec(compile(source, path, "exec", dont_inherit=True), vars(sys.modules["__main__"]))


def _ending(error, files):
    if error is None:
        return {"exitCode": 0}
    if isinstance(error, SystemExit):
        return {"exitCode": _status(error.code)}
    _print(error)
    return {
        "exitCode": _INTERRUPTED if isinstance(error, KeyboardInterrupt) else _FAILED,
        "cause": "memory" if isinstance(error, MemoryError) else None,
        "frame": failures.frame_of(error),
        "unavailable": failures.unavailable(error, files),
    }


def _status(code):
    """The exit status for the argument of `sys.exit`, as Python defines it."""
    if code is None:
        return 0
    if isinstance(code, int):
        return int(code) & _BYTE
    _error_of(lambda: print(code, file=sys.stderr))
    return _FAILED


def _print(error):
    """Prints the error without our own frames, which come first."""
    own = _execute.__code__.co_filename
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == own:
        trace = trace.tb_next
    error.__traceback__ = trace
    if _error_of(lambda: sys.excepthook(type(error), error, trace)) is not None:
        _error_of(lambda: sys.__excepthook__(type(error), error, trace))


def _install(path, args):
    main = _Module("__main__")
    vars(main).update(__file__=path, __builtins__=builtins, __loader__=_SourceFileLoader("__main__", path))
    sys.modules["__main__"] = main
    sys.argv = [path.removeprefix(f"{ROOT}/"), *args]
    beside = os.path.dirname(path)
    if beside in sys.path:
        sys.path.remove(beside)
    sys.path.insert(0, beside)
    # Flushed at each line, which costs little, so that nothing is lost when the program is killed.
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", buffering=1, closefd=False)
    sys.stderr = sys.__stderr__ = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)
    for name in ("exit", "quit"):
        if not hasattr(builtins, name):
            setattr(builtins, name, sys.exit)
    _refuse_absent()


def _refuse_absent():
    """Reports at once when the program asks for something that is not here, since many programs catch the error."""
    for name in ("bind", "connect", "connect_ex", "listen", "sendto"):
        setattr(socket.socket, name, _refused)
    for name in ("getaddrinfo", "gethostbyname"):
        setattr(socket, name, _refused)
    os.system = _system
    subprocess.Popen._execute_child = _refused_process


def _refused(*_arguments, **_settings):
    channel.need("network")
    raise OSError(errno.ENOTSUP, "network connections are not possible here")


def _refused_process(*_arguments, **_settings):
    channel.need("processes")
    processes.system("")


def _system(command):
    if isinstance(command, str) and command.strip() in _CLEARS:
        return 0  # there is no screen to clear
    return _refused_process()
