"""What a file of tests says in its own text, read before any code runs: the tests that it has, so that whoever makes one
disappear is found out, and what it changes itself."""
import ast
import re
import sys
from typing import NamedTuple

_HARMLESS = ("pytest.mark.", "patch", "mock.", "unittest.", "skip", "expectedFailure")
_PATH = re.compile(r"\w*(?:\.\w+)+")
_WORDS = re.compile(r"\.?[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_PATCHERS = frozenset(("patch", "setattr", "delattr", "setitem", "delitem"))
_OF_PATCHERS = frozenset(("object", "dict", "multiple", "update"))  # such a method may be anything's
_IMPORTS = frozenset(("importorskip", "import_module", "__import__"))
_SKIPS = re.compile(r"\b(?:skip(?:if|unless|test)?|importorskip|xfail|expectedFailure)\b", re.I)


class Text(NamedTuple):
    """`tests`: only those that are plain: one that something might rightly leave out is not listed. `firm`: those that cannot
    skip themselves, since nothing in their text says so. `rebound`: globals to which it binds something again; `changed`:
    attributes that it sets, `given`: on modules; `spoken`: names that it has others replace, as those that are
    given to `patch`; `words`: whatever of its texts could be a name. `modules`: what it imports. `makes_names`: it works with its own names as data."""

    tests: tuple = ()
    firm: frozenset = frozenset()
    rebound: frozenset = frozenset()
    changed: frozenset = frozenset()
    given: frozenset = frozenset()
    spoken: frozenset = frozenset()
    words: frozenset = frozenset()
    modules: frozenset = frozenset()
    makes_names: bool = False


def read(source, path, local):
    """What it says, and its tree; or the error, as when Python reads it."""
    try:
        tree = ast.parse(source.encode("utf-8", "surrogatepass"), path)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return Text(), error
    tests = tuple(_tests(tree))
    rebound, changed, given, spoken, words, modules, imported, makes_names = set(), set(), set(), set(), set(), set(), set(), False
    stored, reckoned, known = [], [], sys.stdlib_module_names | local
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 200 and _WORDS.fullmatch(node.value):
            words.update(node.value.split("."))
        match node:
            case ast.Global(names=names):
                rebound.update(names)
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                stored.append(node)
            case ast.Constant(value=str(value)) if len(value) < 200 and _PATH.fullmatch(value) and value.partition(".")[0] in known:
                spoken.update((value, value.rpartition(".")[2]))
            case ast.JoinedStr(values=[ast.FormattedValue(value=ast.Name(id="__name__")), ast.Constant(value=str(value))]):
                spoken.add(value.rpartition(".")[2])
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=arguments, keywords=keywords) if name in _PATCHERS or (name in _OF_PATCHERS and _is_patcher(node.func)):
                spoken.update(word.value for word in _words(arguments))
                spoken.update(keyword.arg for keyword in keywords if keyword.arg)
                if len(arguments) > 1 and not isinstance(arguments[1], ast.Constant):
                    reckoned.append(arguments[0])
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=[ast.Constant(value=str(value)), *_]) if name in _IMPORTS:
                modules.add(value)
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="modules")), args=[ast.Constant(value=str(value)), *_]):
                spoken.add(value)
            case ast.Subscript(value=ast.Attribute(attr="modules"), slice=ast.Constant(value=str(value))):
                spoken.add(value)
            case ast.Subscript(value=ast.Call(func=ast.Name(id="globals" | "vars")), slice=ast.Constant(value=str(value))):
                rebound.add(value)
            case ast.Call(func=ast.Name(id="globals" | "vars")):
                makes_names = True
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                imported.update((alias.asname or alias.name).partition(".")[0] for alias in names)
                modules.update(_modules(node))
    if any(_base(node) in imported for node in reckoned):
        spoken |= words  # of a module, by a name that it reckons out
    for node in stored:
        root = _base(node)
        changed.add(node.attr)
        if root in imported:
            spoken.add(node.attr)
        elif (isinstance(node.value, ast.Name) and node.value.id in ("module", "mod")) or (isinstance(node.value, ast.Attribute) and node.value.attr == "module"):
            given.add(node.attr)
    return Text(tests, frozenset(_firm(tree, source, tests)), *map(frozenset, (rebound, changed, given, spoken, words, modules)), makes_names), tree


def _modules(node):
    """What of it may be a module is one."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)] if node.level == 0 else []


def _is_patcher(function):
    return isinstance(function, ast.Attribute) and ast.unparse(function.value).endswith(("patch", "mocker", "__dict__"))


def _words(arguments):
    """The names among them, and among the keys of dictionaries."""
    for argument in arguments:
        if isinstance(argument, ast.JoinedStr) and argument.values and isinstance(argument.values[-1], ast.Constant):  # f"{MODULE}.read"
            argument = ast.Constant(argument.values[-1].value.rpartition(".")[2])
        yield from (word for word in (argument.keys if isinstance(argument, ast.Dict) else (argument,)) if isinstance(word, ast.Constant) and isinstance(word.value, str))


def _firm(tree, source, tests):
    """A word of skipping in a test, or in its class outside of other tests, or outside of all tests, speaks for it."""
    if not _SKIPS.search(source):
        return tests
    lines = source.split("\n")

    def speaks(node, but=()):
        first = min([node.lineno, *(part.lineno for part in getattr(node, "decorator_list", ()))])
        left = {line for part in but for line in range(min([part.lineno, *(one.lineno for one in part.decorator_list)]), part.end_lineno + 1)}
        return any(_SKIPS.search(lines[line - 1]) for line in range(first, node.end_lineno + 1) if line not in left)

    def is_test(node):
        return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test")

    firm = set()
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            methods = [part for part in node.body if is_test(part)]
            if not speaks(node, methods):
                firm.update(f"{node.name}.{part.name}" for part in methods if not speaks(part))
        elif is_test(node):
            if not speaks(node):
                firm.add(node.name)
        elif not isinstance(node, (ast.Import, ast.ImportFrom)) and speaks(node):
            return ()
    return [name for name in tests if name in firm]


def _tests(tree):
    names = {}
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.pop(name, None)
                if _is_plain_test(node):
                    names[name] = [name]
            case ast.ClassDef(name=name):
                names.pop(name, None)
                if _is_plain_class(node):
                    names[name] = [f"{name}.{test}" for test in _methods(node)]
            case ast.Assign(targets=targets):
                for target in targets:
                    names.pop(_base(target), None)
            case ast.AnnAssign(target=target):
                names.pop(_base(target), None)
            case ast.Expr(value=ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[target, *_])):
                names.pop(_base(target), None)
            case ast.Delete():
                return []
    return [name for group in names.values() for name in group]


def _base(target):
    """The name that an assignment is about, be it of an attribute."""
    while isinstance(target, ast.Attribute):
        target = target.value
    return getattr(target, "id", None)


def _is_plain_test(node):
    return node.name.startswith("test") and all(_is_harmless(decorator) for decorator in node.decorator_list)


def _is_harmless(decorator):
    return ast.unparse(decorator).startswith(_HARMLESS)


def _is_plain_class(node):
    bases = [ast.unparse(base).rpartition(".")[2] for base in node.bases]
    is_unit = bases in (["TestCase"], ["IsolatedAsyncioTestCase"])
    is_plain = node.name.startswith("Test") and bases in ([], ["object"])
    defined = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    assigned = {_base(target) for part in node.body if isinstance(part, (ast.Assign, ast.AnnAssign)) for target in getattr(part, "targets", None) or [part.target]}
    return (is_unit or is_plain) and not node.keywords and all(map(_is_harmless, node.decorator_list)) and not {"__init__", "__new__"} & defined and "__test__" not in assigned


def _methods(node):
    methods = {}
    for part in node.body:
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
            methods[part.name] = _is_plain_test(part)
        elif isinstance(part, ast.Assign):
            for target in part.targets:
                methods.pop(getattr(target, "id", None), None)
    return [name for name, is_test in methods.items() if is_test]
