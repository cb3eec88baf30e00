"""The tests that the text of a file declares, read before any code of the job runs. What is declared and not reported has to be
told of. It is not all that pytest will find: what is made by a loop or inherited stands in no text."""
import ast

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def names(source):
    """Without their parameters: `test_add`, `TestStack.test_pop`. Of a file that does not parse, none."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found = [name for node in body for name in _of(node)]
    return [name for name in dict.fromkeys(found) if not _gone(body) & set(name.split("."))]


def _gone(body):
    """Names that the file takes away again: `del test_add`, `delattr(TestStack, "test_pop")`, `test_data.__test__ = False`."""
    names = set()
    for node in body:
        for inner in ast.walk(node) if isinstance(node, (ast.Delete, ast.Expr, ast.Assign)) else ():
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Del):
                names.add(inner.id)
            elif isinstance(inner, ast.Attribute) and inner.attr == "__test__" and isinstance(inner.value, ast.Name):
                names.add(inner.value.id)
            elif isinstance(inner, ast.Call) and ast.unparse(inner.func) == "delattr" and len(inner.args) > 1 and isinstance(inner.args[1], ast.Constant):
                names.add(inner.args[1].value)
    return names


def _of(node):
    if isinstance(node, _FUNCTIONS) and node.name.startswith("test") and not _is_fixture(node):
        yield node.name
    if isinstance(node, ast.ClassDef) and _holds_tests(node):
        yield from (f"{node.name}.{child.name}" for child in node.body if isinstance(child, _FUNCTIONS) and child.name.startswith("test") and not _is_fixture(child))


def _is_fixture(node):
    return any("fixture" in ast.unparse(decorator) or "property" in ast.unparse(decorator) for decorator in node.decorator_list)


def _holds_tests(node):
    """Whether pytest would look into it: by its base, or by its name where it has no constructor and does not refuse."""
    bases = [ast.unparse(base).rpartition(".")[2] for base in node.bases]
    made = {child.name for child in node.body if isinstance(child, _FUNCTIONS)}
    set_here = {ast.unparse(target) for child in node.body if isinstance(child, (ast.Assign, ast.AnnAssign)) for target in getattr(child, "targets", None) or [child.target]}
    if "__test__" in set_here or node.decorator_list:  # a decorator may make others of them
        return False
    return any(base in ("TestCase", "IsolatedAsyncioTestCase") for base in bases) or (node.name.startswith("Test") and not bases and not made & {"__init__", "__new__"})
