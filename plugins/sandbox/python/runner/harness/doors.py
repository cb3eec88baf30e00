"""Doors that are only ever used to reach what runs the tests: using one is told, or it is not there."""
import annotationlib
import gc
import sys
import unittest.mock
from asyncio import base_events

from . import channel, failures, frames, generators, places

# They look into the interpreter, or give a new copy of what was replaced.
HIDDEN = frozenset(("_signal", "_testcapi", "_testinternalcapi", "_testlimitedcapi", "_testclinic", "_testclinic_limited", "_xxtestfuzz", "xxsubtype", "_remote_debugging",
                     "_interpreters", "_xxsubinterpreters", "_ctypes"))
LOADED = ("_pyodide_core", "gc", "_imp")
_DOORS = frozenset(("gc.get_objects", "gc.get_referrers", "gc.get_referents", "sys.settrace", "sys.setprofile", "sys.monitoring.register_callback", "marshal.load",
                    "ctypes.dlsym", "ctypes.cdata", "ctypes.string_at", "ctypes.call_function"))
_DEFAULTS = ("__defaults__", "__kwdefaults__")


def watch(codes, core):
    """`codes` are those of the harness: nobody else makes functions of them. `core`: the addresses of its modules and classes."""
    own, coroutine, details = places.dictionary.__code__, generators.coroutine.__code__, unittest.mock._copy_func_details.__code__
    annotations, looping = annotationlib.call_annotate_function.__code__, vars(base_events)
    mock = unittest.mock
    checks = frozenset(code for function in (mock._check_signature, mock._set_signature, mock._set_async_signature) for code in failures.all_codes(function.__code__))

    def hook(event, arguments, doors=_DOORS, codes=codes, core=core, hidden=HIDDEN, is_look=frames.is_look, frame=sys._getframe):
        if event == "object.__setattr__":
            place, name = arguments[:2]
            if id(place) in core or ((name == "__code__" or name in _DEFAULTS) and getattr(place, "__code__", None) in codes):
                channel.tell_core()
            if name == "__code__":
                if frame(1).f_code is not coroutine:
                    channel.tell_door()
            elif name in _DEFAULTS:
                if id(getattr(place, "__globals__", None)) in places.guarded and not (frame(1).f_code is details and place.__code__ in checks):
                    channel.tell_door()
            elif id(place) in places.guarded or (name == "__class__" and id(type(place)) in places.guarded):
                channel.tell_door()
        elif event in doors:
            if frame(1).f_code is not own:
                channel.tell_door()
        elif event == "function.__new__":
            if arguments[0] in codes or (arguments[0].co_freevars and frame(1).f_code is not annotations):
                channel.tell_door()
        elif event == "exec":
            if getattr(arguments[0], "co_freevars", ()):
                channel.tell_door()
        elif event == "code.__new__":
            if frame(1).f_code is not coroutine:
                channel.tell_door()
        elif event == "marshal.loads":
            if any(byte in arguments[0] for byte in _CODES):
                channel.tell_door()
        elif event.startswith("sys.set_asyncgen_hook"):
            if frame(1).f_globals is not looping:
                channel.tell_door()
        elif event == "sys.addaudithook":
            raise RuntimeError  # it is not added: it would be told what this one looks at
        elif event == "import":
            if arguments[0] in hidden:
                raise ModuleNotFoundError(f"No module named {arguments[0]!r}", name="ctypes" if arguments[0] == "_ctypes" else arguments[0])
            if arguments[1] is not None:
                raise ImportError(f"no compiled module can be loaded here: {arguments[0]}", name=arguments[0])
        elif is_look(event, arguments):
            check(frame, event, arguments)

    gc.set_debug = lambda flags, /: None  # garbage that is kept would lead to what has run
    check = frames.checker(hook.__code__)
    sys.addaudithook(hook)


# How marshal says that a code object follows.
_CODES = (b"c", b"\xe3")
