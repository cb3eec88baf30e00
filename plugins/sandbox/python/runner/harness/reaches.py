"""What code under test has little use for but to reach for its tests, by what it is called there, and in plain words. Honest uses
exist: whatever is found here only keeps a pass from being vouched for."""

# Modules, with all that is in them but for what is named in ALLOWED.
MODULES = {
    "_pytest": "it imports the inside of pytest", "pluggy": "it imports the inside of pytest", "pytest": "it can skip or change its tests by pytest",
    "harness": "it imports what runs its tests", "js": "it reaches for JavaScript", "pyodide": "it reaches for JavaScript", "pyodide_js": "it reaches for JavaScript",
    "_pyodide": "it reaches for JavaScript", "_pyodide_core": "it reaches for JavaScript", "ctypes": "it reaches into memory with ctypes", "_ctypes": "it reaches into memory with ctypes",
    "gc": "it asks gc for objects of others", "_testcapi": "it reaches into the interpreter", "_testinternalcapi": "it reaches into the interpreter", "faulthandler": "it reaches into the interpreter",
}
ALLOWED = {
    "gc": {"collect", "enable", "disable", "isenabled", "freeze", "unfreeze", "get_count", "get_stats", "get_threshold", "set_threshold", "is_tracked"},
    "ctypes": {"sizeof", "py_object", "Array", "Structure", "Union"},
    "pytest": {"approx", "fixture", "mark", "param", "raises", "warns", "deprecated_call"},  # as helpers of tests have them
}
ALLOWED_BEGINNINGS = {"ctypes": "c_"}

_FRAMES = "it reads the frames of its callers"
_TRACE = "it traces what runs"
_IMPORTS = "it changes how modules are found"
_RUNS = "it reaches for what runs tests"
_ENDS = "it ends the process"
ATTRIBUTES = {
    "inspect.currentframe": _FRAMES, "inspect.stack": _FRAMES, "inspect.trace": _FRAMES, "inspect.getouterframes": _FRAMES, "inspect.getinnerframes": _FRAMES,
    "sys._getframe": _FRAMES, "sys._getframemodulename": _FRAMES, "sys._current_frames": _FRAMES, "sys.settrace": _TRACE, "sys.setprofile": _TRACE, "sys.monitoring": _TRACE,
    "sys.addaudithook": _TRACE, "threading.settrace": _TRACE, "threading.setprofile": _TRACE, "sys.meta_path": _IMPORTS, "sys.path_hooks": _IMPORTS, "sys.path_importer_cache": _IMPORTS,
    "unittest.SkipTest": "it can skip its tests", "unittest.case": _RUNS, "unittest.result": _RUNS, "unittest.suite": _RUNS, "unittest.runner": _RUNS, "unittest.loader": _RUNS,
    "unittest.TestResult": _RUNS, "unittest.TestSuite": _RUNS, "unittest.mock.patch": "it patches others", "unittest.mock.ANY": "it returns what equals everything",
    "os._exit": _ENDS, "os.abort": _ENDS, "os.kill": _ENDS, "os.killpg": _ENDS, "signal.raise_signal": _ENDS, "types.CodeType": "it makes code objects", "importlib.reload": "it loads modules anew",
    "sys.modules": "it reaches for loaded modules", "linecache.cache": "it changes what is known of sources", "_thread.interrupt_main": _ENDS,
}

_FUNCTIONS = "it reaches into a function of others"
INSIDE = {name: _FRAMES for name in ("f_back", "f_locals", "f_globals", "f_builtins", "f_trace")}
INSIDE.update({"__globals__": _FUNCTIONS, "co_code": "it makes code objects", "_getframe": _FRAMES, "__builtins__": "it changes builtins", "PYTEST_CURRENT_TEST": "it asks whether it is tested"})
# To read these is common, to set them on another object is not.
SET_INSIDE = {"__code__", "__defaults__", "__kwdefaults__", "__closure__", "cell_contents", "__bases__", "__class__", "__wrapped__", "__self__", "__func__", "__test__", "pytestmark"}

# Attributes of modules that are there to be set.
SETTABLE = {"sys.stdout", "sys.stderr", "sys.stdin", "sys.excepthook", "sys.displayhook", "sys.argv", "sys.path", "sys.dont_write_bytecode", "sys.tracebacklimit", "sys.ps1", "sys.ps2",
            "threading.excepthook", "logging.raiseExceptions", "logging.lastResort", "logging.Formatter.converter", "logging.Formatter.default_msec_format", "logging.Formatter.default_time_format",
            "warnings.showwarning", "warnings.formatwarning", "os.environ", "tempfile.tempdir", "readline.parse_and_bind", "socket.timeout"}
COMPARISONS = {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__", "__instancecheck__", "__subclasscheck__"}
EVERYTHING = "it says that it equals everything"
