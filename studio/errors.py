"""Base classes of all errors that the program raises on purpose.

A message is a sentence (or a few) for the person at the screen: what was expected, what was found,
what to do. The command line prints it last on standard error, the window shows it translated.
"""

from pathlib import Path

from studio.phrases import phrase


class StudioError(Exception):
    """Base of all errors of Ensemble Studio; ``str(error)`` is fit to be shown.

    Args:
        message: A sentence, or the template of one (:func:`studio.phrases.phrase`).
        values: What to put into the template.
    """

    def __init__(self, message: str = "", /, **values: object) -> None:
        super().__init__(phrase(message, **values))


class UsageError(StudioError):
    """The request itself is wrong: an unknown name, a value out of its range (exit code 2)."""


class DataError(StudioError):
    """A table cannot be read, or cannot be used for what was asked."""


class SpaceError(StudioError):
    """A search space, or a configuration of one, is not valid."""


class LearnerError(StudioError):
    """A learner cannot be built or trained with these values on this data."""


class LibrarySettingError(LearnerError):
    """A setting of a library's estimator that does not exist, or a value that it cannot take.

    Args:
        setting: As a space names it: ``lightgbm.boosting_type``.
        expected: What is expected.
        found: What was given instead.
        message: A sentence for people; empty for one of the three.
        of_value: Whether another value would do.
    """

    def __init__(
        self,
        setting: str,
        expected: str,
        found: object,
        message: str = "",
        *,
        of_value: bool = True,
    ) -> None:
        usual = phrase(
            "{setting} must be {expected}; {found} was given.",
            setting=setting,
            expected=expected,
            found=found,
        )
        super().__init__(message or usual)
        self.setting, self.expected, self.found = setting, expected, found
        self.of_value = of_value


class ScoreError(StudioError):
    """A metric cannot judge certain predictions; others it may."""


class EarlyEndError(LearnerError):
    """A trial is given up on purpose, as its first folds left no hope."""


class LateTrialError(LearnerError):
    """A trial is given up, as it would not end in the time that is left of its run."""


class SurrogateError(StudioError):
    """A surrogate cannot be fitted to, or asked about, what it was given."""


class EnsembleError(StudioError):
    """An ensemble cannot be built from this pool."""


class ExhaustedError(StudioError):
    """A finite search space holds no configuration that has not been tried."""


class OutOfTimeError(StudioError):
    """Nothing that could be suggested would end in the time that is left."""


class DocumentError(StudioError):
    """A ``.studio`` file cannot be opened, read or written."""


class DamagedError(DocumentError):
    """A record of a ``.studio`` file is not what was written; the others may be.

    Args:
        message: For people.
        record: Names the record.
        why: What was expected and what was found, in a sentence, where that is known.
    """

    def __init__(self, message: str, record: str, why: str = "") -> None:
        super().__init__(message)
        self.record = record
        self.why = why


class ForeignLogError(DocumentError):
    """The log beside a ``.studio`` file belongs to another one; nothing was changed.

    Args:
        path, log: The document, and its log.
    """

    def __init__(self, path: Path, log: Path) -> None:
        super().__init__(
            phrase(
                "The log {log} does not belong to the document {path!r} as it is: it was left by "
                "a document that was deleted, replaced, or copied while it was in use. Nothing "
                "was changed. To open the document without the log, move the log to another "
                "folder.",
                log=log,
                path=path.name,
            )
        )
        self.path = path


class DocumentWriteError(DocumentError):
    """A write to a document failed (no space, no permission, I/O); nothing of it was kept."""


class KeepingError(StudioError):
    """A trained model cannot be kept in a document, or what is kept there is none."""


class RunError(StudioError):
    """A run cannot be started or continued."""


class ExportError(StudioError):
    """A trained ensemble cannot be written in the form asked for."""
