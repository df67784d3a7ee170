"""Base classes of all errors raised by the program.

A message consists of one or more sentences for the user: what was expected, what was found, and a
remedy. The command line prints it last on standard error; the window shows it translated.
"""

from pathlib import Path

from studio.phrases import phrase


class StudioError(Exception):
    """Base of all errors of Ensemble Studio; ``str(error)`` is a message for users.

    Args:
        message: A sentence, or its template (:func:`studio.phrases.phrase`).
    """

    def __init__(self, message: str = "", /, **values: object) -> None:
        super().__init__(phrase(message, **values))


class UsageError(StudioError):
    """The request is invalid: an unknown name, a value out of range (exit code 2)."""


class DataError(StudioError):
    """A table cannot be read, or is unsuitable."""


class SpaceError(StudioError):
    """A search space, or one of its configurations, is invalid."""


class LearnerError(StudioError):
    """A learner cannot be built or trained with these values on this data."""


class LibrarySettingError(LearnerError):
    """An unknown setting of a library's estimator, or an invalid value.

    Args:
        setting: Name as in a space: ``lightgbm.boosting_type``.
        message: A sentence for users; empty for a default message.
        concerns_value: Whether another value would be valid.
    """

    def __init__(
        self,
        setting: str,
        expected_value: str,
        value: object,
        message: str = "",
        *,
        concerns_value: bool = True,
    ) -> None:
        explanation = phrase(
            "{setting} must be {expected}; {found} was given.",
            setting=setting,
            expected=expected_value,
            found=value,
        )
        super().__init__(message or explanation)
        self.setting, self.expected, self.actual = setting, expected_value, value
        self.concerns_value = concerns_value


class ScoreError(StudioError):
    """A metric cannot score certain predictions, though it can score others."""


class EarlyEndError(LearnerError):
    """A trial is rejected early because of its first folds."""


class LateTrialError(LearnerError):
    """A trial is rejected as it would exceed the run's remaining time."""


class SurrogateError(StudioError):
    """A surrogate cannot be fitted to, or evaluated on, its input."""


class EnsembleError(StudioError):
    """An ensemble cannot be built from this pool."""


class ExhaustedError(StudioError):
    """A finite search space has no untried configuration."""


class OutOfTimeError(StudioError):
    """No suggestion would finish in the remaining time."""


class DocumentError(StudioError):
    """A ``.studio`` file cannot be opened, read or written."""


class DamagedError(DocumentError):
    """A record of a ``.studio`` file is damaged; others may be intact.

    Args:
        reason: What was expected and found, in a sentence, if known.
    """

    def __init__(self, message: str, record: str, reason: str = "") -> None:
        super().__init__(message)
        self.record = record
        self.reason = reason


class ForeignLogError(DocumentError):
    """The log beside a ``.studio`` file belongs to another file; nothing was changed."""

    def __init__(self, path: Path, log: Path) -> None:
        super().__init__(
            phrase(
                "The log {log} does not match the document {path!r}: it was left by a document "
                "that was deleted, replaced, or copied while it was in use. Nothing was changed. "
                "To open the document without the log, move the log to another folder.",
                log=log,
                path=path.name,
            )
        )
        self.path = path


class DocumentWriteError(DocumentError):
    """A write to a document failed (no space, no permission, I/O) and was rolled back."""


class SerializationError(StudioError):
    """A trained model cannot be stored in a document, or the stored one is invalid."""


class RunError(StudioError):
    """A run cannot be started or continued."""


class ExportError(StudioError):
    """A trained ensemble cannot be exported in the requested format."""
