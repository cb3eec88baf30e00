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

from . import failures

_is_on, _turn_on, _turn_off = gc.isenabled, gc.enable, gc.disable
_READS = frozenset(("tb_frame", "gi_frame", "cr_frame", "ag_frame"))
_EVENTS = frozenset(("sys._getframe", "sys._current_frames", "sys._current_exceptions"))


def _codes(groups):
    """Code -> the globals that it must run with."""
    found = {}
    for module, names in groups:
        for name in names.split():
            value = module
            for part in name.split("."):
                value = getattr(value, part)
            found[value.__code__] = vars(module)
    return found


def _all_codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            yield from _all_codes(constant)


def _functions(place, name):
    for value in list(vars(place).values()):
        value = getattr(value, "__func__", value)
        if isinstance(value, type) and value.__module__ == name:
            yield from _functions(value, name)
        elif hasattr(value, "__code__"):
            yield value


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
_KIN = tuple((code, vars(module)) for module in (traceback, logging, asyncio.base_tasks) for function in _functions(module, module.__name__) for code in _all_codes(function.__code__))
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


def is_look(event, arguments):
    return event in _EVENTS or (event == "object.__getattr__" and arguments[1] in _READS)


def checker(hook):
    """Gives `check(getframe)`, for a hook of that code: it raises where what the hook was called for may not look at a frame."""
    readers, givers, kin, helpers = dict(_READERS), dict(_GIVERS), dict(_KIN), HELPERS
    is_at_work = False

    def check(getframe):
        nonlocal is_at_work
        if is_at_work:  # it is told of its own looks, too
            return
        was_on = _is_on()
        _turn_off()  # no collection, and no finalizer of anybody, comes in between
        is_at_work = True
        try:
            reader = getframe(2)
        finally:
            is_at_work = False
            if was_on:
                _turn_on()
        code, names = reader.f_code, reader.f_globals
        if code is hook:
            return
        caller = reader.f_back
        is_trusted = readers.get(code) is names or (givers.get(code) is names and caller is not None and kin.get(caller.f_code) is names)
        if is_trusted and all(mapping.get(name) is value for mapping, name, value in helpers):
            return
        raise failures.FramesUnavailable("the frames of callers cannot be looked at here")

    return check
