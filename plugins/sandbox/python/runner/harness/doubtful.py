"""Names that code under test has little use for, unless it interferes with its tests. Honest uses exist: what is found only keeps a pass
from being vouched for."""

_PYTEST = "it imports the inside of pytest"
_JAVASCRIPT = "it reaches for JavaScript"
_MEMORY = "it reaches into memory with ctypes"
_INTERPRETER = "it reaches into the interpreter"

# Modules, with everything in them except what ALLOWED names.
MODULES = {
    "_pytest": _PYTEST, "pluggy": _PYTEST,
    "pytest": "it can skip or change its tests by pytest", "harness": "it imports what runs its tests",
    "js": _JAVASCRIPT, "pyodide": _JAVASCRIPT, "pyodide_js": _JAVASCRIPT, "_pyodide": _JAVASCRIPT, "_pyodide_core": _JAVASCRIPT,
    "ctypes": _MEMORY, "_ctypes": _MEMORY, "gc": "it asks gc for objects of others",
    "_testcapi": _INTERPRETER, "_testinternalcapi": _INTERPRETER, "faulthandler": _INTERPRETER,
}
ALLOWED = {
    "gc": {
        "collect", "enable", "disable", "isenabled", "freeze", "unfreeze", "get_count", "get_stats", "get_threshold", "set_threshold",
        "is_tracked",
    },
    "ctypes": {"sizeof", "py_object", "Array", "Structure", "Union"},
    "pytest": {"approx", "fixture", "mark", "param", "raises", "warns", "deprecated_call"},  # used by helpers of tests
}
ALLOWED_PREFIXES = {"ctypes": "c_"}

_FRAMES = "it reads the frames of its callers"
_TRACE = "it traces what runs"
_IMPORTS = "it changes how modules are found"
_RUNS = "it reaches for what runs tests"
_ENDS = "it ends the process"
_CODE = "it makes code objects"
ATTRIBUTES = {
    **dict.fromkeys(("inspect.currentframe", "inspect.stack", "inspect.trace", "inspect.getouterframes"), _FRAMES),
    **dict.fromkeys(("inspect.getinnerframes", "sys._getframe", "sys._getframemodulename", "sys._current_frames"), _FRAMES),
    **dict.fromkeys(("sys.settrace", "sys.setprofile", "sys.monitoring", "sys.addaudithook"), _TRACE),
    **dict.fromkeys(("threading.settrace", "threading.setprofile"), _TRACE),
    **dict.fromkeys(("sys.meta_path", "sys.path_hooks", "sys.path_importer_cache"), _IMPORTS),
    **dict.fromkeys(("unittest.case", "unittest.result", "unittest.suite", "unittest.runner", "unittest.loader"), _RUNS),
    **dict.fromkeys(("unittest.TestResult", "unittest.TestSuite"), _RUNS),
    **dict.fromkeys(("os._exit", "os.abort", "os.kill", "os.killpg", "signal.raise_signal", "_thread.interrupt_main"), _ENDS),
    "unittest.SkipTest": "it can skip its tests",
    "unittest.mock.patch": "it patches others",
    "unittest.mock.ANY": "it returns what equals everything",
    "types.CodeType": _CODE,
    "importlib.reload": "it loads modules anew",
    "sys.modules": "it reaches for loaded modules",
    "linecache.cache": "it changes what is known of sources",
}

# Names and attributes of any object.
INSIDE = {
    **dict.fromkeys(("f_back", "f_locals", "f_globals", "f_builtins", "f_trace", "_getframe"), _FRAMES),
    "__globals__": "it reaches into a function of others",
    "co_code": _CODE,
    "__builtins__": "it changes builtins",
    "PYTEST_CURRENT_TEST": "it asks whether it is tested",
}
# Attributes that are often read, but seldom set on another object.
SET_INSIDE = {
    "__code__", "__defaults__", "__kwdefaults__", "__closure__", "cell_contents", "__bases__", "__class__", "__wrapped__", "__self__",
    "__func__", "__test__", "pytestmark",
}

# Attributes of modules that are meant to be set.
SETTABLE = {
    "sys.stdout", "sys.stderr", "sys.stdin", "sys.excepthook", "sys.displayhook", "sys.argv", "sys.path", "sys.dont_write_bytecode",
    "sys.tracebacklimit", "sys.ps1", "sys.ps2", "threading.excepthook", "logging.raiseExceptions", "logging.lastResort",
    "logging.Formatter.converter", "logging.Formatter.default_msec_format", "logging.Formatter.default_time_format",
    "warnings.showwarning", "warnings.formatwarning", "os.environ", "tempfile.tempdir", "readline.parse_and_bind", "socket.timeout",
}
COMPARISONS = {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__", "__instancecheck__", "__subclasscheck__"}
EVERYTHING = "it says that it equals everything"
