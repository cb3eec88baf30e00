"""The one way out for results. Kept in a module of its own, sealed like the rest, and in no object that code could find and change."""
import json

# A C object, so that no code under test can change how it writes.
_write = json.encoder.c_make_encoder(None, lambda value: str(value), json.encoder.encode_basestring_ascii, None, ":", ",", False, False, True)
_send = _watch = None


def connect(send, watch):
    """`send(json)` reports; `watch(json)` has more addresses compared."""
    global _send, _watch
    _send, _watch = send, watch


def written(value):
    return "".join(_write(value, 0))


def tell(event):
    _send(written(event))


def watch(addresses):
    _watch(written(addresses))
