"""What most tests use of pytest, for a place where pytest itself is not. Plugins and the command line are not here."""
from ._approx import approx
from ._builtin import Cache, CaptureFixture, TempPathFactory, WarningsRecorder
from ._config import Config, Parser
from ._fixtures import FixtureDef, FixtureLookupError, FixtureRequest, fixture, yield_fixture
from ._logging import LogCaptureFixture
from ._marks import HIDDEN_PARAM, Mark, MarkDecorator, MarkGenerator, mark, param
from ._monkeypatch import MonkeyPatch
from ._outcomes import Exit, Failed, Skipped, XFailed, exit, fail, importorskip, skip, xfail
from ._raises import ExceptionInfo, RaisesExc, RaisesGroup, deprecated_call, raises, warns
from ._warnings import (PytestAssertRewriteWarning, PytestCacheWarning, PytestCollectionWarning, PytestConfigWarning, PytestDeprecationWarning, PytestExperimentalApiWarning, PytestFDWarning,
                        PytestRemovedIn9Warning, PytestRemovedIn10Warning, PytestReturnNotNoneWarning, PytestUnhandledThreadExceptionWarning, PytestUnknownMarkWarning,
                        PytestUnraisableExceptionWarning, PytestWarning)

__version__ = "9.0.0"
version_tuple = (9, 0, 0)

Item = Function = Class = Module = Package = Session = Metafunc = object


class UsageError(Exception):
    pass


def hookimpl(function=None, **_):
    return function if function is not None else lambda hook: hook


def register_assert_rewrite(*_):
    pass


def main(*_, **__):
    """The tests are run by whoever runs this."""
    return 0


def console_main():
    return 0
