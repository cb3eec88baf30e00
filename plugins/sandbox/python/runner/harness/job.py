"""The way in. For the snapshot: `install`, `rehearse` and `make_ready`. For the worker: `rehearse`, `connect`, `prepare` while nothing of the
job has run, then `run`, or `run_program` for a program."""
import json

from . import calls, channel, declared, hollow, limits, look, loop, modules, output, processes, program, rehearsal, tests, threads


def install():
    """What a whole system has and this one has not. Done once, before the snapshot."""
    limits.install()
    threads.install()
    processes.install()
    output.install()


def rehearse(whole=False):
    """Runs what nobody hears of, so that a job finds it loaded and compiled."""
    for job in rehearsal.WHOLE if whole else rehearsal.SHORT:
        with rehearsal.unheard():
            prepare(json.dumps({**job, **rehearsal.LIMITS}))
            run()


def make_ready(count):
    """Has pytest loaded for as many jobs, one of which is the rehearsal in the cell."""
    tests.make_ready(count)


def connect(path):
    channel.connect(path)


def prepare(text):
    """Lays out the files. Gives what their text tells: the tests that it declares, and what makes a pass doubtful."""
    global _job
    _job = json.loads(text)
    files, paths = _job["files"], _job.get("tests", ())
    if _job.get("hollow"):
        files = hollow.files(files, paths)
    called = [_job["entry"]] if "entry" in _job else [call["file"] for call in _job.get("calls", ()) if "file" in call]
    modules.lay_out(files, [*paths, *called])
    declares = [{"file": path, "names": declared.names(files[path])} for path in paths]
    return channel.written({"declared": declares, "doubts": look.doubts(files, paths) if paths else []})


def run():
    """Runs what was prepared, and tells of each result at once."""
    if not _job.get("hasJavaScript"):
        modules.close_javascript()
    loop.install()
    limits.watch.begin(_job)
    if "calls" in _job:
        calls.evaluate(_job)
    else:
        tests.run(_job)


def run_program():
    """Runs the file that was prepared as a program, and gives what it came to."""
    modules.close_javascript()
    loop.install()
    limits.watch.begin(_job)
    return channel.written(program.run(_job))
