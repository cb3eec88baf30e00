"""Loads the job's files as modules, and finds out which modules are missing."""
import importlib
import importlib.util
import os
import random
import sys
from types import ModuleType

ROOT = "/job"

# Python imports these before a program begins, so a file of the same name is never imported.
_FIXED = {
    "abc", "builtins", "codecs", "encodings", "errno", "genericpath", "io", "marshal", "os", "posix", "posixpath", "site", "stat", "sys",
    "time", "warnings", "zipimport",
}
_RUNNERS = {"unittest", "pytest"}
_STDLIB = frozenset(sys.stdlib_module_names)


def lay_out(files, loaded):
    """Writes the files to the folder that they are imported from. `loaded` are those that the harness loads by their paths."""
    sys.dont_write_bytecode = True
    os.makedirs(ROOT, exist_ok=True)
    for path, text in files.items():
        full = f"{ROOT}/{path}"
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
            file.write(text)
    os.chdir(ROOT)
    sys.path[:0] = [ROOT, *(f"{ROOT}/{name}" for name in ("src", "lib") if os.path.isdir(f"{ROOT}/{name}"))]
    importlib.invalidate_caches()
    # The snapshot has modules of the standard library in memory, in whose place the program's own `queue.py` must be imported.
    for name in hidden(files, loaded) - _FIXED - _RUNNERS:
        for known in [known for known in sys.modules if known == name or known.startswith(f"{name}.")]:
            del sys.modules[known]
    random.seed()


def hidden(files, loaded):
    """Modules of the standard library that a file of the job hides, because it has the same name."""
    folders = {"", "src/", "lib/", *(path[:path.rfind("/") + 1] for path in loaded)}
    names = set()
    for folder in folders:
        for path in files:
            name, _, rest = path[len(folder):].removesuffix(".py").partition("/")
            if path.startswith(folder) and path.endswith(".py") and rest in ("", "__init__") and name in _STDLIB:
                names.add(name)
    return names


def local_names(files):
    """The top-level names by which the job's files can be imported."""
    names = set()
    for path in files:
        parts = path.removesuffix(".py").split("/")
        if path.endswith((".py", ".pyi")):
            names.update((parts[0], parts[-1]))
            if parts[0] in ("src", "lib") and len(parts) > 1:
                names.add(parts[1])
    return names


def load(path):
    """Loads a file as a module, under the name that an import of it would use."""
    full, name = f"{ROOT}/{path}", path.removeprefix("src/").removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) == full:
        return known
    beside = os.path.dirname(full)
    if beside not in sys.path:
        sys.path.insert(0, beside)
    parent = name.rpartition(".")[0]
    if parent:
        importlib.import_module(parent)
    spec = importlib.util.spec_from_file_location(name, full)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def missing_module(error, files):
    """The module that is missing here, if that is why `error` was raised."""
    seen = set()
    while error is not None and id(error) not in seen:  # a program can make errors that cause each other
        seen.add(id(error))
        name = getattr(error, "name", None)
        if isinstance(error, ModuleNotFoundError) and isinstance(name, str):
            top = name.partition(".")[0]
            is_standard = top in _STDLIB or top.startswith("_")
            if is_standard or top not in local_names(files):
                return {"module": top, "standard": is_standard}
        error = error.__cause__
    return None


def _is_pyodides(name):
    return name.partition(".")[0] in ("pyodide", "_pyodide", "_pyodide_core", "pyodide_js")


def close_javascript():
    """Removes Pyodide's modules for JavaScript, which writes the frames. No program for an ordinary Python needs them."""
    for finder in [finder for finder in sys.meta_path if _is_pyodides(getattr(finder, "__module__", ""))]:
        getattr(finder, "jsproxies", {}).clear()
        sys.meta_path.remove(finder)
    for name in ("js", "pyodide_js", *[name for name in sys.modules if _is_pyodides(name)]):
        module = sys.modules.get(name)
        if type(module) is ModuleType:
            vars(module).clear()  # from any class of the module JavaScript can be reached
        sys.modules[name] = None
