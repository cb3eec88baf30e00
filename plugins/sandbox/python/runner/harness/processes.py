"""There are no processes here, and `os.system`, which would only be told that it failed, says so as `subprocess` does."""
import errno
import os
import posix
import sys


def system(command):
    raise OSError(errno.ENOTSUP, f"{sys.platform} does not support processes.")


system.__module__ = "posix"


def install():
    os.system = posix.system = system
