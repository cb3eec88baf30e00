"""Finds the tests that a file declares in its text, before any code of the job runs. A test that is declared and not reported later
is a doubt. pytest may find more: tests that are inherited or made in a loop are not in the text."""
import ast

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def names(source):
    """Names without parameters: `test_add`, `TestStack.test_pop`. A file that does not parse has none."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found = [name for node in body for name in _of(node)]
    removed = _removed(body)
    return [name for name in dict.fromkeys(found) if not removed & set(name.split("."))]


def _removed(body):
    """Names that the file removes again: `del test_add`, `delattr(TestStack, "test_pop")`, `test_data.__test__ = False`."""
    names = set()
    for node in body:
        for inner in ast.walk(node) if isinstance(node, (ast.Delete, ast.Expr, ast.Assign)) else ():
            match inner:
                case ast.Name(id=name, ctx=ast.Del()):
                    names.add(name)
                case ast.Attribute(attr="__test__", value=ast.Name(id=name)):
                    names.add(name)
                case ast.Call(func=ast.Name(id="delattr"), args=[_, ast.Constant(value=name)]):
                    names.add(name)
    return names


def _of(node):
    if _is_test(node):
        yield node.name
    if isinstance(node, ast.ClassDef) and _has_tests(node):
        yield from (f"{node.name}.{child.name}" for child in node.body if _is_test(child))


def _is_test(node):
    if not isinstance(node, _FUNCTIONS) or not node.name.startswith("test"):
        return False
    decorators = " ".join(map(ast.unparse, node.decorator_list))
    return "fixture" not in decorators and "property" not in decorators


def _has_tests(node):
    """Whether pytest collects the class: by its base, or by its name if it has no constructor and no `__test__`."""
    bases = [ast.unparse(base).rpartition(".")[2] for base in node.bases]
    methods = {child.name for child in node.body if isinstance(child, _FUNCTIONS)}
    assigned = [child for child in node.body if isinstance(child, (ast.Assign, ast.AnnAssign))]
    targets = {ast.unparse(target) for child in assigned for target in getattr(child, "targets", None) or [child.target]}
    if "__test__" in targets or node.decorator_list:  # a decorator may change the tests
        return False
    is_plain = node.name.startswith("Test") and not bases and not methods & {"__init__", "__new__"}
    return is_plain or any(base in ("TestCase", "IsolatedAsyncioTestCase") for base in bases)
