import importlib


class _Outcome(BaseException):
    def __init__(self, message=""):
        super().__init__(message)
        self.msg = message


class Skipped(_Outcome):
    pass


class XFailed(_Outcome):
    pass


class Failed(_Outcome):
    pass


class Exit(Exception):
    def __init__(self, message=""):
        super().__init__(message)
        self.msg = message


def skip(reason="", *, allow_module_level=False):
    raise Skipped(reason)


def fail(reason="", pytrace=True):
    raise Failed(reason)


def xfail(reason=""):
    raise XFailed(reason)


def exit(reason="", returncode=None):
    raise Exit(f"pytest.exit: {reason}")


skip.Exception, fail.Exception, xfail.Exception, exit.Exception = Skipped, Failed, XFailed, Exit


def importorskip(modname, minversion=None, reason=None, *, exc_type=ImportError):
    try:
        return importlib.import_module(modname)
    except exc_type as error:
        raise Skipped(reason or f"could not import {modname!r}: {error}") from None
