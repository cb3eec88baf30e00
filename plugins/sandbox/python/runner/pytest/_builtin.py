"""The objects behind the fixtures that pytest brings along."""
import contextlib
import pathlib
import re
import sys
import tempfile
from collections import namedtuple

from ._raises import _Warns

CaptureResult = namedtuple("CaptureResult", ("out", "err"))


class _Text:
    """A stream of the test's own."""

    encoding = "utf-8"
    errors = "strict"

    def __init__(self, behind):
        self._behind, self._parts = behind, []
        self.buffer = self

    def write(self, text):
        if isinstance(text, (bytes, bytearray)):
            text = text.decode("utf-8", "replace")
        self._parts.append(text)
        self._behind.write(text)  # so that it is seen in the report, and counted
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def take(self):
        text = "".join(self._parts)
        self._parts.clear()
        return text

    def flush(self):
        pass

    def isatty(self):
        return False

    def writable(self):
        return True

    def fileno(self):
        raise OSError("a captured stream has no file descriptor")


class CaptureFixture:
    binary = False

    def __init__(self):
        self._before = sys.stdout, sys.stderr
        self._own = _Text(sys.stdout), _Text(sys.stderr)
        sys.stdout, sys.stderr = self._own

    def readouterr(self):
        out, err = (stream.take() for stream in self._own)
        return CaptureResult(out.encode(), err.encode()) if self.binary else CaptureResult(out, err)

    @contextlib.contextmanager
    def disabled(self):
        sys.stdout, sys.stderr = self._before
        try:
            yield
        finally:
            sys.stdout, sys.stderr = self._own

    def close(self):
        sys.stdout, sys.stderr = self._before

    __class_getitem__ = classmethod(lambda cls, _: cls)


class BinaryCaptureFixture(CaptureFixture):
    binary = True


class TempPathFactory:
    def __init__(self):
        self._base = pathlib.Path(tempfile.mkdtemp(prefix="pytest-"))

    def getbasetemp(self):
        return self._base

    def mktemp(self, basename, numbered=True):
        path = self._base / (f"{basename}{self._next(basename)}" if numbered else basename)
        path.mkdir(0o700)
        return path

    def _next(self, prefix):
        found = [re.fullmatch(rf"{re.escape(prefix)}(\d+)", path.name, re.I) for path in self._base.iterdir()]
        return max((int(one[1]) for one in found if one), default=-1) + 1


class LocalPath(type(pathlib.Path())):
    """The old `tmpdir`, as far as it differs from a path."""

    def join(self, *parts):
        return type(self)(self, *parts)

    def write(self, content, mode="w", ensure=False):
        self.write_bytes(content) if isinstance(content, bytes) else self.write_text(content)

    def read(self, mode="r"):
        return self.read_bytes() if "b" in mode else self.read_text()

    def mkdir(self, *parts, **options):
        path = self.join(*parts) if parts and isinstance(parts[0], str) else self
        super(LocalPath, path).mkdir(**options)
        return path

    def check(self, **_):
        return self.exists()

    @property
    def strpath(self):
        return str(self)


class WarningsRecorder(_Warns):
    def __init__(self):
        super().__init__(Warning, None)

    def clear(self):
        self.list.clear()

    def close(self):
        self._catcher.__exit__(None, None, None)


class Cache(dict):
    def set(self, key, value):
        self[key] = value


