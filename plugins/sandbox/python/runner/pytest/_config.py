"""What a conftest is handed to set pytest up with. There is no command line, so every option has its default, or what the files of settings say."""
import argparse
import pathlib

from . import _builtin


class NotHere(AttributeError):
    """Asked for something that only pytest itself has."""


class _Partial:
    def __getattr__(self, name):
        raise NotHere(f"{type(self).__name__.lower()}.{name}", name=name, obj=self)


class Config(_Partial):
    rootpath = rootdir = pathlib.Path("/job")
    args = ()

    def __init__(self, settings=None, arguments=()):
        self.option = argparse.Namespace(verbose=0)
        self.cache = _builtin.Cache()
        self.markers = []
        self._settings, self._arguments, self._defaults, self._names = dict(settings or {}), list(arguments), {}, {}

    def getoption(self, name, default=None, skip=False):
        value = getattr(self.option, self._names.get(name, name), default)
        return default if value is None else value

    getvalue = getoption

    def getini(self, name):
        return self._settings.get(name, self._defaults.get(name, ""))

    def addinivalue_line(self, name, line):
        if name == "markers":
            self.markers.append(line)


class Parser(_Partial):
    """Of one conftest's `pytest_addoption`."""

    def __init__(self, config):
        self._config, self._parser = config, argparse.ArgumentParser(add_help=False, allow_abbrev=False)

    def getgroup(self, *_, **__):
        return self

    def addoption(self, *names, **settings):
        if settings.get("type") in ("int", "string", "float"):
            settings["type"] = {"int": int, "string": str, "float": float}[settings["type"]]
        action = self._parser.add_argument(*names, **settings)
        self._config._names.update(dict.fromkeys(names, action.dest))

    _addoption = addoption

    def addini(self, name, help="", type=None, default=None):
        kinds = {None: "", "string": "", "bool": False, "int": 0, "float": 0.0}
        if type not in kinds:
            raise NotHere(f"a setting of the type {type}")
        if type in ("bool", "int", "float") and name in self._config._settings:
            text = str(self._config._settings[name]).lower()
            self._config._settings[name] = text in ("1", "true", "yes", "on") if type == "bool" else int(text) if type == "int" else float(text)
        self._config._defaults[name] = kinds[type] if default is None else default

    def apply(self):
        known, _ = self._parser.parse_known_args(self._config._arguments)
        vars(self._config.option).update(vars(known))


class Session(_Partial):
    def __init__(self, config):
        self.config = config
