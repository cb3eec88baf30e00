"""The categories that tests name in their filters. Nothing here gives such a warning."""


class PytestWarning(UserWarning):
    pass


class PytestDeprecationWarning(PytestWarning, DeprecationWarning):
    pass


class PytestAssertRewriteWarning(PytestWarning):
    pass


class PytestCacheWarning(PytestWarning):
    pass


class PytestCollectionWarning(PytestWarning):
    pass


class PytestConfigWarning(PytestWarning):
    pass


class PytestFDWarning(PytestWarning):
    pass


class PytestReturnNotNoneWarning(PytestWarning):
    pass


class PytestUnhandledThreadExceptionWarning(PytestWarning):
    pass


class PytestUnknownMarkWarning(PytestWarning):
    pass


class PytestUnraisableExceptionWarning(PytestWarning):
    pass


class PytestExperimentalApiWarning(PytestWarning, FutureWarning):
    pass


class PytestRemovedIn9Warning(PytestDeprecationWarning):
    pass


class PytestRemovedIn10Warning(PytestDeprecationWarning):
    pass
