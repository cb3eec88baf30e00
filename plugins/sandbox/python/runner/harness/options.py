"""What the files of a job set for pytest, as far as it decides which tests there are and whether they pass."""
import configparser
import logging
import shlex
import tomllib
from typing import NamedTuple

_PLACES = (("pytest.ini", "pytest"), (".pytest.ini", "pytest"), ("tox.ini", "pytest"), ("setup.cfg", "tool:pytest"))
_LONG = {"--pythonwarnings": "-W"}


class Options(NamedTuple):
    """`markers` are None unless others are an error. `marked` and `named`: what `-m` and `-k` choose. `logged`: the levels from which on
    the settings have records kept, that of the handler first, or None."""

    filters: tuple = ()
    is_strict: bool = False
    functions: tuple = ("test",)
    classes: tuple = ("Test",)
    pythonpath: tuple = ()
    markers: tuple | None = None
    marked: str = ""
    named: str = ""
    arguments: tuple = ()
    settings: dict = {}
    logged: tuple = ()

    @property
    def renames(self):
        return self.functions != ("test",) or self.classes != ("Test",)


def read(files):
    """Of the first file that has any: pytest takes no other. What cannot be made out says nothing."""
    try:
        return _options(files)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return Options()


def _options(files):
    section = next(filter(None, (_read(*place, files) for place in _PLACES[:2])), None) or _of_project(files) or next(filter(None, (_read(*place, files) for place in _PLACES[2:])), None) or {}
    arguments = _words(section.get("addopts", ()))
    is_strict = _is_set(section, "strict")
    has_markers = is_strict or _is_set(section, "strict_markers") or "--strict-markers" in arguments or "--strict" in arguments
    return Options(
        (*_lines(section.get("filterwarnings", ())), *_values("-W", arguments)), is_strict or _is_set(section, "xfail_strict") or _is_set(section, "strict_xfail"),
        tuple(_words(section.get("python_functions", "test"))), tuple(_words(section.get("python_classes", "Test"))), tuple(_words(section.get("pythonpath", ()))),
        tuple(line.partition(":")[0].partition("(")[0].strip() for line in _lines(section.get("markers", ()))) if has_markers else None,
        next(reversed(_values("-m", arguments)), ""), next(reversed(_values("-k", arguments)), ""), tuple(arguments), section,
        tuple(_level(_values(f"--{name.replace('_', '-')}", arguments) or [section.get(name, "")]) for name in ("log_level", "log_cli_level", "log_file_level")))


def _level(values):
    name = str(values[-1]).strip().upper()
    return int(name) if name.isdecimal() else logging.getLevelNamesMapping().get(name)


def _is_set(section, name):
    return str(section.get(name, "")).lower() in ("1", "true", "yes", "on")


def _lines(value):
    return [line for line in map(str.strip, value.split("\n") if isinstance(value, str) else map(str, value)) if line and not line.startswith("#")]


def _words(value):
    return shlex.split(value, comments=True) if isinstance(value, str) else list(map(str, value))


def _values(option, arguments):
    """What it is given, in all the ways in which that can be written."""
    found = []
    for argument, following in zip(arguments, [*arguments[1:], ""]):
        name, sign, value = argument.partition("=")
        if argument == option:
            found.append(following)
        elif argument.startswith(option) and not argument.startswith("--"):
            found.append(argument.removeprefix(option).removeprefix("="))
        elif _LONG.get(name) == option or (sign and name == option and option.startswith("--")):
            found.append(value if sign else following)
    return found


def _read(path, name, files):
    if path not in files:
        return None
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(files[path])
    except configparser.Error:
        return None
    return dict(parser[name]) if name in parser else None


def _of_project(files):
    try:
        tool = tomllib.loads(files.get("pyproject.toml", "")).get("tool", {})
    except tomllib.TOMLDecodeError:
        return None
    pytest = tool.get("pytest", {})
    return pytest.get("ini_options") or pytest
