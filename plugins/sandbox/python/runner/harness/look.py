"""A look at the files that are no tests, with Python's own `ast`, before any code of the job runs: for what reaches for tests
rather than for what they test. What is looked for stands in `reaches`."""
import ast
import re
import sys

from . import modules, reaches, syntax
from .failures import ROOT

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
        look = _Look(own, stems)
        look.at(text)
        found += [f"{path}:{line}: {words}" for line, words in sorted(look.found)]
    return found[:_MAX]


class _Look:
    def __init__(self, own, stems):
        self.own, self.stems = own, stems
        self.origins = {}  # what a name of the file stands for: "json.encoder"
        self.found = set()
        self.fine = set()  # nodes that only seem to be what is looked for
        self.line = 0

    def at(self, text, offset=0):
        try:
            tree = ast.parse(text)
        except syntax.BROKEN:
            return
        nodes = list(ast.walk(tree))
        self.is_loader = "module_from_spec" in text
        for look in (self._learn, self._look_at):
            for node in nodes:
                self.line = offset + getattr(node, "lineno", 1)
                look(node)
        for node in syntax.at_import(tree.body):
            self.line = offset + getattr(node, "lineno", 1)
            ends = isinstance(node, ast.Call) and self._origin(node.func) in ("sys.exit", "exit", "quit")
            self._note("it ends the program while it is loaded", ends or isinstance(node, ast.Raise) and syntax.called(node.exc) == "SystemExit")

    def _note(self, words, is_so=True):
        if words and is_so:
            self.found.add((self.line, words))

    def _learn(self, node):
        match node:
            case ast.Import():
                for alias in node.names:
                    top = alias.name.partition(".")[0]
                    self.origins[alias.asname or top] = alias.name if alias.asname else top
                    self._look_at_module(alias.name)
            case ast.ImportFrom(module=str(module), level=0):
                for alias in node.names:
                    self.origins[alias.asname or alias.name] = f"{module}.{alias.name}"
                    self._look_at_origin(f"{module}.{alias.name}")
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute() as value) if "." in self._origin(value):
                self.origins.setdefault(name, self._origin(value))
            case ast.Attribute(value=ast.Name()):
                self.fine.add(id(node.value))
            case ast.Dict():
                self.fine.update(id(key) for key in node.keys)
            case ast.Expr(value=ast.Constant()):
                self.fine.add(id(node.value))
            case ast.Compare(left=ast.Name(), ops=[ast.In() | ast.NotIn()]):
                self.fine.update(id(other) for other in node.comparators)
            case ast.Subscript(slice=ast.Name(id="__name__"), ctx=ast.Load()):
                self.fine.add(id(node.value))
            case ast.Subscript(slice=ast.Attribute(attr="name") | ast.Name(), ctx=ast.Store()) if self.is_loader:
                self.fine.add(id(node.value))  # as the library's manual has it

    def _look_at(self, node):
        look = getattr(self, f"_look_at_{type(node).__name__}", None)
        if look and id(node) not in self.fine:
            look(node)

    def _origin(self, node):
        """The dotted name that it stands for, where that is known: `encoder.ESCAPE` is `json.encoder.ESCAPE`."""
        root, parts = syntax.root_of(node), []
        while node is not root:
            parts.append(node.attr)
            node = node.value
        if isinstance(root, ast.Call) and syntax.called(root) == "__import__" and root.args:
            base = syntax.text_of(root.args[0]) or ""
        else:
            base = self.origins.get(root.id, root.id) if isinstance(root, ast.Name) else ""
        return ".".join([base, *reversed(parts)]) if base else ""

    def _is_foreign(self, node):
        """Whether it is a module, or something of one, that is not the job's own."""
        root = syntax.root_of(node)
        is_imported = isinstance(root, ast.Name) and root.id in self.origins or isinstance(root, ast.Call) and syntax.called(root) == "__import__"
        return is_imported and self._origin(node).partition(".")[0] not in self.own

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
        if node.id in self.origins and isinstance(node.ctx, ast.Load):
            self._look_at_origin(self.origins[node.id])  # handed on as a whole

    def _look_at_Attribute(self, node):
        self._note(reaches.INSIDE.get(node.attr))
        if self._is_foreign(node):
            self._look_at_origin(self._origin(node))
        self._note("it looks through all classes", node.attr == "__subclasses__" and isinstance(node.value, ast.Name) and node.value.id in ("object", "type"))
        self._note("it makes code objects", node.attr == "replace" and isinstance(node.value, ast.Attribute) and node.value.attr == "__code__")
        if not isinstance(node.ctx, ast.Load):
            is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            self._note("it changes what others are made of", node.attr in reaches.SET_INSIDE and not is_own)
            self._look_at_change(node, self._origin(node) not in reaches.SETTABLE and self._is_foreign(node) and _is_there(self._origin(node)))

    def _look_at_change(self, node, is_so):
        if is_so:
            self._note(f"it changes `{ast.unparse(node)}`, which is not its own")

    def _look_at_Subscript(self, node):
        is_hidden = "._" in self._origin(node.value) and self._is_foreign(node.value)
        self._look_at_change(node.value, not isinstance(node.ctx, ast.Load) and (is_hidden or self._is_inside(node.value)))

    def _is_inside(self, node):
        """`vars(json)` or `json.__dict__`."""
        if isinstance(node, ast.Call) and syntax.called(node) == "vars" and node.args:
            return self._is_foreign(node.args[0])
        return isinstance(node, ast.Attribute) and node.attr == "__dict__" and self._is_foreign(node.value)

    def _look_at_Call(self, node):
        name, first = syntax.called(node), node.args[0] if node.args else ast.Constant(None)
        text = syntax.text_of(first)
        if name in ("setattr", "delattr", "__setattr__", "__delattr__"):
            self._look_at_change(first, self._is_foreign(first))
        elif name in ("update", "pop", "setdefault", "clear", "__setitem__") and isinstance(node.func, ast.Attribute):
            self._look_at_change(node.func.value, self._is_inside(node.func.value))
        elif name in ("import_module", "__import__") and text:
            self._look_at_module(text)
        elif name in ("exec", "eval", "compile") and text:
            within = _Look(self.own, self.stems)
            within.origins = dict(self.origins)
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


def _is_there(origin):
    """A name that a module does not have yet is nothing that tests stand on. Of a module that is not loaded nobody knows."""
    module, *names = origin.split(".")
    found = sys.modules.get(module)
    for name in names[:-1]:
        found = getattr(found, name, None)
    return found is None or not names or hasattr(found, names[-1])
