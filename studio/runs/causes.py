"""Causes of failed trials in words for the user, each with a remedy."""

import errno
from collections.abc import Mapping
from dataclasses import dataclass

from studio.errors import EarlyEndError, LateTrialError, LearnerError
from studio.phrases import phrase
from studio.runs.limits import MEGABYTE, TrialLimits
from studio.system.signals import describe_crash, was_killed
from studio.system_faults import explain_system_error, make_missing_library_message
from studio.trial import FailureKind, Training

MAX_QUOTE_LENGTH = 300
"""Maximum length of a displayed library message."""

RUN_CONTINUES = phrase(
    "The run continues without it. If it happens often, change the ranges of this kind of model or "
    "leave it out of the space."
)
_NO_REMEDY_NEEDED = phrase("Nothing is wrong: the time went to more promising trials.")
NARROW_RANGES = phrase("narrow the range of the hyperparameters that make it large")
NARROW_SLOW_RANGES = phrase("narrow the range of the hyperparameters that make it slow")
_MORE_TIME = phrase(
    "Give the run more time, take fewer rows, or {narrow_slow}.", narrow_slow=NARROW_SLOW_RANGES
)

_REJECTION_REMEDIES: Mapping[type[LearnerError], tuple[str, FailureKind]] = {
    EarlyEndError: (_NO_REMEDY_NEEDED, "early"),
    LateTrialError: (_MORE_TIME, "time"),
}
"""Remedy and kind of failure for each deliberate rejection of a trial."""


@dataclass(frozen=True)
class Failure(Training):
    """A failed trial, with cause and remedy in a sentence each."""

    cause: str
    remedy: str
    kind: FailureKind = "other"


def make_time_limit_failure(limits: TrialLimits) -> Failure:
    """Return the failure of a trial that reached its time limit."""
    seconds = limits.seconds or 0.0
    return Failure(
        phrase("It did not finish within 1 second, the time limit of a trial.")
        if seconds == 1
        else phrase(
            "It did not finish within {seconds:g} seconds, the time limit of a trial.",
            seconds=seconds,
        ),
        phrase(
            "Raise that limit, take fewer rows, or {narrow_slow}.", narrow_slow=NARROW_SLOW_RANGES
        ),
        kind="time",
    )


def make_run_time_failure(seconds: float) -> Failure:
    """Return the failure of a trial that exceeded the run's remaining time."""
    return Failure(
        phrase(
            "It did not finish within the {seconds:.3g} seconds left to the run.", seconds=seconds
        ),
        _MORE_TIME,
        kind="time",
    )


def make_memory_failure(limits: TrialLimits) -> Failure:
    """Return the failure of a trial that ran out of memory: its own limit or the machine's."""
    if limits.memory is None:
        return Failure(
            phrase("It needed more memory than the machine could give."),
            phrase("Use fewer workers, close other programs, or {narrow}.", narrow=NARROW_RANGES),
            kind="memory",
        )
    return Failure(
        phrase(
            "It needed more than {megabytes} MB, the memory limit of a trial.",
            megabytes=limits.memory // MEGABYTE,
        ),
        phrase(
            "Raise that limit (fewer workers leave more for each), or {narrow}.",
            narrow=NARROW_RANGES,
        ),
        kind="memory",
    )


def make_process_death_failure(code: int, limits: TrialLimits) -> Failure:
    """Return the failure of a worker process that died, from its exit code (negative: a signal)."""
    if was_killed(code):
        return Failure(
            phrase("The system killed it, most likely because the machine ran out of memory."),
            phrase(
                "Set a lower memory limit, use fewer workers, or {narrow}.", narrow=NARROW_RANGES
            ),
            kind="memory",
        )
    if crash := describe_crash(code):
        memory = limits.memory
        return Failure(
            phrase(
                "It crashed ({signal}): a bug in the model's library, or it needed more than "
                "{megabytes} MB.",
                signal=crash,
                megabytes=memory // MEGABYTE,
            )
            if memory
            else phrase(
                "It crashed ({signal}): a bug in the model's library, or it ran out of memory.",
                signal=crash,
            ),
            phrase(
                "The run continues without it. If it happens often, raise the memory limit or "
                "leave this kind of model out of the space."
            ),
            kind="crash",
        )
    return Failure(
        phrase(
            "It ended its own process (exit code {code}) instead of returning a result.", code=code
        ),
        RUN_CONTINUES,
        kind="crash",
    )


def make_unreadable_answer_failure() -> Failure:
    """Return the failure of a worker with an unreadable answer."""
    return Failure(phrase("Its result was damaged or incomplete."), RUN_CONTINUES, kind="crash")


def _explain_foreign_error(error: BaseException) -> str | None:
    """Return the message of a learner, or about a missing library or a full disk, if any."""
    if isinstance(error, LearnerError):
        return str(error)
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return explain_system_error(error)
    return make_missing_library_message(error)


def make_exception_failure(title: str, error: BaseException, limits: TrialLimits) -> Failure:
    """Return the failure of a learner that raised an exception."""
    for error_type, (remedy, kind) in _REJECTION_REMEDIES.items():
        if isinstance(error, error_type):
            return Failure(str(error), remedy, kind=kind)
    if message := _explain_foreign_error(error):
        return Failure(message, RUN_CONTINUES)
    if isinstance(error, MemoryError) or "bad_alloc" in str(error):
        return make_memory_failure(limits)
    if isinstance(error, SystemExit | KeyboardInterrupt):
        return Failure(
            phrase(
                "{title} tried to end the program instead of returning a result.",
                title=phrase(title),
            ),
            phrase("Leave this kind of model out of the space."),
        )
    if " 0 feature(s)" in str(error):
        return Failure(
            phrase(
                "No column was left for {title}: the preprocessing dropped all of them.",
                title=phrase(title),
            ),
            RUN_CONTINUES,
        )
    message = " ".join(str(error).split())
    if len(message) > MAX_QUOTE_LENGTH:
        message = message[:MAX_QUOTE_LENGTH] + "…"
    exception_name = type(error).__name__
    return Failure(
        phrase(
            "{title} could not be trained: {words} ({fault}).",
            title=phrase(title),
            words=message,
            fault=exception_name,
        )
        if message
        else phrase(
            "{title} could not be trained: {fault}.", title=phrase(title), fault=exception_name
        ),
        RUN_CONTINUES,
    )
