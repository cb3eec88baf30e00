"""The job's files as modules, and the modules that are not there."""
import builtins
import importlib
import importlib.util
import os
import random
import sys
from importlib.machinery import SourceFileLoader as _SourceFileLoader
from types import ModuleType as _Module

from . import declared, options, rewrite
from .failures import ROOT

# Before anything of a program runs, Python itself has imported these: a file of that name is never found by an import.
_FIXED = {"abc", "builtins", "codecs", "encodings", "errno", "genericpath", "io", "marshal", "os", "posix", "posixpath", "site", "stat", "sys", "time", "warnings", "zipimport"}
_OURS = {"unittest", "pytest"}
# Tests that are written with these would say nothing if a file of the job stood in for them.
_TOOLS = {"math", "asyncio", "contextlib", "functools", "inspect", "re", "typing", "traceback", "logging", "dataclasses", "collections", "enum", "operator", "itertools",
          "importlib", "json", "copy", "fractions", "decimal", "pathlib", "hashlib",
          # pytest itself has imported these, so that no such file would be found
          "argparse", "array", "ast", "atexit", "base64", "bdb", "binascii", "bisect", "bz2", "copyreg", "csv", "datetime", "difflib", "dis", "email", "fcntl", "fnmatch", "gc",
          "gettext", "glob", "heapq", "ipaddress", "keyword", "linecache", "locale", "lzma", "ntpath", "numbers", "opcode", "pprint", "quopri", "random", "reprlib", "selectors",
          "shlex", "shutil", "signal", "string", "struct", "tempfile", "textwrap", "threading", "tokenize", "types", "unicodedata", "urllib", "uuid", "weakref", "zipfile", "zlib"}

_STDLIB = frozenset(sys.stdlib_module_names)


# What tests are was read and compiled before any code of the job ran: later that may have changed the file, or what reads and
# compiles it. By their paths; these are watched, see `seal`.
texts = {}
codes = {}
made = {}  # the module that the file becomes, which nobody else makes
taken = {}  # the names that an import finds among the job's files, and where
loaded = {}  # what became of it, by its path


class _Finder:
    """Whoever imports a file of tests gets the module that it becomes, and it runs what was read."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        return next((module.__spec__ for module in made.values() if module.__name__ == name), None)


class _Loader(_SourceFileLoader):
    def create_module(self, spec):
        return next(module for module in made.values() if module.__spec__ is spec)

    def exec_module(self, module):
        path = next(path for path, known in made.items() if known is module)
        code = codes[path]
        if path in loaded:
            raise ImportError(f"a file of tests is loaded once: {path}")
        if isinstance(code, BaseException):
            raise code
        exec(code, vars(module))
        loaded[path] = module


def _compiled(tree, path):
    if isinstance(tree, BaseException):
        return tree
    try:
        return compile(rewrite.rewritten(tree), path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return error


def _module(path, name, is_in_package):
    full = f"{ROOT}/{path}"
    module = _Module(name)
    spec = importlib.util.spec_from_file_location(name, full, loader=_Loader(name, full))
    module.__spec__, module.__loader__, module.__file__ = spec, spec.loader, full
    module.__package__ = name if path.endswith("/__init__.py") else name.rpartition(".")[0] if is_in_package else ""
    vars(module)["__builtins__"] = builtins
    rewrite.equip(module)
    return module


def forget():
    for known in (texts, codes, made, taken, loaded):
        known.clear()


def lay_out(files, tests=(), called=()):
    """Writes them where they are imported from."""
    forget()
    local = local_names(files)
    for path in files:
        if path in tests or path.rpartition("/")[2] == "conftest.py":
            texts[path], tree = declared.read(files[path], f"{ROOT}/{path}", local)
            codes[path] = _compiled(tree, f"{ROOT}/{path}")
    for path, name in _names_of_tests(files).items():
        made[path] = _module(path, name, f"{os.path.dirname(path)}/__init__.py" in files)
    folders = _pythonpath(files)
    taken.update(_taken(files, [*texts, *called], folders))
    for path, text in texts.items():
        for name in sorted({module.partition(".")[0] for module in text.modules} & _TOOLS & taken.keys()):
            codes[path] = ImportError(f"{taken[name]} hides Python's own `{name}`, which {path} imports: give that file another name")
    sys.dont_write_bytecode = True
    os.makedirs(ROOT, exist_ok=True)
    for path, text in files.items():
        full = f"{ROOT}/{path}"
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
            file.write(text)
    os.chdir(ROOT)
    # `src` layouts and tests that lie beside their modules work as they do with pytest.
    sys.path[:0] = [*(f"{ROOT}/{folder}".rstrip("/") for folder in folders), ROOT, *(f"{ROOT}/{name}" for name in ("src", "lib") if os.path.isdir(f"{ROOT}/{name}"))]
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)
    importlib.invalidate_caches()
    # The snapshot holds modules of the standard library that a program's own `queue.py` would hide.
    for name in taken.keys() - _FIXED - _OURS:
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


def _pythonpath(files):
    """The folders that the settings name, as prefixes of paths."""
    return ["" if folder == "." else f"{folder}/" for folder in map(os.path.normpath, options.read(files).pythonpath)]


def _taken(files, loaded, folders):
    """What is imported from the folders, from the root, from `src` and `lib` and from beside a file that is loaded: name -> path."""
    folders = [*folders, "", "src/", "lib/", *(path[:path.rfind("/") + 1] for path in loaded)]
    found = {}
    for folder in dict.fromkeys(folders):
        for path in files:
            name, _, rest = path[len(folder):].removesuffix(".py").partition("/")
            if path.startswith(folder) and path.endswith(".py") and rest in ("", "__init__"):
                found.setdefault(name, path)
    return found


def local_names(files):
    """What the job's files can be imported as, in the first place."""
    names, folders = set(), _pythonpath(files)
    for path in files:
        parts = path.removesuffix(".py").split("/")
        if not path.endswith((".py", ".pyi")):
            continue
        names.add(parts[0])
        if parts[0] in ("src", "lib") and len(parts) > 1:
            names.add(parts[1])
        names.update(path.removeprefix(folder).removesuffix(".py").partition("/")[0] for folder in folders if path.startswith(folder))
        names.add(parts[-1])
    return names


def load(path):
    """The module of a file, loaded under the name that an import of it would use. In a file of tests, asserts say what they compared."""
    full, name = f"{ROOT}/{path}", made[path].__name__ if path in made else _name_of(path)
    code = codes.get(path)
    known = sys.modules.get(name)
    if known is not None and (getattr(known, "__file__", None) == full if code is None else loaded.get(path) is known):
        return known
    beside = os.path.dirname(full)
    if beside not in sys.path:
        sys.path.insert(0, beside)
    parent = name.rpartition(".")[0]
    if parent:
        importlib.import_module(parent)
    spec = importlib.util.spec_from_file_location(name, full) if code is None else made[path].__spec__
    module = sys.modules[name] = importlib.util.module_from_spec(spec) if code is None else made[path]
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def _name_of(path):
    name = path.removeprefix("src/").removesuffix(".py").replace("/", ".")
    return name.removesuffix(".__init__")


def _names_of_tests(files):
    """As pytest calls them: by the packages that they lie in, so that outside of any `tests/conftest.py` is `conftest`. But by its
    whole path where another one has that name, or where the tests import it so: what they import is to be what is watched."""
    imported = set().union(*(text.modules for text in texts.values()))
    short = {path: _name_in_packages(path, files) for path in texts}
    counts = list(short.values())

    def is_free(path, name):
        is_imported = name in imported and not path.endswith("conftest.py")  # which is there before
        return counts.count(name) == 1 and name not in _STDLIB | _OURS and not is_imported and _name_of(path) not in imported and f"{name}.py" not in files

    return {path: name if is_free(path, name) else _name_of(path) for path, name in short.items()}


def _name_in_packages(path, files):
    folder, _, name = path.removesuffix(".py").removesuffix("/__init__").rpartition("/")
    while folder and f"{folder}/__init__.py" in files:
        folder, _, parent = folder.rpartition("/")
        name = f"{parent}.{name}"
    return name


def missing_module(error, files):
    """The module that is neither the job's nor here, where that is why `error` was raised."""
    seen = set()
    while error is not None and id(error) not in seen:  # a program can have them cause each other
        seen.add(id(error))
        name = getattr(error, "name", None)
        if isinstance(error, ModuleNotFoundError) and isinstance(name, str):
            top = name.partition(".")[0]
            is_standard = top in _STDLIB or top.startswith("_")
            if is_standard or top not in local_names(files):
                return {"module": top, "standard": is_standard}
        error = error.__cause__
    return None
