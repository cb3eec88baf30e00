"""Evaluates expressions in the namespaces of the job's files."""
import ast
import asyncio
import inspect

from . import failures, limits, modules, threads
from .channel import send
from .output import capture
from .values import encoded


def evaluate(job):
    streams = capture()
    for index, call in enumerate(job["calls"]):
        outcome = _evaluate_one(call, job["files"])
        send({"type": "outcome", "index": index, "outcome": {**outcome, "output": streams.take()}})


def _evaluate_one(call, files):
    if limits.time_is_up():
        return {"type": "not run", "cause": "time", "message": "the time for the whole run was used up"}
    is_loaded = False
    threads.were_used = False
    try:
        with limits.limited():
            namespace = dict(vars(modules.load(call["file"]))) if "file" in call else {"__name__": "__main__"}
            is_loaded = True
            if "setup" in call:
                _run(call["setup"], "<setup>", "exec", namespace)
            value = _run(call["expression"], "<expression>", "eval", namespace)
            if inspect.isawaitable(value):
                value = asyncio.run(_awaited(value))
            return {"type": "returned", "value": encoded(value)}
    except limits.LimitReached as limit:
        unavailable = threads.UNAVAILABLE if threads.were_used and limit.cause == "time" else None
        return {"type": "not run", "cause": limit.cause, "message": failures.text_of(limit), "unavailable": unavailable}
    except BaseException as error:
        unavailable = failures.unavailable(error, files)
        if isinstance(error, MemoryError):
            return {"type": "not run", "cause": "memory", "message": "it asked for more memory than it may use"}
        if unavailable is None and not is_loaded and isinstance(error, SystemExit):
            return {"type": "not run", "cause": "exited", "message": f"{call['file']} ended the program while it was loaded"}
        return {
            "type": "raised",
            "name": type(error).__name__,
            "message": failures.cut(failures.text_of(error)),
            "frame": failures.frame_of(error),
            "loaded": is_loaded,
            "unavailable": unavailable,
        }


def _run(source, name, mode, namespace):
    """Runs the source, in which `await` may be used anywhere."""
    source = source.strip() if mode == "eval" else source
    code = compile(source, name, mode, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    value = eval(code, namespace)
    return asyncio.run(value) if code.co_flags & inspect.CO_COROUTINE else value


async def _awaited(value):
    return await value
