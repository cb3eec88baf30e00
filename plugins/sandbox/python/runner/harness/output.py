"""Keeps and counts what the code prints."""
import io
import sys

from _pytest import capture as pytest_capture

from .limits import LimitReached, watch


def _count(length):
    watch.printed += length
    if watch.printed > watch.output:
        raise LimitReached("output", f"more than {watch.output} characters were printed")


class Printed(io.TextIOWrapper):
    """A stream that keeps what is written, and stops code that prints too much."""

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


class Discarded(io.TextIOBase):
    """For what pytest itself prints, which nobody reads."""

    def writable(self):
        return True

    def write(self, text):
        return len(text)


def capture():
    """Makes standard output and error one stream, so that their order is kept. Standard input is empty."""
    streams = sys.stdout = sys.stderr = Printed()
    sys.stdin = io.StringIO("")
    return streams


def install():
    """Also counts what pytest captures from tests."""
    real = pytest_capture.CaptureIO.write

    def write(self, text):
        _count(len(text))
        return real(self, text)

    pytest_capture.CaptureIO.write = write
