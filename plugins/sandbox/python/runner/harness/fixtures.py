"""Which fixtures a test sees, and which have a part in it: those that are used by themselves, those that it asks for, and theirs."""
import inspect
from unittest import mock

from pytest._fixtures import BUILTIN, SCOPES, FixtureDef

XUNIT = "_xunit_"


def of_module(module, conftests):
    """Name -> definitions, the nearest last: one may ask for what it overrides."""
    found = {name: [definition] for name, definition in BUILTIN.items()}
    for place in conftests:
        _add(found, vars(place))
    _add_hooks(found, "module", module, ("setUpModule", "setup_module"), ("tearDownModule", "teardown_module"), lambda request: request.module)
    _add_hooks(found, "function", module, ("setup_function",), ("teardown_function",), lambda request: request.function)
    _add(found, vars(module))
    return found


def of_class(around, cls):
    """With what is around it: the module's, and those of the classes that it lies in."""
    found = {name: list(definitions) for name, definitions in around.items()}
    _add_hooks(found, "class", cls, ("setup_class",), ("teardown_class",), lambda request: request.cls)
    _add_hooks(found, "method", cls, ("setup_method",), ("teardown_method",), lambda request: request.function)
    _add(found, {name: value for base in reversed(cls.__mro__) for name, value in vars(base).items()})
    return found


def _add(found, names):
    for name, value in sorted((item for item in names.items() if isinstance(item[1], FixtureDef)), key=lambda item: item[0]):
        found.setdefault(value.argname if value.argname != value.func.__name__ else name, []).append(value)


def _add_hooks(found, kind, place, begins, ends, about):
    """Hooks of the old kind are fixtures, too, that come first of their scope."""
    begin, end = _first_of(place, begins), _first_of(place, ends)
    if begin is None and end is None:
        return

    def hook(request):
        if kind == "function" and request.instance is not None:
            yield  # that is for the hooks of its class
            return
        if begin is not None:
            _call(_bound(kind, begin, request), about(request))
        yield
        if end is not None:
            _call(_bound(kind, end, request), about(request))

    name = f"{XUNIT}{kind}_{getattr(place, '__qualname__', place.__name__)}"
    found[name] = [FixtureDef(hook, "function" if kind == "method" else kind, None, True, name, None)]


def _first_of(place, names):
    return next((hook for hook in (getattr(place, name, None) for name in names) if callable(hook) and not isinstance(hook, FixtureDef)), None)


def _bound(kind, hook, request):
    """Of a class that lies in another the hook of the outer one is called with the inner one."""
    if kind == "method":
        return getattr(request.instance, hook.__name__)
    return getattr(hook, "__func__", hook) if kind == "class" else hook


def _call(hook, argument):
    """Hooks take what they are about, or nothing."""
    hook(argument) if inspect.signature(hook).parameters else hook()


def arguments_of(function, has_self):
    """The names that a test wants values for. What `@patch` passes by itself is not among them."""
    parameters = list(inspect.signature(function, follow_wrapped=True).parameters.values())[1 if has_self else 0:]
    patched = sum(1 for patch in getattr(function, "patchings", ()) if not patch.attribute_name and patch.new is mock.DEFAULT)
    positional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [parameter.name for parameter in parameters[patched:] if parameter.default is inspect.Parameter.empty and parameter.kind not in positional]


def closure(wanted, marks, fixtures, direct):
    """Every fixture that has a part in the test, in the order in which they are set up: what lives longest first, then what is used by itself."""
    names, depths = [], {}

    def add(name):
        definitions = () if name in direct else fixtures.get(name, ())
        depth = depths.get(name, 0)
        if name not in names:
            names.append(name)
        elif depth == 0:
            return
        if depth < len(definitions):
            depths[name] = depth + 1
            for argument in definitions[-1 - depth].argnames:
                if argument not in ("self", "cls", "request"):
                    add(argument)
            depths[name] = depth

    used = [name for mark in marks if mark.name == "usefixtures" for name in mark.args]
    by_itself = [name for name, definitions in fixtures.items() if any(definition.autouse for definition in definitions)]
    for name in (*by_itself, *used, *wanted):
        add(name)
    return sorted(names, key=lambda name: SCOPES.index(fixtures[name][-1].scope) if name in fixtures and name not in direct else len(SCOPES) - 1)
