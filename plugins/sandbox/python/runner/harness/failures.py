"""Describes an exception in words, with its place in the job's own files."""
import errno
import linecache
from zoneinfo import ZoneInfoNotFoundError

from . import modules, threads
from .limits import LimitReached
from .modules import ROOT

_MESSAGE = 4000
_FRAMES = 3
_UNSUPPORTED = (errno.ENOSYS, errno.ENOTSUP, errno.EHOSTUNREACH)


def own_frames(error):
    """(file, line) of the frames in the job's own files, the innermost last."""
    frames = []
    traceback = error.__traceback__
    while traceback is not None:
        path = traceback.tb_frame.f_code.co_filename
        if path.startswith(f"{ROOT}/"):
            frames.append((path[len(ROOT) + 1:], traceback.tb_lineno))
        traceback = traceback.tb_next
    if isinstance(error, SyntaxError) and (error.filename or "").startswith(f"{ROOT}/"):
        frames.append((error.filename[len(ROOT) + 1:], error.lineno or 1))
    return frames


def frame_of(error):
    frames = own_frames(error)
    return {"file": frames[-1][0], "line": frames[-1][1]} if frames else None


def text_of(error):
    """`str(error)`, even where the code under test gave the error an odd `__str__`."""
    try:
        text = str(error)
        return text if type(text) is str else str.__str__(text)
    except LimitReached:
        raise
    except BaseException as failure:
        return f"<str() of it raised {type(failure).__name__}>"


def cut(text, limit=_MESSAGE):
    if len(text) <= limit:
        return text
    return f"{text[:limit - 300]}\n... [{len(text) - limit} characters left out]\n{text[-250:]}"


def message_of(error):
    """What a person wants to read first: the exception, then the lines that it went through, the innermost first."""
    text = text_of(error)
    name = type(error).__name__
    is_complete = isinstance(error, LimitReached) or (isinstance(error, AssertionError) and text.startswith("assert "))
    lines = [text if is_complete else f"{name}: {text}" if text else name]
    notes = getattr(error, "__notes__", ())
    for note in notes if type(notes) in (list, tuple) else ():
        lines.append(text_of(note))
    cause = error.__cause__
    if cause is not None:
        lines.append(f"  caused by {type(cause).__name__}: {text_of(cause)}")
    if not isinstance(error, AssertionError):
        for file, line in reversed(own_frames(error)[-_FRAMES:]):
            source = linecache.getline(f"{ROOT}/{file}", line).strip()
            lines.append(f"  {file}:{line}" + (f": {source[:200]}" if source else ""))
    return cut("\n".join(lines))


def unavailable(error, files):
    """What is not here, if that is why `error` was raised, or may be."""
    return modules.missing_module(error, files) or _missing_ability(error) or (threads.UNAVAILABLE if threads.were_used else None)


def _missing_ability(error):
    text = text_of(error)
    if isinstance(error, RuntimeError) and "can't start new thread" in text:
        return threads.UNAVAILABLE
    if isinstance(error, ZoneInfoNotFoundError) or (isinstance(error, AttributeError) and text == "module 'time' has no attribute 'tzset'"):
        return {"ability": "the data of time zones"}
    if isinstance(error, OSError) and "emscripten does not support processes" in text:
        return {"ability": "processes"}
    if isinstance(error, OSError) and error.errno in _UNSUPPORTED:
        return {"ability": "network connections"}
    return None
