"""Frames lead to the locals of whatever called: of a test, and of what runs it. Only what is known to keep them to itself may
read one: honest code that writes a traceback or a log does so through it. To all other code frames are something that is not
here, like threads."""
import asyncio.base_tasks
import asyncio.coroutines
import asyncio.events
import asyncio.format_helpers
import asyncio.futures
import gc
import inspect
import logging
import traceback
import unittest.result
from types import GeneratorType as _Generator

from . import failures

_is_on, _turn_on, _turn_off = gc.isenabled, gc.enable, gc.disable
_GENERATOR = inspect.CO_GENERATOR
_READS = frozenset(("tb_frame", "gi_frame", "cr_frame", "ag_frame"))
_EVENTS = frozenset(("sys._getframe", "sys._current_frames", "sys._current_exceptions"))


def _named(module, name):
    for part in name.split("."):
        module = getattr(module, part)
    return getattr(module, "__func__", module)


def _codes(groups):
    """Code -> the globals that it must run with."""
    found = {}
    for module, names in groups:
        found.update((_named(module, name).__code__, vars(module)) for name in names.split())
    return found


_READERS = tuple(_codes((
    (failures, "own_frames is_from"),
    (traceback, "print_stack format_stack extract_stack clear_frames _compute_suggestion_error"),
    (logging, "Handler.handleError"),
    (inspect, "_get_code_position_from_tb getgeneratorstate getcoroutinestate getasyncgenstate"),
    (unittest.result, "TestResult._is_relevant_tb_level"),
    (asyncio.format_helpers, "extract_stack"), (asyncio.coroutines, "_format_coroutine"),
    (asyncio.events, "Handle.__init__"), (asyncio.futures, "_PyFuture.__init__"),
)).items())
# Gives them to its callers, which must be of its own module.
_GIVERS = tuple(_codes(((traceback, "walk_tb _walk_tb_with_full_positions walk_stack"), (logging, "currentframe"), (asyncio.base_tasks, "_task_get_stack"))).items())
_KIN = tuple((code, vars(module)) for module, names in (
    (traceback, "TracebackException.__init__ StackSummary.extract StackSummary._extract_from_extended_frame_gen extract_tb extract_stack print_stack format_stack clear_frames"),
    (logging, "Logger.findCaller"), (asyncio.base_tasks, "_task_print_stack _task_get_stack"),
) for name in names.split() for code in failures.all_codes(_named(module, name).__code__))
# To whom these hand a frame, in their turn. Nobody is trusted any more once one of them was replaced.
HELPERS = tuple((mapping, name, mapping[name]) for mapping, names in (
    (vars(traceback), "sys itertools linecache collections StackSummary FrameSummary print_list format_list extract_stack print_stack walk_stack walk_tb _walk_tb_with_full_positions _get_code_position"),
    (gc.get_referents(traceback.StackSummary.__dict__)[0], "extract _extract_from_extended_frame_gen"),
    (vars(logging), "sys os traceback io currentframe _is_internal_frame"),
    (vars(asyncio.format_helpers), "sys traceback constants extract_stack"),
    (vars(asyncio.events), "sys format_helpers"),
    (vars(asyncio.futures), "sys format_helpers"),
    (vars(asyncio.base_tasks), "linecache traceback"),
    (vars(failures), "ROOT"),
) for name in names.split())

# What these do nothing with may be anything.
_USED = {asyncio.events.Handle.__init__.__code__: ("loop",), logging.Logger.findCaller.__code__: ("stack_info", "stacklevel")}


def is_look(event, arguments):
    return event in _EVENTS or (event == "object.__getattr__" and arguments[1] in _READS)


_known = frozenset()


def learn():
    """Which types there are before any of a program's."""
    global _known
    found, waiting = set(), [object]
    while waiting:
        for cls in type.__subclasses__(waiting.pop()):
            if cls not in found:
                found.add(cls)
                waiting.append(cls)
    _known = frozenset(found)


def checker(hook):
    """Gives `check(getframe, event, arguments)`, for a hook of that code: it raises where what the hook was called for may not look
    at a frame. A function written in C leaves no frame of its own: so what is looked at has to be the reader's, and a reader that
    looks at the stack may hold nothing that could be a program's."""
    readers, givers, kin, helpers, known = dict(_READERS), dict(_GIVERS), dict(_KIN), HELPERS, _known
    of_task = asyncio.base_tasks._task_get_stack.__code__
    is_at_work = False

    def is_plain(frame):
        held = frame.f_locals
        return all(type(held[name]) in known for name in _USED.get(frame.f_code, held) if name in held)

    def is_own(frame, event, arguments):
        if event != "object.__getattr__":
            return is_plain(frame)
        held = frame.f_locals
        if frame.f_code is of_task:
            return type(held["task"]) in known and held["task"]._coro is arguments[0]
        return any(value is arguments[0] for value in held.values())

    def is_given(code, caller):
        if not code.co_flags & _GENERATOR:
            return is_plain(caller)
        return any(type(value) is _Generator and value.gi_running and value.gi_code is code for value in caller.f_locals.values())

    def check(getframe, event, arguments):
        nonlocal is_at_work
        if is_at_work:  # it is told of its own looks, too
            return
        was_on = _is_on()
        _turn_off()  # no collection, and no finalizer of anybody, comes in between
        is_at_work = True
        try:
            reader = getframe(2)
            code, names = reader.f_code, reader.f_globals
            if code is hook:
                return
            caller = reader.f_back
            is_trusted = readers.get(code) is names or (givers.get(code) is names and caller is not None and kin.get(caller.f_code) is names and is_given(code, caller))
            is_trusted = is_trusted and is_own(reader, event, arguments) and all(mapping.get(name) is value for mapping, name, value in helpers)
        finally:
            is_at_work = False
            if was_on:
                _turn_on()
        if not is_trusted:
            raise failures.FramesUnavailable("the frames of callers cannot be looked at here")

    return check
