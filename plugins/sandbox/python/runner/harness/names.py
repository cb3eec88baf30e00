"""What the names in a file stand for, as far as its text shows."""
import ast
import sys


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


class Names:
    def __init__(self, own, known=()):
        self.own = own
        self.origins = dict(known)  # the dotted name behind a name of the file: "json.encoder"

    def learn(self, node):
        match node:
            case ast.Import():
                for alias in node.names:
                    top = alias.name.partition(".")[0]
                    self.origins[alias.asname or top] = alias.name if alias.asname else top
            case ast.ImportFrom(module=str(module), level=0):
                for alias in node.names:
                    self.origins[alias.asname or alias.name] = f"{module}.{alias.name}"
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute() as value) if "." in self.origin(value):
                self.origins.setdefault(name, self.origin(value))

    def origin(self, node):
        """The dotted name of an expression, where it is known: `encoder.ESCAPE` is `json.encoder.ESCAPE`."""
        root, parts = root_of(node), []
        while node is not root:
            parts.append(node.attr)
            node = node.value
        if _is_import(root):
            base = text_of(root.args[0]) or ""
        else:
            base = self.origins.get(root.id, root.id) if isinstance(root, ast.Name) else ""
        return ".".join([base, *reversed(parts)]) if base else ""

    def is_foreign(self, node):
        """Whether it is a module, or part of one, that does not belong to the job."""
        root = root_of(node)
        is_imported = _is_import(root) or isinstance(root, ast.Name) and root.id in self.origins
        return is_imported and self.origin(node).partition(".")[0] not in self.own


def _is_import(node):
    return isinstance(node, ast.Call) and called(node) == "__import__" and bool(node.args)


def exists(origin):
    """Whether the name exists, as all names in modules that are not loaded may. No test relies on a new attribute."""
    module, *names = origin.split(".")
    found = sys.modules.get(module)
    for name in names[:-1]:
        found = getattr(found, name, None)
    return found is None or not names or hasattr(found, names[-1])
