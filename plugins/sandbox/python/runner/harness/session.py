"""Sets tests up, with the fixtures that they ask for, runs them and takes everything down again."""
import asyncio
from types import AsyncGeneratorType as _AsyncGenerator, CoroutineType as _Coroutine, GeneratorType as _Generator

from pytest._config import Config
from pytest._fixtures import SCOPES, FixtureRequest
from pytest._logging import LogHandler
from pytest._outcomes import Failed, Skipped, XFailed

from . import channel, filters, handed, loop
from .limits import LimitReached

# What plugins bring along. A test that wants it cannot be run here, which is not the test's fault.
PLUGINS = {"mocker": "pytest-mock", "benchmark": "pytest-benchmark", "httpx_mock": "pytest-httpx", "requests_mock": "requests-mock", "freezer": "pytest-freezer",
           "faker": "faker", "db": "pytest-django", "settings": "pytest-django", "aiohttp_client": "pytest-aiohttp", "qtbot": "pytest-qt", "snapshot": "syrupy"}


class _Ends:
    """What is to be done when something ends, the last first."""

    def __init__(self):
        self.finalizers = []

    def close(self):
        first = None
        while self.finalizers:
            try:
                self.finalizers.pop()()
            except BaseException as error:
                first = first or error
        if first is not None:
            raise first


class _Scope(_Ends):
    """What lives as long as one session, module, class or test."""

    def __init__(self, owner):
        super().__init__()
        self.owner, self.values = owner, {}


class _Made(_Ends):
    """What a fixture made, or what it raised, for one value of its parameter."""

    def __init__(self, held, key, param):
        super().__init__()
        self.value, self.error, self.param, self._held, self._key = None, None, param, held, key

    def end(self):
        """What was made with it has ended before."""
        if self._held.values.get(self._key) is self:
            del self._held.values[self._key]
        self.close()

    def is_for(self, param):
        try:
            return self.param is param or bool(self.param == param)
        except (ValueError, RuntimeError):
            return False  # as arrays do


class Session:
    def __init__(self, settings):
        self.config, self.options, self.logs = Config(settings.settings, settings.arguments), settings, LogHandler(settings.logged)
        self._scopes, self._holders = {}, {}
        self._runner = None

    def await_(self, coroutine):
        """One loop for all, as fixtures hand what belongs to it to tests."""
        if self._runner is None:
            self._runner = asyncio.Runner()
        try:
            return asyncio.Runner.run(self._runner, coroutine)
        except LimitReached:
            self._runner = None  # it was left in the middle of something
            raise

    def scope(self, name, item):
        owner = _owner(name, item)
        held = self._scopes.get(name)
        if held is None or held.owner is not owner:
            held = self._scopes[name] = _Scope(owner)
        return held

    def holder(self, cls):
        """The object of a class of tests that its fixtures have where they live longer than a test."""
        if id(cls) not in self._holders:
            self._holders[id(cls)] = cls()
        return self._holders[id(cls)]

    @property
    def is_open(self):
        return bool(self._scopes)

    def leave(self, following, is_last=True, item=None):
        """Ends what no later test shares."""
        if item is not None:  # what its marks say holds for that, too
            self.logs.begin("teardown")
            with filters.of(item, self.options.filters):
                return self.leave(following, is_last)
        first = None
        for name in reversed(SCOPES):
            held = self._scopes.get(name)
            if not is_last and name in ("session", "package"):
                continue
            if held is not None and (name == "function" or following is None or held.owner is not _owner(name, following)):
                del self._scopes[name]
                try:
                    held.close()
                except BaseException as error:
                    first = first or error
        if first is not None:
            raise first


def _owner(scope, item):
    return {"session": None, "package": None, "module": item.module, "class": item.cls or item, "function": item}[scope]


class Setup:
    """One run of one test."""

    def __init__(self, item, session):
        self.item, self.session, self.config = item, session, session.config
        self.instance = None
        self._making, self._known = [], {}

    def run(self):
        with filters.of(self.item, self.session.options.filters):
            self._run()
        loop.check()
        channel.returned()

    def _run(self):
        item, session = self.item, self.session
        session.logs.begin("setup")
        if item.cls:
            self.instance = item.cls()
            handed.watch(self.instance)
        for name in item.fixturenames:
            self.value_of(name)
        values = {name: self.value_of(name) for name in item.arguments}
        session.logs.begin("call")
        function = getattr(self.instance, item.method) if item.cls else item.function
        result = function(**values)
        if isinstance(result, _Coroutine):
            session.await_(result)
        elif isinstance(result, _Generator):
            raise Failed("a test must not be a generator")

    @property
    def finalizers(self):
        return self.session.scope("function", self.item).finalizers

    def value_of(self, name):
        item = self.item
        if name in item.direct:
            return item.direct[name]
        if name == "request":
            return FixtureRequest(item, None, None, self)
        definitions = item.fixtures.get(name)
        if not definitions:
            plugin = PLUGINS.get(name)
            if plugin is not None:
                raise ModuleNotFoundError(f"the fixture '{name}' comes with {plugin}", name=plugin)
            raise Failed(f"fixture '{name}' not found")
        # A fixture that asks for its own name means the one that it overrides.
        depth = sum(1 for asked, _, _ in self._making if asked == name)
        if depth >= len(definitions):
            raise Failed(f"recursive dependency involving fixture '{name}' detected")
        made = self._made(name, definitions[-1 - depth])
        if self._making:
            self._making[-1][2].append(made)
        if made.error is not None:
            raise made.error[0].with_traceback(made.error[1])
        return made.value

    def _made(self, name, definition):
        """What it needs comes first: where that is made anew, so is this."""
        item, wide = self.item, self._making[-1][1] if self._making else definition
        if SCOPES.index(definition.scope) > SCOPES.index(wide.scope):
            raise Failed(f"ScopeMismatch: You tried to access the {definition.scope} scoped fixture {name} with a {wide.scope} scoped request object")
        if id(definition) in self._known:
            return self._known[id(definition)]
        needed, param = [], item.indirect.get(name)
        self._making.append((name, definition, needed))
        try:
            arguments = {argument: self.value_of(argument) for argument in definition.argnames if argument != "request" and not self._is_self(argument, definition)}
            held, key = self.session.scope(definition.scope, item), id(definition)
            made = held.values.get(key)
            if made is not None:
                if made.is_for(param):
                    self._known[key] = made
                    return made
                made.end()
            made = self._known[key] = held.values[key] = _Made(held, key, param)
            held.finalizers.append(made.end)
            self._make(made, name, definition, arguments)
            for one in needed:
                one.finalizers.append(made.end)
            return made
        finally:
            self._making.pop()

    def _make(self, made, name, definition, arguments):
        for argument in definition.argnames:
            if argument == "request":
                arguments[argument] = FixtureRequest(self.item, name, definition, self, made.finalizers)
            elif self._is_self(argument, definition):
                arguments[argument] = self.item.cls if argument == "cls" else self._self_of(definition)
        try:
            made.value = self._called(made, definition, arguments)
        except (Exception, Skipped, XFailed, Failed) as error:
            made.error = error, error.__traceback__

    def _called(self, made, definition, arguments):
        value = definition.func(**arguments)
        if isinstance(value, _Generator):
            made.finalizers.append(lambda: _exhaust(value, definition))
            return next(value)
        if isinstance(value, _AsyncGenerator):
            made.finalizers.append(lambda: self.session.await_(_aclose(value)))
            return self.session.await_(_first(value))
        return self.session.await_(value) if isinstance(value, _Coroutine) else value

    def _is_self(self, argument, definition):
        return argument in ("self", "cls") and argument == definition.argnames[0]

    def _self_of(self, definition):
        """The test's own object, but for a fixture that outlives it, or is of a class that the test's class lies in."""
        cls = next((cls for cls in reversed(self.item.classes) if any(value is definition for base in cls.__mro__ for value in vars(base).values())), self.item.cls)
        return self.instance if definition.scope == "function" and isinstance(self.instance, cls) else self.session.holder(cls)


def _exhaust(generator, definition):
    for _ in generator:
        raise Failed(f"fixture function '{definition.argname}' has more than one 'yield'")


async def _first(generator):
    return await anext(generator)


async def _aclose(generator):
    if not generator.ag_suspended:
        raise RuntimeError("the fixture was ended by someone else")
    async for _ in generator:
        pass
