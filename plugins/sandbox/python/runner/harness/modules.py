"""The job's files as modules, and the modules that are not there."""
import ast
import importlib
import importlib.machinery
import importlib.util
import os
import random
import sys
import types

from . import rewrite
from .failures import ROOT

# Before anything of a program runs, Python itself has imported these: a file of that name is never found by an import.
_FIXED = {"abc", "builtins", "codecs", "encodings", "errno", "genericpath", "io", "marshal", "os", "posix", "posixpath", "site", "stat", "sys", "time", "warnings", "zipimport"}
# Nor may a file of the job stand for what its tests are written with.
_TESTING = {"unittest", "pytest", "math"}

_STDLIB = frozenset(sys.stdlib_module_names)


class _Loader(importlib.machinery.SourceFileLoader):
    """Has asserts say what they compared. The text is the job's, whatever code that ran before has written in its place."""

    def get_data(self, path):
        text = _texts.get(path)
        return super().get_data(path) if text is None else text.encode("utf-8", "surrogatepass")

    def source_to_code(self, data, path, *, _optimize=-1):
        return compile(rewrite.rewritten(ast.parse(data, path)), path, "exec", dont_inherit=True)

    def exec_module(self, module):
        rewrite.equip(module)
        super().exec_module(module)


_texts = types.MappingProxyType({})


def lay_out(files):
    """Writes them where they are imported from."""
    global _texts
    _texts = types.MappingProxyType({f"{ROOT}/{path}": text for path, text in files.items()})
    sys.dont_write_bytecode = True
    os.makedirs(ROOT, exist_ok=True)
    for path, text in files.items():
        full = f"{ROOT}/{path}"
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
            file.write(text)
    os.chdir(ROOT)
    # `src` layouts and tests that lie beside their modules work as they do with pytest.
    sys.path[:0] = [ROOT, *(f"{ROOT}/{name}" for name in ("src", "lib") if os.path.isdir(f"{ROOT}/{name}"))]
    importlib.invalidate_caches()
    # The snapshot holds modules of the standard library that a program's own `queue.py` would hide.
    for name in local_names(files) - _FIXED - _TESTING:
        for known in [known for known in sys.modules if known == name or known.startswith(f"{name}.")]:
            del sys.modules[known]
    random.seed()


def close_javascript():
    """Pyodide's way to JavaScript. No program for an ordinary Python has a use for it."""
    for name in ("js", "pyodide_js", *(name for name in sys.modules if name.partition(".")[0] in ("pyodide", "_pyodide", "_pyodide_core", "pyodide_js"))):
        sys.modules[name] = None


def local_names(files):
    """What the job's files can be imported as, in the first place."""
    names = set()
    for path in files:
        parts = path.removesuffix(".py").split("/")
        if not path.endswith((".py", ".pyi")):
            continue
        names.add(parts[0])
        if parts[0] in ("src", "lib") and len(parts) > 1:
            names.add(parts[1])
        names.add(parts[-1])
    return names


def load(path, asserts=False):
    """The module of a file, loaded under the name that an import of it would use."""
    folder = os.path.dirname(path)
    relative = path.removeprefix("src/") if path.startswith("src/") else path
    name = relative.removesuffix(".py").replace("/", ".")
    if name.endswith(".__init__"):
        name = name.removesuffix(".__init__")
    if name in sys.modules and getattr(sys.modules[name], "__file__", None) == f"{ROOT}/{path}":
        return sys.modules[name]
    beside = f"{ROOT}/{folder}" if folder else ROOT
    if beside not in sys.path:
        sys.path.insert(0, beside)
    loader = (_Loader if asserts else importlib.machinery.SourceFileLoader)(name, f"{ROOT}/{path}")
    spec = importlib.util.spec_from_file_location(name, f"{ROOT}/{path}", loader=loader)
    module = importlib.util.module_from_spec(spec)
    parent = name.rpartition(".")[0]
    if parent:
        importlib.import_module(parent)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def missing_module(error, files):
    """The module that is neither the job's nor here, where that is why `error` was raised."""
    while error is not None:
        name = getattr(error, "name", None)
        if isinstance(error, ModuleNotFoundError) and isinstance(name, str):
            top = name.partition(".")[0]
            is_standard = top in _STDLIB or top.startswith("_")
            if is_standard or top not in local_names(files):
                return {"module": top, "standard": is_standard}
        error = error.__cause__
    return None
