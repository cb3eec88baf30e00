"""Tests and fixtures that are coroutines, with a mark or without: a plugin of pytest's. What belongs to one test shares a loop; so
does what belongs to one class, module or session."""
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
    """The function of a fixture as pytest can call it."""

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
