"""The way in, for the worker: `prepare` while nothing of the job has run, then `run`."""
import json

from . import calls, declared, limits, loop, modules, output, tests, threads

# A C object, so that no code under test can change how it writes.
_write = json.encoder.c_make_encoder(None, lambda value: str(value), json.encoder.encode_basestring_ascii, None, ":", ",", False, False, True)
_read = json.loads


def install():
    """What a whole system has and this one has not. Done once, before the snapshot."""
    limits.install()
    loop.install()
    threads.install()


def connect(alarm, pause):
    limits.watch.alarm, limits.watch.pause = alarm, pause


def prepare(text):
    """Lays out the files. Gives the tests that the job's own text declares."""
    global _job
    _job = _read(text)
    modules.lay_out(_job["files"])
    return _written([{"file": path, "names": declared.declared(_job["files"][path], path)} for path in _job.get("tests", ())])


def run(report):
    """Runs what was prepared. `report(json)` is told of each result at once."""
    job = _job
    output.install()
    loop.detach()
    limits.watch.begin(job)
    tell = lambda event: report(_written(event))
    if "calls" in job:
        calls.evaluate(job, tell)
    else:
        tests.Run(job, tell).all()


def _written(value):
    return "".join(_write(value, 0))
