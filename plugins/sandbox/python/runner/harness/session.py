"""Sets tests up, with the fixtures that they ask for, runs them and takes everything down again."""
import asyncio
import inspect
from types import AsyncGeneratorType as _AsyncGenerator, CoroutineType as _Coroutine, GeneratorType as _Generator

from pytest._fixtures import SCOPES, Config, FixtureDef, FixtureRequest
from pytest._outcomes import Failed

from . import channel, filters, handed, loop
from .limits import LimitReached

# What plugins bring along. A test that wants it cannot be run here, which is not the test's fault.
PLUGINS = {"mocker": "pytest-mock", "benchmark": "pytest-benchmark", "httpx_mock": "pytest-httpx", "requests_mock": "requests-mock", "freezer": "pytest-freezer",
           "faker": "faker", "db": "pytest-django", "settings": "pytest-django", "aiohttp_client": "pytest-aiohttp", "qtbot": "pytest-qt", "snapshot": "syrupy"}


class _Scope:
    """What lives as long as one session, module, class or test."""

    def __init__(self, owner):
        self.owner, self.values, self.finalizers = owner, {}, []

    def close(self):
        first = None
        while self.finalizers:
            try:
                self.finalizers.pop()()
            except BaseException as error:
                first = first or error
        if first is not None:
            raise first


class Session:
    def __init__(self, settings):
        self.config, self.options = Config(), settings
        self._scopes = {}
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
            self._enter(name, held, item)
        return held

    @property
    def is_open(self):
        return bool(self._scopes)

    def leave(self, following, is_last=True, item=None):
        """Ends what no later test shares."""
        if item is not None:  # what its marks say holds for that, too
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

    def _enter(self, name, held, item):
        place = item.module if name == "module" else item.cls if name == "class" else None
        if place is None:
            return
        pairs = (("setup_module", "teardown_module"), ("setUpModule", "tearDownModule")) if name == "module" else (("setup_class", "teardown_class"),)
        for begin, end in pairs:
            call_with(getattr(place, begin, None), place)
            if callable(getattr(place, end, None)):
                held.finalizers.append(lambda end=end: call_with(getattr(place, end), place))


def _owner(scope, item):
    return {"session": None, "package": None, "module": item.module, "class": item.cls or item, "function": item}[scope]


def call_with(hook, argument):
    """Hooks take what they are about, or nothing."""
    if not callable(hook) or isinstance(hook, FixtureDef):
        return
    hook(argument) if inspect.signature(hook).parameters else hook()


class Setup:
    """One run of one test."""

    def __init__(self, item, session):
        self.item, self.session, self.config = item, session, session.config
        self.instance = None
        self._making = []

    def run(self):
        with filters.of(self.item, self.session.options.filters):
            self._run()
        loop.check()
        channel.returned()

    def _run(self):
        item, session = self.item, self.session
        for name in SCOPES[:-1]:
            if name != "class" or item.cls:
                session.scope(name, item)
        if item.cls:
            self.instance = item.cls()
            handed.watch(self.instance)
        # Fixtures that are used by themselves come before the hooks of a test, those that it asks for after.
        for name in item.fixturenames:
            definitions = item.fixtures.get(name)
            if definitions and definitions[-1].autouse:
                self.value_of(name)
        self._call_hooks()
        for mark in item.iter_markers("usefixtures"):
            for name in mark.args:
                self.value_of(name)
        values = {name: self.value_of(name) for name in item.arguments}
        function = getattr(self.instance, item.method) if item.cls else item.function
        result = function(**values)
        if isinstance(result, _Coroutine):
            self.session.await_(result)
        elif isinstance(result, _Generator):
            raise Failed("a test must not be a generator")

    def _call_hooks(self):
        place = self.instance if self.item.cls else self.item.module
        begin, end = ("setup_method", "teardown_method") if self.item.cls else ("setup_function", "teardown_function")
        function = getattr(self.instance, self.item.method) if self.item.cls else self.item.function
        call_with(getattr(place, begin, None), function)
        if callable(getattr(place, end, None)):
            self.add_finalizer("function", lambda: call_with(getattr(place, end), function))

    def add_finalizer(self, scope, finalizer):
        self.session.scope(scope, self.item).finalizers.append(finalizer)

    def value_of(self, name):
        item = self.item
        if name in item.direct:
            return item.direct[name]
        if name == "request":
            return FixtureRequest(item, None, self)
        definitions = item.fixtures.get(name)
        if not definitions:
            plugin = PLUGINS.get(name)
            if plugin is not None:
                raise ModuleNotFoundError(f"the fixture '{name}' comes with {plugin}", name=plugin)
            raise Failed(f"fixture '{name}' not found")
        # A fixture that asks for its own name means the one that it overrides.
        depth = sum(1 for made in self._making if made.argname == name)
        if depth >= len(definitions):
            raise Failed(f"recursive dependency involving fixture '{name}' detected")
        return self._value(definitions[-1 - depth])

    def _value(self, definition):
        item, wide = self.item, self._making[-1] if self._making else definition
        if SCOPES.index(definition.scope) > SCOPES.index(wide.scope):
            raise Failed(f"ScopeMismatch: You tried to access the {definition.scope} scoped fixture {definition.argname} with a {wide.scope} scoped request object")
        held = self.session.scope(definition.scope, item)
        index = item.indirect[definition.argname][0] if definition.argname in item.indirect else None
        key = (id(definition), index)
        if key not in held.values:
            self._making.append(definition)
            try:
                held.values[key] = self._made(definition, held)
            finally:
                self._making.pop()
        return held.values[key]

    def _made(self, definition, held):
        arguments = {}
        for name in definition.argnames:
            if name == "request":
                arguments[name] = FixtureRequest(self.item, definition, self)
            elif name in ("self", "cls") and name == definition.argnames[0]:
                arguments[name] = self.item.cls if name == "cls" else self.instance
            else:
                arguments[name] = self.value_of(name)
        made = definition.func(**arguments)
        if isinstance(made, _Generator):
            held.finalizers.append(lambda: _exhaust(made, definition))
            return next(made)
        if isinstance(made, _AsyncGenerator):
            held.finalizers.append(lambda: self.session.await_(_aclose(made)))
            return self.session.await_(_first(made))
        return self.session.await_(made) if isinstance(made, _Coroutine) else made


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
