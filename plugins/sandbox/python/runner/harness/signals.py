"""A handler of a signal is handed the frame that it interrupts, and the handler of SIGINT is what ends code that takes too long.
So a program's handlers are called without a frame, and its handler of SIGINT only when the program itself sends one."""
import _signal
import os
import signal

_wanted = {}


class _Handler:
    def __init__(self, handler):
        self.handler = handler

    def __call__(self, number, _frame):
        return self.handler(number, None)


def _setting(set_handler):
    """The function itself is only in a frame, where no program can look."""
    done = None
    while True:
        number, handler = yield done
        if callable(handler) and type(handler) is not _Handler:
            continue
        try:
            done = set_handler(number, handler), None
        except Exception as error:
            done = None, error


def _interrupt():
    handler = _wanted.get(signal.SIGINT, signal.default_int_handler)
    if handler == signal.SIG_DFL:
        raise KeyboardInterrupt
    if callable(handler):
        handler(signal.SIGINT, None)


def install(on_interrupt):
    signal.signal(signal.SIGINT, on_interrupt)
    setting = _setting(_signal.signal)
    next(setting)
    send, get = setting.send, _signal.getsignal

    def set_handler(number, handler, /):
        if number == signal.SIGINT:
            if not callable(handler) and handler not in (signal.SIG_DFL, signal.SIG_IGN):
                raise TypeError("signal handler must be signal.SIG_IGN, signal.SIG_DFL, or a callable object")
            before = get_handler(number)
            _wanted[number] = handler
            return before
        before = get_handler(number)
        _, error = send((number, _Handler(handler) if callable(handler) else handler))
        if error is not None:
            raise error
        return before

    def get_handler(number, /):
        if number == signal.SIGINT:
            return _wanted.get(number, signal.default_int_handler)
        handler = get(number)
        return handler.handler if type(handler) is _Handler else handler

    raise_any, kill_any = _signal.raise_signal, os.kill

    def raise_signal(number, /):
        return _interrupt() if number == signal.SIGINT else raise_any(number)

    def kill(pid, number, /):
        return _interrupt() if number == signal.SIGINT and pid == os.getpid() else kill_any(pid, number)

    _signal.signal, _signal.getsignal = set_handler, get_handler
    _signal.raise_signal = signal.raise_signal = raise_signal
    os.kill = kill
