"""Why a trial failed, in words for the person at the screen, each with what to do about it."""

import signal
from dataclasses import dataclass
from typing import Literal

from studio.errors import LearnerError
from studio.phrases import clause
from studio.runs.limits import MEGABYTE, Limits

LONGEST_QUOTE = 300
"""Characters of a library's own message that are shown."""

GO_ON = (
    "The run goes on without it. If it happens often, change this learner's ranges or leave it out "
    "of the space."
)
NARROW = clause("narrow the range of the hyperparameters that make it large")
NARROW_SLOW = clause("narrow the range of the hyperparameters that make it slow")


Kind = Literal["time", "memory", "crash", "other"]
"""What struck: the time limit, the lack of memory, an end of the process, or anything else."""

_SIGNS: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    ("time", ("It did not finish within ",)),
    (
        "memory",
        ("It needed more memory than ", "It needed more than ", "The system killed it, "),
    ),
    ("crash", ("It crashed (", "It ended its own process ", "Its answer was damaged ")),
)


def kind_of(cause: str) -> Kind:
    """Return what struck a trial, from its stored cause (a sentence of this file)."""
    return next((kind for kind, starts in _SIGNS if cause.startswith(starts)), "other")


@dataclass(frozen=True)
class Failure:
    """A trial that gave nothing.

    Attributes
    ----------
    cause : str
        What happened: a sentence.
    remedy : str
        What to do: a sentence.
    seconds : float
        Wall seconds that it took.
    peak_memory : int
        Highest memory seen, bytes; 0 if unknown.
    """

    cause: str
    remedy: str
    seconds: float = 0.0
    peak_memory: int = 0


def too_slow(limits: Limits) -> Failure:
    """Tell that the time limit struck."""
    seconds = limits.seconds or 0.0
    return Failure(
        "It did not finish within 1 second, the time limit of a trial."
        if seconds == 1
        else f"It did not finish within {seconds:g} seconds, the time limit of a trial.",
        f"Raise that limit, take fewer rows, or {NARROW_SLOW}.",
    )


def too_late(seconds: float) -> Failure:
    """Tell that a trial took longer than the run's own time left for it and its final training."""
    return Failure(
        f"It did not finish within {seconds:.1f} seconds, which is what the time of the run had "
        "left for it.",
        f"Give the run more time, take fewer rows, or {NARROW_SLOW}.",
    )


def too_large(limits: Limits) -> Failure:
    """Tell that the memory limit struck, or that the machine had no more to give."""
    if limits.memory is None:
        return Failure(
            "It needed more memory than the machine could give.",
            f"Use fewer workers, close other programs, or {NARROW}.",
        )
    return Failure(
        f"It needed more than {limits.memory // MEGABYTE} MB, the memory limit of a trial.",
        f"Raise that limit (fewer workers leave more for each), or {NARROW}.",
    )


def ended(code: int, limits: Limits) -> Failure:
    """Tell that the worker process was gone, from its exit code (negative: a signal)."""
    if code == -getattr(signal, "SIGKILL", 9):
        return Failure(
            "The system killed it, most likely because the machine ran out of memory.",
            f"Set a lower memory limit, use fewer workers, or {NARROW}.",
        )
    if code < 0:
        memory = limits.memory
        return Failure(
            f"It crashed ({_signal_name(code)}): a fault in the learner's own code, or it needed "
            f"more than {memory // MEGABYTE} MB."
            if memory
            else f"It crashed ({_signal_name(code)}): a fault in the learner's own code, or it ran "
            "out of memory.",
            "The run goes on without it. If it happens often, raise the memory limit or leave "
            "this learner out of the space.",
        )
    return Failure(
        f"It ended its own process (exit code {code}) instead of giving an answer.",
        GO_ON,
    )


def damaged() -> Failure:
    """Tell that what the worker sent could not be read."""
    return Failure(
        "Its answer was damaged or cut short.",
        GO_ON,
    )


def raised(title: str, error: BaseException, limits: Limits) -> Failure:
    """Tell that the learner stopped with an exception."""
    if isinstance(error, LearnerError):
        return Failure(str(error), GO_ON)
    if isinstance(error, MemoryError) or "bad_alloc" in str(error):
        return too_large(limits)
    if isinstance(error, SystemExit | KeyboardInterrupt):
        return Failure(
            f"{title} tried to end the program instead of giving an answer.",
            "Leave this learner out of the space.",
        )
    if "0 feature(s)" in str(error):
        return Failure(
            f"No column was left for {title}: the preprocessing in front of it kept none.",
            GO_ON,
        )
    words = " ".join(str(error).split())
    if len(words) > LONGEST_QUOTE:
        words = words[:LONGEST_QUOTE] + "…"
    return Failure(
        f"{title} could not be trained: {words or 'no reason given'} ({type(error).__name__}).",
        GO_ON,
    )


def _signal_name(code: int) -> str:
    try:
        number = signal.Signals(-code)
    except ValueError:
        return f"signal {-code}"
    if number.name == "SIGSEGV":
        return clause(f"segmentation fault, signal {-code}")
    if number.name == "SIGABRT":
        return clause(f"abort, signal {-code}")
    if number.name == "SIGFPE":
        return clause(f"arithmetic fault, signal {-code}")
    return f"{number.name}, signal {-code}"
