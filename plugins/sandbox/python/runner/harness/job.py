"""The way in. For the snapshot: `install`, `rehearse` and `seal_harness`. For the worker: `rehearse`, `connect`, `sealed`, `prepare`
and `guard` while nothing of the job has run, then `run`; `prepare` and `run_program` for a program."""
import json

from . import callers, calls, channel, generators, limits, loop, machine, modules, output, patterns, processes, program, rehearsal, seal, tests, threads, units

_read = json.loads


def install():
    """What a whole system has and this one has not. Done once, before the snapshot."""
    limits.install()
    threads.install()
    processes.install()
    units.install()
    patterns.install()
    generators.install()
    machine.install()
    seal.install()


def rehearse(whole=False):
    """Runs what nobody hears of, before it is known what is to be told."""
    for job in rehearsal.WHOLE if whole else rehearsal.SHORT:
        with rehearsal.unheard():
            prepare(json.dumps({**job, **rehearsal.LIMITS}))
            seal.of_files()
            callers.of_files()
            run()


def connect(path):
    channel.connect(path)


def prepare(text):
    """Lays out the files. Gives the tests that the job's own text declares."""
    global _job
    _job = _read(text)
    called = [_job["entry"]] if "entry" in _job else [call["file"] for call in _job.get("calls", ()) if "file" in call]
    modules.lay_out(_job["files"], _job.get("tests", ()), called)
    return channel.written([{"file": path, "names": modules.texts[path].tests, "firm": list(modules.texts[path].firm)} for path in _job.get("tests", ())])


def seal_harness():
    """What is watched, see `seal`. It takes a while, and so is done for the snapshot: where all of it lies stays the same."""
    global _sealed
    _sealed = channel.written({**seal.of_harness(), **callers.of_harness(run)})


def sealed():
    return _sealed


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


def run_program():
    """Runs the file that was prepared as a program, and gives what it came to."""
    modules.close_javascript()
    loop.install()
    limits.watch.begin(_job)
    return channel.written(program.run(_job))
