"""What the names of a file stand for, as far as its text tells."""
import ast
import sys

from . import syntax


class Names:
    def __init__(self, own, known=()):
        self.own = own
        self.origins = dict(known)  # of a name: "json.encoder"

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

    def is_foreign(self, node):
        """Whether it is a module, or something of one, that is not the job's own."""
        root = syntax.root_of(node)
        is_imported = isinstance(root, ast.Name) and root.id in self.origins or isinstance(root, ast.Call) and syntax.called(root) == "__import__"
        return is_imported and self.origin(node).partition(".")[0] not in self.own


def is_there(origin):
    """A name that a module does not have yet is nothing that tests stand on. Of a module that is not loaded nobody knows."""
    module, *names = origin.split(".")
    found = sys.modules.get(module)
    for name in names[:-1]:
        found = getattr(found, name, None)
    return found is None or not names or hasattr(found, names[-1])
