"""A plugin of pytest's that accepts the settings and marks of plugins that are not here, so that they stop no test."""
from _pytest.unraisableexception import gc_collect_iterations_key

# The package that brings a fixture. A test that asks for one of these cannot be run, which is not the test's fault.
_FIXTURES = {
    "mocker": "pytest-mock", "benchmark": "pytest-benchmark", "httpx_mock": "pytest-httpx", "requests_mock": "requests-mock",
    "freezer": "pytest-freezer", "faker": "faker", "db": "pytest-django", "settings": "pytest-django",
    "aiohttp_client": "pytest-aiohttp", "qtbot": "pytest-qt", "snapshot": "syrupy",
}
# None of these changes whether a test passes.
_OPTIONS = (
    "--cov", "--cov-report", "--cov-fail-under", "--cov-config", "--timeout", "-n", "--numprocesses", "--asyncio-mode",
    "--randomly-seed", "--reruns",
)
_SWITCHES = ("--no-cov", "--cov-branch")
_INIS = (
    "asyncio_mode", "asyncio_default_fixture_loop_scope", "asyncio_default_test_loop_scope", "timeout", "timeout_method", "env",
    "django_find_project",
)
_MARKS = ("asyncio", "anyio", "timeout", "flaky", "benchmark", "order", "xdist_group")
_HELP = "of a plugin that is not here"


def module_of(fixture):
    """The package that brings the fixture; None where it is unknown."""
    return {"module": _FIXTURES[fixture], "standard": True} if fixture in _FIXTURES else None


def pytest_addoption(parser):
    group = parser.getgroup("absent plugins")
    for name in _OPTIONS:
        group._addoption(name, nargs="?", default=None, help=_HELP)
    for name in _SWITCHES:
        group._addoption(name, action="store_true", help=_HELP)
    for name in _INIS:
        parser.addini(name, _HELP, default=None)


def pytest_configure(config):
    config.stash[gc_collect_iterations_key] = 0  # five collections at the end take longer than most tests
    for name in _MARKS:
        config.addinivalue_line("markers", f"{name}: {_HELP}")
