"""What is logged while a test is set up, called and taken down."""
import contextlib
import logging


class LogHandler(logging.Handler):
    """On the root logger for as long as pytest's kind of tests run, so that there, as with pytest, `basicConfig` does nothing."""

    def __init__(self, levels=()):
        """`levels`: its own, and any from which on others keep records: the root logger passes them all on."""
        super().__init__(next(iter(levels), None) or 0)
        self._lowest = min(filter(None, levels), default=None)
        self._before = None
        self.records, self.phases = [], {}
        self.setFormatter(logging.Formatter("%(levelname)-8s %(name)s:%(filename)s:%(lineno)d %(message)s"))

    def begin(self, phase):
        if phase == "setup":
            self.phases = {}
        self.records = self.phases[phase] = []
        logging.root.addHandler(self)
        if self._lowest is not None and self._before is None:
            self._before = logging.root.level
            logging.root.setLevel(min(self._before, self._lowest))

    def end(self):
        self.records, self.phases = [], {}
        logging.root.removeHandler(self)
        if self._before is not None:
            logging.root.setLevel(self._before)
            self._before = None

    def emit(self, record):
        record.message = record.getMessage()
        self.records.append(record)


class LogCaptureFixture:
    def __init__(self, handler):
        self.handler = handler
        self._levels = []
        self._level, self._disabled = handler.level, logging.root.manager.disable

    @property
    def records(self):
        return self.handler.records

    @property
    def text(self):
        return "".join(f"{self.handler.format(record)}\n" for record in self.records)

    @property
    def messages(self):
        return [record.getMessage() for record in self.records]

    @property
    def record_tuples(self):
        return [(record.name, record.levelno, record.getMessage()) for record in self.records]

    def get_records(self, when):
        return self.handler.phases.get(when, [])

    def set_level(self, level, logger=None):
        target = logging.getLogger(logger)
        self._levels.append((target, target.level))
        self._set(target, level)

    @contextlib.contextmanager
    def at_level(self, level, logger=None):
        target = logging.getLogger(logger)
        before, own, disabled = target.level, self.handler.level, target.manager.disable
        self._set(target, level)
        try:
            yield
        finally:
            target.setLevel(before)
            self.handler.setLevel(own)
            logging.disable(disabled)

    def _set(self, target, level):
        """What `logging.disable` has shut is open again from that level on."""
        target.setLevel(level)
        self.handler.setLevel(level)
        if not target.isEnabledFor(self.handler.level):
            logging.disable(max(self.handler.level - 10, logging.NOTSET))

    @contextlib.contextmanager
    def filtering(self, filter_):
        self.handler.addFilter(filter_)
        try:
            yield
        finally:
            self.handler.removeFilter(filter_)

    def clear(self):
        self.handler.records.clear()

    def close(self):
        for target, level in reversed(self._levels):
            target.setLevel(level)
        self.handler.setLevel(self._level)
        logging.disable(self._disabled)
