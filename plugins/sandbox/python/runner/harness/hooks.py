"""What a conftest has pytest call: some of it can be done here, and tests whose conftest asks for more are told apart."""
import inspect
from types import FunctionType as _Function

from pytest._config import NotHere, Parser, Session

from . import failures, fixtures

_ABILITY = "pytest's hooks and plugins"
_RUNNING = ("pytest_runtest_", "pytest_collect", "pytest_pycollect_", "pytest_pyfunc_call", "pytest_itemcollected", "pytest_fixture_", "pytest_deselected", "pytest_ignore_collect",
            "pytest_cmdline_", "pytest_load_initial_conftests", "pytest_make_parametrize_id", "pytest_markeval_namespace")
_OF_MODULES = ("setup_module", "teardown_module")
_OF_METHODS = ("setup_method", "teardown_method")
_TELLING = ("usefixtures", "filterwarnings", "xfail")


def begin(conftest, config):
    """Calls what sets up the whole run, with as much of pytest as there is."""
    parser = Parser(config)
    given = {"parser": parser, "config": config, "session": Session(config)}
    for name in ("pytest_addoption", "pytest_configure", "pytest_sessionstart"):
        hook = vars(conftest).get(name)
        if not isinstance(hook, _Function):
            continue
        wanted = inspect.signature(hook).parameters
        if not wanted.keys() <= given.keys() or inspect.isgeneratorfunction(hook):
            raise failures.NeedsPytest(f"pytest would call {name} with more than there is here", _ABILITY)
        try:
            hook(**{argument: given[argument] for argument in wanted})
            if name == "pytest_addoption":
                parser.apply()
        except NotHere as error:
            raise failures.NeedsPytest(f"pytest would call {name}, which asks for {error}", _ABILITY) from None


def unmet(module, conftests):
    """The first by which the tests would have pytest do something else, which is not done here."""
    for place in conftests:
        for name in vars(place):
            if name.startswith(_RUNNING):
                return failures.NeedsPytest(f"pytest would call {name}", _ABILITY)
    if any(vars(place).get("pytest_plugins") for place in (module, *conftests)):
        return failures.NeedsPytest("pytest would load what pytest_plugins names", _ABILITY)
    return None


def lacking(error):
    return {"ability": _ABILITY} if isinstance(error, NotHere) else None


def needs_pytest(item):
    """Whether pytest would do more for a test of unittest's kind than unittest does."""
    module, cls = item.module, item.cls
    by_itself = (name for name, definitions in item.fixtures.items() if definitions[-1].autouse and not name.startswith(fixtures.XUNIT))
    return (any(by_itself) or any(mark.name in _TELLING for mark in item.marks)
            or any(callable(getattr(module, name, None)) for name in _OF_MODULES) or any(callable(getattr(cls, name, None)) for name in _OF_METHODS))
