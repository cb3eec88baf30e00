"""What a file of tests says in its own text, read before any code runs: the tests that it has, so that whoever makes one
disappear is found out, and what it changes itself."""
import ast
import re

_HARMLESS = ("pytest.mark.", "patch", "mock.", "unittest.", "skip", "expectedFailure")
_PATH = re.compile(r"[\w.]+")


class Text:
    """`tests`: only those that are plain: one that something might rightly leave out is not listed. `rebound`: globals to which
    it binds something again; `changed`: attributes; `spoken`: names in what may be paths, as those that are given to `patch`."""

    def __init__(self, source, path):
        try:
            self.tree = ast.parse(source.encode("utf-8", "surrogatepass"), path)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            self.tree, self.error = None, error
            self.tests, self.rebound, self.changed, self.spoken = [], frozenset(), frozenset(), frozenset()
            return
        self.tests = _tests(self.tree)
        rebound, changed, spoken = set(), set(), set()
        for node in ast.walk(self.tree):
            match node:
                case ast.Global(names=names):
                    rebound.update(names)
                case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
                    changed.add(name)
                case ast.Constant(value=str(value)) if len(value) < 200 and _PATH.fullmatch(value):
                    spoken.update(value.split("."))
                case ast.Call(func=ast.Attribute(attr="multiple"), keywords=keywords):
                    spoken.update(keyword.arg for keyword in keywords if keyword.arg)
        self.rebound, self.changed, self.spoken = frozenset(rebound), frozenset(changed), frozenset(spoken - {""})


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
                    names.pop(getattr(target, "id", None), None)
            case ast.Delete():
                return []
    return [name for group in names.values() for name in group]


def _is_plain_test(node):
    return node.name.startswith("test") and all(_is_harmless(decorator) for decorator in node.decorator_list)


def _is_harmless(decorator):
    return ast.unparse(decorator).startswith(_HARMLESS)


def _is_plain_class(node):
    bases = [ast.unparse(base).rpartition(".")[2] for base in node.bases]
    is_unit = bases in (["TestCase"], ["IsolatedAsyncioTestCase"])
    is_plain = node.name.startswith("Test") and bases in ([], ["object"])
    defined = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    assigned = {getattr(target, "id", None) for part in node.body if isinstance(part, ast.Assign) for target in part.targets}
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
