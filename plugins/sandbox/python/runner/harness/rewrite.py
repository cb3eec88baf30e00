"""`assert a == b` says what a and b were, as with pytest."""
import ast
import reprlib

_NOTES, _NOTE, _EXPLAIN, _ERROR = "@notes", "@note", "@explain", "@error"  # no program can use such names
OWN = (_NOTES, _NOTE, _EXPLAIN, _ERROR)
_SHOWN = 8

_repr = reprlib.Repr(maxlevel=6, maxtuple=30, maxlist=30, maxarray=30, maxdict=30, maxset=30, maxfrozenset=30, maxdeque=30, maxstring=400, maxlong=100, maxother=400)


def shown(value):
    try:
        return _repr.repr(value)
    except Exception as error:
        return f"<repr() of it raised {type(error).__name__}>"


def rewritten(tree):
    return ast.fix_missing_locations(_Asserts().visit(tree))


def equip(module):
    """Gives a module what its rewritten asserts refer to."""
    vars(module).update({_NOTE: _note, _EXPLAIN: _explain, _ERROR: AssertionError})


class _Asserts(ast.NodeTransformer):
    def visit_Assert(self, node):
        source = ast.unparse(node.test)
        sources = []
        test = _observed(node.test, sources)
        arguments = [ast.Constant(source), ast.Constant(tuple(sources)), _load(_NOTES)]
        explanation = ast.Call(_load(_EXPLAIN), arguments + ([node.msg] if node.msg else []), [])
        begin = ast.Assign([ast.Name(_NOTES, ast.Store())], ast.Dict([], []))
        check = ast.If(ast.UnaryOp(ast.Not(), test), [ast.Raise(ast.Call(_load(_ERROR), [explanation], []), None)], [])
        end = ast.Assign([ast.Name(_NOTES, ast.Store())], ast.Constant(None))  # nothing lives longer for having been compared
        for part in (begin, check, end):
            for child in ast.walk(part):
                ast.copy_location(child, node)
        return [begin, check, end]


def _load(name):
    return ast.Name(name, ast.Load())


def _observed(node, sources):
    """The same expression, which notes the values of its operands as they come."""
    match node:
        case ast.UnaryOp(op=ast.Not()):
            node.operand = _observed(node.operand, sources)
            return node
        case ast.BoolOp():
            node.values = [_observed(value, sources) for value in node.values]
            return node
        case ast.Compare():
            node.left = _noted(node.left, sources)
            node.comparators = [_noted(value, sources) for value in node.comparators]
            return node
        case ast.Call(func=ast.Name(), keywords=[]) if not any(isinstance(value, ast.Starred) for value in node.args):
            node.args = [_noted(value, sources) for value in node.args]
            return node
        case _:
            return _noted(node, sources)


def _noted(node, sources):
    if isinstance(node, (ast.Starred, ast.NamedExpr)):
        return node
    sources.append(None if _is_literal(node) else ast.unparse(node))  # a literal can be read in the assert itself
    return ast.Call(_load(_NOTE), [_load(_NOTES), ast.Constant(len(sources) - 1), node], [])


def _is_literal(node):
    return all(isinstance(child, (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.UnaryOp, ast.unaryop, ast.expr_context)) for child in ast.walk(node))


def _note(notes, index, value):
    notes[index] = value
    return value


def _explain(source, sources, notes, message=None):
    lines = [] if message is None else [str(message)]
    lines.append(f"assert {source if len(source) <= 500 else source[:500] + ' ...'}")
    told = set()
    for index, value in notes.items():
        if sources[index] is None or sources[index] in told or len(told) == _SHOWN:
            continue
        told.add(sources[index])
        lines.append(f"  {sources[index][:200]} is {shown(value)}")
    difference = _difference(source, list(notes.values()))
    if difference:
        lines.append(f"  {difference}")
    return "\n".join(lines)


def _difference(source, values):
    """Where two containers that should be equal first differ."""
    if len(values) != 2 or " == " not in source:
        return None
    left, right = values
    try:
        if isinstance(left, dict) and isinstance(right, dict):
            for key in left:
                if key not in right:
                    return f"only the left has the key {shown(key)}"
                if left[key] != right[key]:
                    return f"they differ at the key {shown(key)}: {shown(left[key])} and {shown(right[key])}"
            return next((f"only the right has the key {shown(key)}" for key in right if key not in left), None)
        if isinstance(left, (list, tuple, str)) and type(left) is type(right):
            for index, (one, other) in enumerate(zip(left, right)):
                if one != other:
                    return f"they differ first at index {index}: {shown(one)} and {shown(other)}"
            return f"one has {len(left)} elements, the other {len(right)}" if len(left) != len(right) else None
    except Exception:  # of the values' own methods: then there is just no hint
        return None
    return None
