"""What a trial may use.

The engine's side watches from outside (a fit stuck in C cannot watch itself); the worker's side
sets the system's own limit, so that most learners get a clean ``MemoryError`` first.
"""

from dataclasses import dataclass

from studio.runs.choices import LEAST_MEGABYTES, TrialSettings
from studio.system.allotted import memory

MEGABYTE = 2**20
"""Bytes of what the user calls a MB."""

LEAST_MEMORY = LEAST_MEGABYTES * MEGABYTE

SHARE_OF_MACHINE = 0.8
"""Part of the machine's memory that all workers together may use by default."""


@dataclass(frozen=True)
class Limits:
    """The limits of one trial.

    Attributes
    ----------
    seconds : float or None
        Wall seconds from the moment a worker takes the trial; ``None`` for no limit.
    memory : int or None
        Bytes of the worker process and everything it starts, the program's own included;
        ``None`` for no limit.
    """

    seconds: float | None = None
    memory: int | None = None


def limits_of(settings: TrialSettings, workers: int) -> Limits:
    """Return the limits of each trial when ``workers`` of them run at once, as the settings ask.

    Raises
    ------
    UsageError
        If the settings cannot work: a document may come from anybody.
    """
    settings.check()
    return Limits(settings.trial_seconds, memory_share(settings.trial_memory, workers))


def memory_share(megabytes: int | None, workers: int) -> int:
    """Return a trial's memory limit in bytes: the one given in MB, or a share of the machine's.

    Parameters
    ----------
    megabytes : int or None
        What the user asked for; ``None`` for an equal share of 80 % of the machine's memory.
    workers : int
        Trials at the same time, at least 1.
    """
    if megabytes is not None:
        return megabytes * MEGABYTE
    share = int(memory() * SHARE_OF_MACHINE) // workers
    return max(LEAST_MEMORY, share)
