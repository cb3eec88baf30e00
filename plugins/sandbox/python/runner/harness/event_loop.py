"""An event loop for asyncio that only waits, since there are no sockets here. Pyodide's own loop runs on JavaScript's, where a
coroutine that never ends could not be interrupted."""
import asyncio
from asyncio import base_events, events, runners

from . import limits

_FOREVER = 3600


class _Waiting:
    def select(self, timeout):
        limits.sleep(_FOREVER if timeout is None else timeout)
        return ()

    def close(self):
        pass


class Loop(base_events.BaseEventLoop):
    def __init__(self):
        super().__init__()
        self._selector = _Waiting()

    def _process_events(self, _events):
        pass

    def _write_to_self(self):
        pass


class _Policy(events._BaseDefaultEventLoopPolicy):
    _loop_factory = Loop

    def get_event_loop(self):
        """Makes a loop where there is none, as before Python 3.14: much code relies on that."""
        if self._local._loop is None:
            self.set_event_loop(self.new_event_loop())
        return self._local._loop


def install():
    """Called before each run, since Pyodide sets its own loop whenever it starts."""
    asyncio._set_running_loop(None)
    events._set_event_loop_policy(_Policy())
    asyncio.run = runners.run
    asyncio.SelectorEventLoop = Loop
