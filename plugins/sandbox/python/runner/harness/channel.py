"""The only way out: orders that are written to a device of worker.mjs. Python never gets an object of JavaScript, because from any of
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


def as_json(value):
    return _encode(value)


def send(event):
    """Reports an event to the service."""
    write(_device, b"e" + _encode(event).encode())


def alarm(milliseconds):
    """Has JavaScript interrupt Python after that time; 0 cancels it."""
    write(_device, b"a%d" % milliseconds)


def pause(seconds):
    write(_device, b"p%d" % (seconds * 1_000_000))


def need(name):
    """Reports that a program asked for something that is not here."""
    write(_device, b"n" + name.encode())
