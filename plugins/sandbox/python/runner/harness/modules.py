"""The job's files as modules, and the modules that are not there."""
import importlib
import importlib.util
import os
import random
import sys
from types import ModuleType as _Module

from . import declared, rewrite
from .failures import ROOT

# Before anything of a program runs, Python itself has imported these: a file of that name is never found by an import.
_FIXED = {"abc", "builtins", "codecs", "encodings", "errno", "genericpath", "io", "marshal", "os", "posix", "posixpath", "site", "stat", "sys", "time", "warnings", "zipimport"}
# Nor may a file of the job stand for what its tests are written with.
_TESTING = {"unittest", "pytest", "math"}

_STDLIB = frozenset(sys.stdlib_module_names)


# What tests are was read and compiled before any code of the job ran: later that may have changed the file, or what reads and
# compiles it. By their paths; these two are watched, see `seal`.
texts = {}
codes = {}
_tests = {}  # path -> the module that was made of it here, and by nobody else


def _compiled(text, path):
    if text.tree is None:
        return text.error
    try:
        return compile(rewrite.rewritten(text.tree), path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return error
    finally:
        text.tree = None


def lay_out(files, tests=()):
    """Writes them where they are imported from."""
    for known in (texts, codes, _tests):
        known.clear()
    for path in files:
        if path in tests or path.rpartition("/")[2] == "conftest.py":
            texts[path] = declared.Text(files[path], f"{ROOT}/{path}")
            codes[path] = _compiled(texts[path], f"{ROOT}/{path}")
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


def _is_pyodides(name):
    return name.partition(".")[0] in ("pyodide", "_pyodide", "_pyodide_core", "pyodide_js")


def close_javascript():
    """Pyodide's ways to JavaScript, from which all that reports is within reach. No program for an ordinary Python has a use for them."""
    for finder in [finder for finder in sys.meta_path if _is_pyodides(getattr(finder, "__module__", ""))]:
        getattr(finder, "jsproxies", {}).clear()
        sys.meta_path.remove(finder)
    for name in ("js", "pyodide_js", *[name for name in sys.modules if _is_pyodides(name)]):
        module = sys.modules.get(name)
        if type(module) is _Module:
            vars(module).clear()  # a class that is left of it would lead there
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


def load(path):
    """The module of a file, loaded under the name that an import of it would use. In a file of tests, asserts say what they compared."""
    full, name = f"{ROOT}/{path}", _name_of(path)
    code = codes.get(path)
    known = sys.modules.get(name)
    if known is not None and (getattr(known, "__file__", None) == full if code is None else _tests.get(path) is known):
        return known
    beside = os.path.dirname(full)
    if beside not in sys.path:
        sys.path.insert(0, beside)
    spec = importlib.util.spec_from_file_location(name, full)
    module = importlib.util.module_from_spec(spec)
    parent = name.rpartition(".")[0]
    if parent:
        importlib.import_module(parent)
    sys.modules[name] = module
    try:
        if code is None:
            spec.loader.exec_module(module)
        else:
            _run(code, module)
            _tests[path] = module
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def _name_of(path):
    name = path.removeprefix("src/").removesuffix(".py").replace("/", ".")
    return name.removesuffix(".__init__")


def _run(code, module):
    if isinstance(code, BaseException):
        raise code
    if type(module) is not _Module:  # the dictionary of another may not be its own
        raise ImportError("modules are made otherwise")
    rewrite.equip(module)
    exec(code, vars(module))


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
