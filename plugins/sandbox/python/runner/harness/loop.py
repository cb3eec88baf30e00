"""asyncio on a loop that only ever waits: there are no sockets to watch. Pyodide's own loop lives in JavaScript's, where
a coroutine that waits for ever could not be interrupted."""
import asyncio
from asyncio import base_events, events, runners
from types import CoroutineType as _Coroutine

from . import channel, handed, limits

_FOREVER = 3600
_KEPT = 1024

begun = {}  # of each coroutine that a loop was given: (its task, what came of it, the coroutine), whatever becomes of the task


class _Waiting:
    def select(self, timeout):
        limits.sleep(_FOREVER if timeout is None else timeout)
        return ()

    def close(self):
        pass


async def _kept(coroutine, key):
    """Runs it, and keeps what it came to. One that is closed came to nothing."""
    try:
        value = await coroutine
    except GeneratorExit:
        raise
    except BaseException as error:
        begun[key] = begun[key][0], (None, error), coroutine
        raise
    begun[key] = begun[key][0], (value, None), coroutine
    return value


def check():
    """A task is a future, too, and can be told a result that its coroutine never came to."""
    for key, (task, outcome, coroutine) in list(begun.items()):
        if task is None or not task.done():
            continue
        if task.cancelled():
            coroutine.close()  # before its first step: nothing but this would say that it was awaited
        else:
            error = task.exception()
            if outcome is None or error is not outcome[1] or (error is None and task.result() is not outcome[0]):
                channel.raised()
        del begun[key]


class Loop(base_events.BaseEventLoop):
    def __init__(self):
        super().__init__()
        self._selector = _Waiting()

    def create_task(self, coro, **settings):
        if not isinstance(coro, _Coroutine):
            return super().create_task(coro, **settings)
        if len(begun) >= _KEPT and len(begun).bit_count() == 1:  # at a power of two: none is looked at too often
            check()
        key = object()
        begun[key] = None, None, coro
        kept = _kept(coro, key)
        kept.__name__, kept.__qualname__ = coro.__name__, coro.__qualname__
        task = super().create_task(kept, **settings)
        begun[key] = task, begun[key][1], coro  # an eager one may have ended by now
        return task

    def run_until_complete(self, future):
        handed.watch(self)  # it is in everybody's hands
        return super().run_until_complete(future)

    def _process_events(self, _events):
        pass

    def _write_to_self(self):
        pass


class _Policy(events._BaseDefaultEventLoopPolicy):
    _loop_factory = Loop

    def get_event_loop(self):
        """Makes one where there is none, as before Python 3.14: much code in the world still counts on it."""
        if self._local._loop is None:
            self.set_event_loop(self.new_event_loop())
        return self._local._loop


async def _whole(coroutine, results):
    results.append(await coroutine)


class Runner(runners.Runner):
    """Believes of no loop that it ran what it was given to its end: code can change each that it is run by."""

    def run(self, coro, *, context=None):
        if events._get_running_loop() is not None or not isinstance(coro, _Coroutine):
            return super().run(coro, context=context)
        self._lazy_init()
        handed.watch(self, self._loop)
        results = []
        whole = _whole(coro, results)
        whole.__name__, whole.__qualname__ = coro.__name__, coro.__qualname__
        try:
            # Without a handler of signals, which would hand this runner to everybody.
            self._loop.run_until_complete(self._loop.create_task(whole, context=self._context if context is None else context))
        finally:
            if not whole.cr_suspended:
                whole.close()  # it was not begun, or is at its end
        if not results:
            raise RuntimeError("the event loop did not run the coroutine to its end")
        return results[0]


def install():
    """Before each run: Pyodide puts its own in place whenever it starts."""
    asyncio._set_running_loop(None)
    events._set_event_loop_policy(_Policy())
    asyncio.run = runners.run
    asyncio.Runner = runners.Runner = Runner
    asyncio.SelectorEventLoop = Loop
