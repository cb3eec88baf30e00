"""What the files of a job set for pytest, as far as it decides whether a test passes."""
import configparser
import tomllib
from typing import NamedTuple

_PLACES = (("pytest.ini", "pytest"), (".pytest.ini", "pytest"), ("tox.ini", "pytest"), ("setup.cfg", "tool:pytest"))


class Options(NamedTuple):
    filters: tuple = ()
    is_strict: bool = False


def read(files):
    """Of the first file that has any: pytest takes no other. What cannot be made out says nothing."""
    try:
        return _options(files)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return Options()


def _options(files):
    section = next(filter(None, (_read(*place, files) for place in _PLACES[:2])), None) or _of_project(files) or next(filter(None, (_read(*place, files) for place in _PLACES[2:])), None) or {}
    filters = section.get("filterwarnings", ())
    return Options(tuple(_lines(filters)), str(section.get("xfail_strict", "")).lower() in ("1", "true", "yes", "on"))


def _lines(value):
    return [line for line in map(str.strip, value.split("\n") if isinstance(value, str) else map(str, value)) if line and not line.startswith("#")]


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
    return tool.get("pytest", {}).get("ini_options")
