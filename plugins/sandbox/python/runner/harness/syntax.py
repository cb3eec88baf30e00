"""Small questions about syntax trees."""
import ast

BROKEN = (SyntaxError, ValueError, RecursionError, MemoryError)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_REFUSALS = ("return NotImplemented", "return False", "pass")


def root_of(node):
    """`json` of `json.encoder.ESCAPE`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def called(node):
    """The last name of what is called: `setattr`, `update`."""
    function = node.func if isinstance(node, ast.Call) else node
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""


def text_of(node):
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def imported(source):
    """The first names of all modules that it imports."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except BROKEN:
        return set()
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and node.level == 0}
    return {name.partition(".")[0] for name in names}


def at_import(body):
    """What runs when the file is loaded, but for what it does as a program."""
    todo = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test):
            todo += node.orelse
        elif not isinstance(node, _FUNCTIONS):
            yield node
            todo += ast.iter_child_nodes(node)


def is_blind(arguments, body):
    """Whether a comparison never looks at what it is compared with, and does not refuse either."""
    others = [argument.arg for argument in [*arguments.posonlyargs, *arguments.args]][1:2]
    body = [node for node in body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    read = {inner.id for node in body for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    refuses = len(body) == 1 and (ast.unparse(body[0]) in _REFUSALS or isinstance(body[0], ast.Raise) and called(body[0].exc) in ("NotImplementedError", "TypeError"))
    return bool(body) and not refuses and bool(others) and others[0] not in read
