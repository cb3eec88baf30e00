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


streams = Printed()


def install():
    """Standard output and error are one, in the order of what was printed, as a person would see it."""
    sys.stdout = sys.stderr = streams
    sys.stdin = io.StringIO("")
