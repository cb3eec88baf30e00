"""The way in, for the worker: `connect`, `sealed`, `prepare` and `guard` while nothing of the job has run, then `run`."""
import json

from . import callers, calls, channel, generators, limits, loop, machine, modules, output, patterns, seal, tests, threads, units

_read = json.loads


def install():
    """What a whole system has and this one has not. Done once, before the snapshot."""
    limits.install()
    threads.install()
    units.install()
    patterns.install()
    generators.install()
    machine.install()
    seal.install()


def connect(path):
    channel.connect(path)


def prepare(text):
    """Lays out the files. Gives the tests that the job's own text declares."""
    global _job
    _job = _read(text)
    modules.lay_out(_job["files"], _job.get("tests", ()), [call["file"] for call in _job.get("calls", ()) if "file" in call])
    return channel.written([{"file": path, "names": modules.texts[path].tests, "firm": list(modules.texts[path].firm)} for path in _job.get("tests", ())])


def sealed():
    """Gives what is watched, see `seal`. It takes a while, and so is done before there is a job."""
    return channel.written({**seal.of_harness(), **callers.of_harness(run)})


def guard():
    """Gives what is watched of the job's files."""
    if not _job.get("hasJavaScript"):
        modules.close_javascript()
    seal.close_doors()
    return channel.written({**seal.of_files(), "callers": callers.of_files()})


def run():
    """Runs what was prepared, and tells of each result at once."""
    output.install("calls" not in _job)
    loop.install()
    limits.watch.begin(_job)
    if "calls" in _job:
        calls.evaluate(_job)
    else:
        tests.Run(_job).all()
