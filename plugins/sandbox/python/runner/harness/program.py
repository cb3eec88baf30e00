"""Runs a file as `python FILE ARGS` does: as `__main__`, with its own standard streams, to its end."""
import atexit
import builtins
import errno
import os
import socket
import subprocess
import sys
from importlib.machinery import SourceFileLoader as _SourceFileLoader
from types import ModuleType as _Module

from . import channel, failures, limits, modules, processes, threads
from .failures import ROOT

_FAILED = 1
_INTERRUPTED = 130
_BYTE = 0xFF
_CLEARS = ("clear", "cls")


def run(job):
    """What it came to. What it prints goes to the streams of the process."""
    _install(f"{ROOT}/{job['entry']}", job["args"])
    threads.were_used = False
    told = {"exitCode": _FAILED, "cause": None, "message": "", "frame": None, "lacks": None}
    try:
        with limits.limited():
            told.update(_exit(*_call(_execute, f"{ROOT}/{job['entry']}"), job["files"]))
            _, error = _call(atexit._run_exitfuncs)
            if error is not None:
                told.update(_exit(None, error, job["files"]))
    except limits.LimitReached as limit:
        told.update(cause=limit.cause, message=failures.text_of(limit), lacks=threads.LACK if threads.were_used else None)
    for stream in (sys.stdout, sys.stderr):
        _call(lambda: stream.flush())  # a program can close it, or put anything in its place
    return told


def _call(work, *arguments):
    """Its result, or what it raised."""
    try:
        return work(*arguments), None
    except limits.LimitReached:
        raise
    except BaseException as error:
        return None, error


def _execute(path):
    with open(path, "rb") as file:
        source = file.read()
    exec(compile(source, path, "exec", dont_inherit=True), vars(sys.modules["__main__"]))


def _exit(_result, error, files):
    if error is None:
        return {"exitCode": 0}
    if isinstance(error, SystemExit):
        return {"exitCode": _status(error.code)}
    _print(error)
    lacks = modules.missing_module(error, files) or failures.lacking(error) or (threads.LACK if threads.were_used else None)
    return {
        "exitCode": _INTERRUPTED if isinstance(error, KeyboardInterrupt) else _FAILED,
        "cause": "memory" if isinstance(error, MemoryError) else None,
        "frame": failures.frame_of(error),
        "lacks": lacks,
    }


def _status(code):
    """As the interpreter makes an exit status of what `sys.exit` was given."""
    if code is None:
        return 0
    if isinstance(code, int):
        return int(code) & _BYTE
    _call(lambda: print(code, file=sys.stderr))
    return _FAILED


def _print(error):
    """Without the frames of ours, which are the first."""
    own = _execute.__code__.co_filename
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == own:
        trace = trace.tb_next
    error.__traceback__ = trace
    _, failure = _call(lambda: sys.excepthook(type(error), error, trace))
    if failure is not None:
        _call(lambda: sys.__excepthook__(type(error), error, trace))


def _install(path, args):
    main = _Module("__main__")
    vars(main).update(__file__=path, __builtins__=builtins, __loader__=_SourceFileLoader("__main__", path))
    sys.modules["__main__"] = main
    sys.argv = [path.removeprefix(f"{ROOT}/"), *args]
    beside = os.path.dirname(path)
    if beside in sys.path:
        sys.path.remove(beside)
    sys.path.insert(0, beside)
    # A flush at each line costs little and leaves nothing unheard of a program that is killed.
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", buffering=1, closefd=False)
    sys.stderr = sys.__stderr__ = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)
    for name in ("exit", "quit"):
        if not hasattr(builtins, name):
            setattr(builtins, name, sys.exit)
    _refuse_others()


def _refuse_others():
    """What is not here is told at once, since many programs catch what it raises."""
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
