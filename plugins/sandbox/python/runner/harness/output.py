"""What the code prints, kept and counted."""
import io
import sys

from .limits import LimitReached, watch


class Printed(io.TextIOBase):
    """A stream that keeps what is written to it."""

    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self):
        super().__init__()
        self._parts, self._total = [], 0
        self.buffer = _Bytes(self)

    def writable(self):
        return True

    def isatty(self):
        return False

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._total += len(text)
        if self._total > watch.output:
            raise LimitReached("output", f"more than {watch.output} characters were printed")
        self._parts.append(text)
        return len(text)

    def take(self):
        """What was written since the last time."""
        text = "".join(self._parts)
        self._parts.clear()
        return text


class _Bytes(io.RawIOBase):
    """`sys.stdout.buffer`."""

    def __init__(self, stream):
        super().__init__()
        self._stream = stream

    def writable(self):
        return True

    def write(self, data):
        self._stream.write(bytes(data).decode("utf-8", "backslashreplace"))
        return len(data)


class Unread(io.TextIOBase):
    """Nobody is there to type: as with pytest, to ask is an error, and not the end of what was typed."""

    encoding = "utf-8"

    def read(self, size=-1):
        raise OSError("pytest: reading from stdin while output is captured! Consider using `-s`.")

    readline = readlines = __next__ = read

    def __iter__(self):
        return self

    def fileno(self):
        raise io.UnsupportedOperation("redirected stdin is pseudofile, has no fileno()")

    def isatty(self):
        return False

    def readable(self):
        return False

    @property
    def buffer(self):
        return self


streams = Printed()


def install(has_tests):
    """Standard output and error are one, in the order of what was printed, as a person would see it."""
    sys.stdout = sys.stderr = streams
    sys.stdin = Unread() if has_tests else io.StringIO("")
