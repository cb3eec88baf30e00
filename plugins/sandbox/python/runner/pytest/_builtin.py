"""The objects behind the fixtures that pytest brings along."""
import contextlib
import logging
import pathlib
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


class _Handler(logging.Handler):
    def __init__(self):
        super().__init__(0)
        self.records = []
        self.setFormatter(logging.Formatter("%(levelname)-8s %(name)s:%(filename)s:%(lineno)d %(message)s"))

    def emit(self, record):
        record.message = record.getMessage()
        self.records.append(record)


class LogCaptureFixture:
    def __init__(self):
        self.handler = _Handler()
        self._levels = []
        self._disabled = logging.root.manager.disable
        logging.root.addHandler(self.handler)

    @property
    def records(self):
        return self.handler.records

    @property
    def text(self):
        return "".join(f"{self.handler.format(record)}\n" for record in self.records)

    @property
    def messages(self):
        return [record.message for record in self.records]

    @property
    def record_tuples(self):
        return [(record.name, record.levelno, record.message) for record in self.records]

    def get_records(self, when):
        return self.records

    def set_level(self, level, logger=None):
        target = logging.getLogger(logger)
        self._levels.append((target, target.level, self.handler.level))
        target.setLevel(level)
        self.handler.setLevel(level)

    @contextlib.contextmanager
    def at_level(self, level, logger=None):
        target = logging.getLogger(logger)
        before, own = target.level, self.handler.level
        target.setLevel(level)
        self.handler.setLevel(level)
        try:
            yield
        finally:
            target.setLevel(before)
            self.handler.setLevel(own)

    def clear(self):
        self.handler.records.clear()

    def close(self):
        for target, level, _ in reversed(self._levels):
            target.setLevel(level)
        logging.disable(self._disabled)
        logging.root.removeHandler(self.handler)


class TempPathFactory:
    def __init__(self):
        self._base = pathlib.Path(tempfile.mkdtemp(prefix="pytest-"))

    def getbasetemp(self):
        return self._base

    def mktemp(self, basename, numbered=True):
        path = pathlib.Path(tempfile.mkdtemp(prefix=basename, dir=self._base)) if numbered else self._base / basename
        path.mkdir(exist_ok=True)
        return path


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


