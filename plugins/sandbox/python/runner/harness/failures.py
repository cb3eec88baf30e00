"""An exception in words, and where in the job's own files it happened."""
import errno
import linecache
from zoneinfo import ZoneInfoNotFoundError

from .limits import LimitReached

ROOT = "/job"
_MESSAGE = 4000
_SHOWN = 3
_UNSUPPORTED = (errno.ENOSYS, errno.ENOTSUP, errno.EHOSTUNREACH)


def own_frames(error):
    """(file, line, function) in the job's own files, the innermost last."""
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
    """`str` of it, whatever the code under test made of it."""
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
    is_told = isinstance(error, LimitReached) or (isinstance(error, AssertionError) and text.startswith("assert "))
    lines = [text if is_told else f"{name}: {text}" if text else name]
    notes = getattr(error, "__notes__", ())
    for note in notes if type(notes) in (list, tuple) else ():
        lines.append(text_of(note))
    cause = error.__cause__
    if cause is not None:
        lines.append(f"  caused by {type(cause).__name__}: {text_of(cause)}")
    if not isinstance(error, AssertionError):
        for file, line in reversed(own_frames(error)[-_SHOWN:]):
            source = linecache.getline(f"{ROOT}/{file}", line).strip()
            lines.append(f"  {file}:{line}" + (f": {source[:200]}" if source else ""))
    return cut("\n".join(lines))


def lacking(error):
    """What of a whole system this place does not have, where that is why `error` was raised."""
    text = text_of(error)
    if isinstance(error, RuntimeError) and "can't start new thread" in text:
        return {"ability": "threads"}
    if isinstance(error, ZoneInfoNotFoundError) or (isinstance(error, AttributeError) and text == "module 'time' has no attribute 'tzset'"):
        return {"ability": "the data of time zones"}
    if isinstance(error, OSError) and "emscripten does not support processes" in text:
        return {"ability": "processes"}
    if isinstance(error, OSError) and error.errno in _UNSUPPORTED:
        return {"ability": "network connections"}
    return None
