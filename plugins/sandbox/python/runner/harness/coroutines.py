"""A plugin of pytest's that runs tests and fixtures that are coroutines, with or without a mark. All coroutines of one test share
an event loop, and so do the fixtures of one class, module or session."""
import asyncio
import inspect

import pytest
from _pytest.fixtures import resolve_fixture_function

_runner = pytest.StashKey()


def _runner_of(node):
    if _runner not in node.stash:
        runner = node.stash[_runner] = asyncio.Runner()

        def close():
            del node.stash[_runner]
            runner.close()

        node.session._setupstate.addfinalizer(close, node)
    return node.stash[_runner]


async def _next(generator):
    return await anext(generator)


def _synchronous(function, node):
    """Makes an async fixture a function that pytest can call."""

    def value(**arguments):
        return _runner_of(node).run(function(**arguments))

    def values(**arguments):
        generator = function(**arguments)
        yield _runner_of(node).run(_next(generator))
        try:
            _runner_of(node).run(_next(generator))
        except StopAsyncIteration:
            return
        raise RuntimeError("the fixture yielded more than once")

    return values if inspect.isasyncgenfunction(function) else value


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef, request):
    function = fixturedef.func
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        fixturedef.func = _synchronous(resolve_fixture_function(fixturedef, request), request.node)
    try:
        return (yield)
    finally:
        fixturedef.func = function


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    _runner_of(pyfuncitem).run(pyfuncitem.obj(**arguments))
    return True
