"""What JavaScript calls. For the snapshot: `install`, `rehearse` and `make_ready`. In a worker: `rehearse` and `connect`, then `prepare`,
which runs no code of the job, and at last `run`, or `run_program` for a program."""
import json

from . import calls, channel, declared, doubts, event_loop, limits, modules, output, processes, program, rehearsal, stubs, tests, threads


def install():
    """Replaces what an ordinary Python has and this one has not. Called once, for the snapshot."""
    limits.install()
    threads.install()
    processes.install()
    output.install()


def rehearse(whole=False):
    """Runs jobs of our own, so that a real job finds everything loaded and compiled. Nothing is reported."""
    for job in rehearsal.WHOLE if whole else rehearsal.SHORT:
        with rehearsal.discarded():
            prepare(json.dumps({**job, **rehearsal.LIMITS}))
            run()


def make_ready(count):
    """Loads pytest for so many jobs. One of them is the rehearsal in the worker."""
    tests.make_ready(count)


def connect(path):
    channel.connect(path)


def prepare(text):
    """Writes the files. Returns what their text shows: the tests that they declare, and the doubts."""
    global _job
    _job = json.loads(text)
    files, paths = _job["files"], _job.get("tests", ())
    if _job.get("stubbed"):
        files = stubs.stubbed(files, paths)
    called = [_job["entry"]] if "entry" in _job else [call["file"] for call in _job.get("calls", ()) if "file" in call]
    modules.lay_out(files, [*paths, *called])
    names = [{"file": path, "names": declared.names(files[path])} for path in paths]
    return channel.as_json({"declared": names, "doubts": doubts.doubts(files, paths) if paths else []})


def run():
    """Runs the tests or calls, and reports each result at once."""
    if not _job.get("hasJavaScript"):
        modules.close_javascript()
    event_loop.install()
    limits.watch.begin(_job)
    if "calls" in _job:
        calls.evaluate(_job)
    else:
        tests.run(_job)


def run_program():
    """Runs the program and returns how it ended."""
    modules.close_javascript()
    event_loop.install()
    limits.watch.begin(_job)
    return channel.as_json(program.run(_job))
