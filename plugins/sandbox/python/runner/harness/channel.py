"""The one way out: lines to a device that the worker made. No object of JavaScript is ever in Python's hands, since from any of
them all of JavaScript can be reached. The worker hears `tell` and `returned` only where the harness calls them, see `callers`."""
import json
from os import O_WRONLY as _O_WRONLY, close as _close, open as _open, write as _put

# A C object, so that no code under test can change how it writes.
_write = json.encoder.c_make_encoder(None, lambda value: str(value), json.encoder.encode_basestring_ascii, None, ":", ",", False, False, True)
_device = -1
# To write into one of these says it all: a device could be exchanged for the moment.
door_bell, core_bell, raised_bell = {}, {}, {}


def connect(path):
    global _device
    _device = _open(path, _O_WRONLY)


def disconnect():
    _close(_device)


def written(value):
    return "".join(_write(value, 0))


def tell(event):
    """Reports."""
    _put(_device, b"t" + written(event).encode())


def watch(told):
    """Has more watched."""
    _put(_device, b"w" + written(told).encode())


def watch_for_now(told):
    """Has that watched until the next test is told of."""
    _put(_device, b"n" + written(told).encode())


def returned():
    """The test that runs came to its end."""
    _put(_device, b"y")


def raised():
    """Something was raised out of the test that runs, or of what belongs to it: it cannot pass any more."""
    raised_bell[None] = []  # another one each time: what stays the same is no change


def alarm(milliseconds):
    """Has Python interrupted after that time, from outside of it; 0 takes it back."""
    _put(_device, b"a%d" % milliseconds)


def pause(seconds):
    _put(_device, b"p%d" % (seconds * 1_000_000))


def need(name):
    """A program asked for what is not here."""
    _put(_device, b"d" + name.encode())


def tell_door():
    """Code has gone where only those go who cheat tests."""
    door_bell[None] = []


def tell_core():
    """Code has changed what tells of values."""
    core_bell[None] = []
