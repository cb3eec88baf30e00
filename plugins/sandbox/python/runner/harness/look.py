"""A look at the files that are no tests, with Python's own `ast`, before any code of the job runs: for what reaches for tests
rather than for what they test. What is looked for stands in `reaches`."""
import ast
import re
import sys

from . import modules, reaches, syntax
from .failures import ROOT
from .names import Names, is_there

_TEST = re.compile(r"(?:^|/)(?:conftest\.py$|tests?\.py$|test_[^/]*$|[^/]*_test\.py$|(?:tests?|testing)/)")
_MAX = 50


def is_test(path):
    return _TEST.search(path) is not None


def doubts(files, tests):
    """A line for each, `path:line: words`. A file that does not parse speaks for itself once it is loaded."""
    looked = {path: text for path, text in files.items() if path.endswith(".py") and path not in tests and not is_test(path)}
    stems = {path.rpartition("/")[2].removesuffix(".py") for path in tests}
    own = modules.local_names(looked) - stems - (sys.stdlib_module_names - modules.hidden(looked, tests))
    imports = set().union(*(syntax.imported(files[path]) for path in tests))
    found = [f"{path}:1: it takes the place of what tests are run with" for path in looked if path.removesuffix(".py") in ("pytest", "unittest", "_pytest", "pluggy")]
    found += [f"{name}.py:1: it takes the place of Python's own `{name}`, which the tests import" for name in sorted(modules.hidden(looked, tests) & imports - {"unittest"})]
    for path, text in looked.items():
        look = _Look(Names(own), stems)
        look.at(text)
        found += [f"{path}:{line}: {words}" for line, words in sorted(look.found)]
    return found[:_MAX]


class _Look:
    def __init__(self, names, stems):
        self.names, self.stems = names, stems
        self.found = set()
        self.line = 0

    def at(self, text):
        try:
            tree = ast.parse(text)
        except syntax.BROKEN:
            return
        nodes = list(ast.walk(tree))
        fine = set(_fine(tree, "module_from_spec" in text))
        for node in nodes:
            self.names.learn(node)
        for node in nodes:
            self.line = getattr(node, "lineno", 1)
            look = getattr(self, f"_look_at_{type(node).__name__}", None)
            if look and id(node) not in fine:
                look(node)
        for node in syntax.at_import(tree.body):
            self.line = getattr(node, "lineno", 1)
            ends = isinstance(node, ast.Call) and self.names.origin(node.func) in ("sys.exit", "exit", "quit")
            self._note("it ends the program while it is loaded", ends or isinstance(node, ast.Raise) and syntax.called(node.exc) == "SystemExit")

    def _note(self, words, is_so=True):
        if words and is_so:
            self.found.add((self.line, words))

    def _look_at_Import(self, node):
        for alias in node.names:
            self._look_at_module(alias.name)

    def _look_at_ImportFrom(self, node):
        for alias in node.names if node.module and node.level == 0 else ():
            self._look_at_origin(f"{node.module}.{alias.name}")

    def _look_at_module(self, name):
        top = name.partition(".")[0]
        self._note("it imports its own tests", top in self.stems)
        self._note(reaches.MODULES.get(top), top not in reaches.ALLOWED)

    def _look_at_origin(self, origin):
        top, _, rest = origin.partition(".")
        first = rest.partition(".")[0]
        is_allowed = first in reaches.ALLOWED.get(top, ()) or first.startswith(reaches.ALLOWED_BEGINNINGS.get(top, "\0"))
        self._look_at_module(top)
        self._note(reaches.MODULES.get(top), not is_allowed)
        for name, words in reaches.ATTRIBUTES.items():
            self._note(words, f"{origin}.".startswith(f"{name}."))

    def _look_at_Name(self, node):
        self._note(reaches.INSIDE.get(node.id))
        if node.id in self.names.origins and isinstance(node.ctx, ast.Load):
            self._look_at_origin(self.names.origins[node.id])  # handed on as a whole

    def _look_at_Attribute(self, node):
        self._note(reaches.INSIDE.get(node.attr))
        if self.names.is_foreign(node):
            self._look_at_origin(self.names.origin(node))
        self._note("it looks through all classes", node.attr == "__subclasses__" and isinstance(node.value, ast.Name) and node.value.id in ("object", "type"))
        self._note("it makes code objects", node.attr == "replace" and isinstance(node.value, ast.Attribute) and node.value.attr == "__code__")
        if not isinstance(node.ctx, ast.Load):
            is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            self._note("it changes what others are made of", node.attr in reaches.SET_INSIDE and not is_own)
            self._look_at_change(node, self.names.origin(node) not in reaches.SETTABLE and self.names.is_foreign(node) and is_there(self.names.origin(node)))

    def _look_at_change(self, node, is_so):
        if is_so:
            self._note(f"it changes `{ast.unparse(node)}`, which is not its own")

    def _look_at_Subscript(self, node):
        is_hidden = "._" in self.names.origin(node.value) and self.names.is_foreign(node.value)
        self._look_at_change(node.value, not isinstance(node.ctx, ast.Load) and (is_hidden or self._is_inside(node.value)))

    def _is_inside(self, node):
        """`vars(json)` or `json.__dict__`."""
        if isinstance(node, ast.Call) and syntax.called(node) == "vars" and node.args:
            return self.names.is_foreign(node.args[0])
        return isinstance(node, ast.Attribute) and node.attr == "__dict__" and self.names.is_foreign(node.value)

    def _look_at_Call(self, node):
        name, first = syntax.called(node), node.args[0] if node.args else ast.Constant(None)
        text = syntax.text_of(first)
        if name in ("setattr", "delattr", "__setattr__", "__delattr__"):
            self._look_at_change(first, self.names.is_foreign(first))
        elif name in ("update", "pop", "setdefault", "clear", "__setitem__") and isinstance(node.func, ast.Attribute):
            self._look_at_change(node.func.value, self._is_inside(node.func.value))
        elif name in ("import_module", "__import__") and text:
            self._look_at_module(text)
        elif name in ("exec", "eval", "compile") and text:
            within = _Look(Names(self.names.own, self.names.origins), self.stems)
            within.at(text)
            self.found |= {(self.line, words) for _, words in within.found}
        elif name == "type" and len(node.args) == 3 and isinstance(node.args[2], ast.Dict):
            for key, value in zip(node.args[2].keys, node.args[2].values):
                self._look_at_comparison({syntax.text_of(key)}, value)

    def _look_at_FunctionDef(self, node):
        self._note(reaches.EVERYTHING, node.name in reaches.COMPARISONS and syntax.is_blind(node.args, node.body))

    def _look_at_Assign(self, node):
        self._look_at_comparison({getattr(target, "attr", getattr(target, "id", None)) for target in node.targets}, node.value)

    def _look_at_comparison(self, names, value):
        if names & reaches.COMPARISONS and isinstance(value, ast.Lambda):
            self._note(reaches.EVERYTHING, syntax.is_blind(value.args, [ast.Return(value.body)]))

    def _look_at_Constant(self, node):
        text = syntax.text_of(node)
        if text is None:
            return
        self._note(reaches.INSIDE.get(text))
        speaks = any(stem.startswith("test") and text.removesuffix(".py").endswith(stem) for stem in self.stems)
        self._note(f"it speaks of its tests: {text[:40]!r}", speaks or text == "test_" or f"{text}/".startswith(f"{ROOT}/"))


def _fine(tree, is_loader):
    """Nodes that only seem to be what is looked for."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name() as value) | ast.Expr(value=ast.Constant() as value) | ast.Subscript(slice=ast.Name(id="__name__"), ctx=ast.Load(), value=value):
                yield id(value)
            case ast.Subscript(slice=ast.Attribute(attr="name") | ast.Name(), ctx=ast.Store(), value=value) if is_loader:
                yield id(value)  # `sys.modules[spec.name] = module`, as the library's manual has it
            case ast.Dict(keys=values) | ast.Compare(left=ast.Name(), ops=[ast.In() | ast.NotIn()], comparators=values):
                yield from map(id, values)
