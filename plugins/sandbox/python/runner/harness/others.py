"""What other plugins bring along that are not here: a plugin of pytest's. Their settings and marks stop nobody."""
from _pytest.unraisableexception import gc_collect_iterations_key

# A test that wants one of these cannot be run, which is not the test's fault.
_FIXTURES = {"mocker": "pytest-mock", "benchmark": "pytest-benchmark", "httpx_mock": "pytest-httpx", "requests_mock": "requests-mock", "freezer": "pytest-freezer",
             "faker": "faker", "db": "pytest-django", "settings": "pytest-django", "aiohttp_client": "pytest-aiohttp", "qtbot": "pytest-qt", "snapshot": "syrupy"}
# These say nothing about whether a test passes.
_OPTIONS = ("--cov", "--cov-report", "--cov-fail-under", "--cov-config", "--timeout", "-n", "--numprocesses", "--asyncio-mode", "--randomly-seed", "--reruns")
_SWITCHES = ("--no-cov", "--cov-branch")
_INIS = ("asyncio_mode", "asyncio_default_fixture_loop_scope", "asyncio_default_test_loop_scope", "timeout", "timeout_method", "env", "django_find_project")
_MARKS = ("asyncio", "anyio", "timeout", "flaky", "benchmark", "order", "xdist_group")


def lacking(fixture):
    """The module that brings it."""
    return {"module": _FIXTURES[fixture], "standard": True} if fixture in _FIXTURES else None


def pytest_addoption(parser):
    group = parser.getgroup("others")
    for name in _OPTIONS:
        group._addoption(name, nargs="?", default=None, help="of a plugin that is not here")
    for name in _SWITCHES:
        group._addoption(name, action="store_true", help="of a plugin that is not here")
    for name in _INIS:
        parser.addini(name, "of a plugin that is not here", default=None)


def pytest_configure(config):
    config.stash[gc_collect_iterations_key] = 0  # five collections at the end take longer than most tests
    for name in _MARKS:
        config.addinivalue_line("markers", f"{name}: of a plugin that is not here")
