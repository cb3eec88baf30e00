"""The one way out: lines to a device that the worker made. No object of JavaScript is ever in Python's hands, since from any of
them all of JavaScript can be reached."""
import json
from os import O_WRONLY, close, open as open_device, write

_encode = json.JSONEncoder(separators=(",", ":")).encode
_device = -1


def connect(path):
    global _device
    _device = open_device(path, O_WRONLY)


def disconnect():
    close(_device)


def written(value):
    return _encode(value)


def tell(event):
    """Reports."""
    write(_device, b"t" + _encode(event).encode())


def alarm(milliseconds):
    """Has Python interrupted after that time, from outside of it; 0 takes it back."""
    write(_device, b"a%d" % milliseconds)


def pause(seconds):
    write(_device, b"p%d" % (seconds * 1_000_000))


def need(name):
    """A program asked for what is not here."""
    write(_device, b"d" + name.encode())
