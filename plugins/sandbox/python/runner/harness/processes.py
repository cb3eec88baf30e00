"""Makes `os.system` fail as `subprocess` does. Without this it would only return an exit code."""
import errno
import os
import posix
import sys


def system(command):
    raise OSError(errno.ENOTSUP, f"{sys.platform} does not support processes.")


system.__module__ = "posix"


def install():
    os.system = posix.system = system
