"""Reads the files that are no tests, before any code of the job runs, and finds code that may interfere with its tests. `doubtful.py`
lists the names that it searches for."""
import ast
import re
import sys

from . import doubtful, modules
from .modules import ROOT
from .names import Names, called, exists, text_of

_TEST = re.compile(r"(?:^|/)(?:conftest\.py$|tests?\.py$|test_[^/]*$|[^/]*_test\.py$|(?:tests?|testing)/)")
_RUNNERS = {"pytest.py", "unittest.py", "_pytest.py", "pluggy.py"}
BROKEN = (SyntaxError, ValueError, RecursionError, MemoryError)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_REFUSALS = ("return NotImplemented", "return False", "pass")
_MAX = 50


def is_test(path):
    return _TEST.search(path) is not None


def doubts(files, tests):
    """A line for each doubt: `path:line: words`. Files that do not parse are skipped, since loading them fails."""
    code = {path: text for path, text in files.items() if path.endswith(".py") and path not in tests and not is_test(path)}
    stems = {path.rpartition("/")[2].removesuffix(".py") for path in tests}
    hidden = modules.hidden(code, tests)
    own = modules.local_names(code) - stems - (sys.stdlib_module_names - hidden)
    imports = set().union(*(_imported(files[path]) for path in tests))
    found = [f"{path}:1: it takes the place of what tests are run with" for path in code if path in _RUNNERS]
    for name in sorted(hidden & imports - {"unittest"}):
        found.append(f"{name}.py:1: it takes the place of Python's own `{name}`, which the tests import")
    for path, text in code.items():
        reader = _Reader(Names(own), stems)
        reader.read(text)
        found += [f"{path}:{line}: {words}" for line, words in sorted(reader.found)]
    return found[:_MAX]


class _Reader:
    def __init__(self, names, stems):
        self.names, self.stems = names, stems
        self.found = set()
        self.line = 0

    def read(self, text):
        try:
            tree = ast.parse(text)
        except BROKEN:
            return
        nodes = list(ast.walk(tree))
        harmless = set(_harmless(tree, "module_from_spec" in text))
        for node in nodes:
            self.names.learn(node)
        for node in nodes:
            self.line = getattr(node, "lineno", 1)
            visit = getattr(self, f"_visit_{type(node).__name__}", None)
            if visit and id(node) not in harmless:
                visit(node)
        for node in _run_at_import(tree.body):
            self.line = getattr(node, "lineno", 1)
            ends = isinstance(node, ast.Call) and self.names.origin(node.func) in ("sys.exit", "exit", "quit")
            raises = isinstance(node, ast.Raise) and called(node.exc) == "SystemExit"
            self._add("it ends the program while it is loaded", ends or raises)

    def _add(self, words, condition=True):
        if words and condition:
            self.found.add((self.line, words))

    def _visit_Import(self, node):
        for alias in node.names:
            self._check_module(alias.name)

    def _visit_ImportFrom(self, node):
        for alias in node.names if node.module and node.level == 0 else ():
            self._check_origin(f"{node.module}.{alias.name}")

    def _check_module(self, name):
        top = name.partition(".")[0]
        self._add("it imports its own tests", top in self.stems)
        self._add(doubtful.MODULES.get(top), top not in doubtful.ALLOWED)

    def _check_origin(self, origin):
        top, _, rest = origin.partition(".")
        first = rest.partition(".")[0]
        is_allowed = first in doubtful.ALLOWED.get(top, ()) or first.startswith(doubtful.ALLOWED_PREFIXES.get(top, "\0"))
        self._check_module(top)
        self._add(doubtful.MODULES.get(top), not is_allowed)
        for name, words in doubtful.ATTRIBUTES.items():
            self._add(words, f"{origin}.".startswith(f"{name}."))

    def _visit_Name(self, node):
        self._add(doubtful.INSIDE.get(node.id))
        if node.id in self.names.origins and isinstance(node.ctx, ast.Load):
            self._check_origin(self.names.origins[node.id])  # the module or function as a whole, perhaps as an argument

    def _visit_Attribute(self, node):
        self._add(doubtful.INSIDE.get(node.attr))
        origin, is_foreign = self.names.origin(node), self.names.is_foreign(node)
        if is_foreign:
            self._check_origin(origin)
        is_base = isinstance(node.value, ast.Name) and node.value.id in ("object", "type")
        self._add("it looks through all classes", node.attr == "__subclasses__" and is_base)
        self._add("it makes code objects", node.attr == "replace" and getattr(node.value, "attr", "") == "__code__")
        if not isinstance(node.ctx, ast.Load):
            is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            self._add("it changes what others are made of", node.attr in doubtful.SET_INSIDE and not is_own)
            self._check_change(node, is_foreign and origin not in doubtful.SETTABLE and exists(origin))

    def _check_change(self, node, condition):
        if condition:
            self._add(f"it changes `{ast.unparse(node)}`, which is not its own")

    def _visit_Subscript(self, node):
        is_private = "._" in self.names.origin(node.value) and self.names.is_foreign(node.value)
        self._check_change(node.value, not isinstance(node.ctx, ast.Load) and (is_private or self._is_namespace(node.value)))

    def _is_namespace(self, node):
        """Whether it is the namespace of a module: `vars(json)` or `json.__dict__`."""
        if isinstance(node, ast.Call) and called(node) == "vars" and node.args:
            return self.names.is_foreign(node.args[0])
        return isinstance(node, ast.Attribute) and node.attr == "__dict__" and self.names.is_foreign(node.value)

    def _visit_Call(self, node):
        name, first = called(node), node.args[0] if node.args else ast.Constant(None)
        text = text_of(first)
        if name in ("setattr", "delattr", "__setattr__", "__delattr__"):
            self._check_change(first, self.names.is_foreign(first))
        elif name in ("update", "pop", "setdefault", "clear", "__setitem__") and isinstance(node.func, ast.Attribute):
            self._check_change(node.func.value, self._is_namespace(node.func.value))
        elif name in ("import_module", "__import__") and text:
            self._check_module(text)
        elif name in ("exec", "eval", "compile") and text:
            inner = _Reader(Names(self.names.own, self.names.origins), self.stems)
            inner.read(text)
            self.found |= {(self.line, words) for _, words in inner.found}

    def _visit_FunctionDef(self, node):
        self._add(doubtful.EVERYTHING, node.name in doubtful.COMPARISONS and _ignores_other(node.args, node.body))

    def _visit_Assign(self, node):
        names = {getattr(target, "attr", getattr(target, "id", None)) for target in node.targets}
        if names & doubtful.COMPARISONS and isinstance(node.value, ast.Lambda):
            self._add(doubtful.EVERYTHING, _ignores_other(node.value.args, [ast.Return(node.value.body)]))

    def _visit_Constant(self, node):
        text = text_of(node)
        if text is None:
            return
        self._add(doubtful.INSIDE.get(text))
        is_stem = any(stem.startswith("test") and text.removesuffix(".py").endswith(stem) for stem in self.stems)
        self._add(f"it speaks of its tests: {text[:40]!r}", is_stem or text == "test_" or f"{text}/".startswith(f"{ROOT}/"))


def _harmless(tree, is_loader):
    """Nodes that only resemble what is searched for."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name() as value) | ast.Expr(value=ast.Constant() as value):
                yield id(value)
            case ast.Subscript(slice=ast.Name(id="__name__"), ctx=ast.Load(), value=value):
                yield id(value)
            case ast.Subscript(slice=ast.Attribute(attr="name") | ast.Name(), ctx=ast.Store(), value=value) if is_loader:
                yield id(value)  # `sys.modules[spec.name] = module`, as importlib's manual has it
            case ast.Dict(keys=values) | ast.Compare(left=ast.Name(), ops=[ast.In() | ast.NotIn()], comparators=values):
                yield from map(id, values)


def _imported(source):
    """The top-level names of all modules that the source imports."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except BROKEN:
        return set()
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and node.level == 0}
    return {name.partition(".")[0] for name in names}


def _run_at_import(body):
    """The nodes that run when the file is loaded as a module."""
    left = list(body)
    while left:
        node = left.pop()
        if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test):
            left += node.orelse
        elif not isinstance(node, _FUNCTIONS):
            yield node
            left += ast.iter_child_nodes(node)


def _ignores_other(arguments, body):
    """Whether a comparison never reads its other operand, and does not refuse to compare either."""
    others = [argument.arg for argument in [*arguments.posonlyargs, *arguments.args]][1:2]
    body = [node for node in body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    read = {inner.id for node in body for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    refuses = len(body) == 1 and (ast.unparse(body[0]) in _REFUSALS or _raises_refusal(body[0]))
    return bool(body) and not refuses and bool(others) and others[0] not in read


def _raises_refusal(node):
    return isinstance(node, ast.Raise) and called(node.exc) in ("NotImplementedError", "TypeError")
