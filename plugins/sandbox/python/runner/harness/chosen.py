"""Which tests the files of settings leave out, and which marks they know."""
import re

from pytest._outcomes import Failed

from .failures import NeedsPytest

# Those of pytest itself, and of the plugins whose part is done here or that mean nothing for whether a test passes.
_KNOWN = ("filterwarnings", "parametrize", "skip", "skipif", "usefixtures", "xfail", "tryfirst", "trylast", "asyncio", "anyio", "timeout", "flaky", "benchmark", "order", "xdist_group")
_WORD = re.compile(r"\s*(?:([()])|([^\s()]+))")


def left_out(item, options):
    """Why it would not be run, if so."""
    if options.marked and not _holds(options.marked, {mark.name for mark in item.marks}.__contains__):
        return apart(f"-m {options.marked!r}")
    if options.named:
        names = [name.lower() for name in (*item.nodeid.split("/")[-1].split("::"), item.originalname, *(mark.name for mark in item.marks))]
        if not _holds(options.named, lambda word: any(word.lower() in name for name in names)):
            return apart(f"-k {options.named!r}")
    return None


def apart(option):
    return NeedsPytest(f"the settings have pytest leave it out: {option}", "pytest's ways to leave tests out")


def _holds(expression, is_true):
    words = [sign or (word if word in ("and", "or", "not") else str(is_true(word))) for sign, word in _WORD.findall(expression)]
    try:
        return eval(" ".join(words), {"__builtins__": {}})
    except (SyntaxError, TypeError):
        raise Failed(f"cannot make out which tests {expression!r} chooses") from None


def check_marks(items, options, more):
    """Where the settings are strict, a mark that nobody knows is an error of the whole file."""
    if options.markers is None:
        return
    known = {*_KNOWN, *options.markers, *(line.partition(":")[0].partition("(")[0].strip() for line in more)}
    for item in items:
        for mark in item.marks:
            if mark.name not in known:
                raise Failed(f"{mark.name!r} not found in `markers` configuration option")
