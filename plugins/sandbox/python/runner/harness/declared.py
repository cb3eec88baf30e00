"""The tests that a file says it has, read from its text before any code runs: whoever makes one disappear is found out.

Only what is plain counts: a test that something might rightly leave out is not listed."""
import ast

_HARMLESS = ("pytest.mark.", "patch", "mock.", "unittest.", "skip", "expectedFailure")


def declared(text, path):
    try:
        tree = ast.parse(text, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
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


def changing(text, path):
    """The names of a file of tests to which its own code binds something again: globals, and attributes."""
    try:
        tree = ast.parse(text, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset(), frozenset()
    nodes = list(ast.walk(tree))
    return (
        frozenset(name for node in nodes if isinstance(node, ast.Global) for name in node.names),
        frozenset(node.attr for node in nodes if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)),
    )


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
