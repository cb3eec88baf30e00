"""What the code prints, kept and counted."""
import io
import sys

from _pytest import capture as pytest_capture

from .limits import LimitReached, watch


def _count(length):
    watch.printed += length
    if watch.printed > watch.output:
        raise LimitReached("output", f"more than {watch.output} characters were printed")


class Printed(io.TextIOWrapper):
    """A stream that keeps what is written to it, and ends code that prints too much."""

    def __init__(self):
        super().__init__(io.BytesIO(), encoding="utf-8", errors="backslashreplace", newline="", write_through=True)

    def write(self, text):
        if isinstance(text, str):
            _count(len(text))
        return super().write(text)

    def take(self):
        """What was written since the last time."""
        self.flush()
        text = self.buffer.getvalue().decode("utf-8", "backslashreplace")
        self.buffer.seek(0)
        self.buffer.truncate()
        return text


class Unheard(io.TextIOBase):
    """Where pytest prints what it says to people."""

    def writable(self):
        return True

    def write(self, text):
        return len(text)


def capture():
    """Standard output and error are one, in the order of what was printed, as a person would see it. Nobody is there to type."""
    streams = sys.stdout = sys.stderr = Printed()
    sys.stdin = io.StringIO("")
    return streams


def install():
    """pytest keeps what tests print; here it is counted, too."""
    real = pytest_capture.CaptureIO.write

    def write(self, text):
        _count(len(text))
        return real(self, text)

    pytest_capture.CaptureIO.write = write
