"""Resource limits of trials, and the number of parallel trials for this machine.

The engine enforces them from outside (a fit stuck in C code cannot check itself); the worker also
sets the system's limit, so that most learners get a clean ``MemoryError`` first.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.phrases import phrase
from studio.runs.choices import MIN_MEGABYTES, TrialSettings
from studio.system.available_resources import count_cores, get_memory

if TYPE_CHECKING:  # workers read their limits without a document
    from studio.document.store import Document


MEGABYTE = 2**20
"""Number of bytes per displayed MB."""

MIN_MEMORY = MIN_MEGABYTES * MEGABYTE

MAX_MEMORY_SHARE = 0.8
"""Default share of the machine's memory for all workers together."""


@dataclass(frozen=True)
class TrialLimits:
    """The limits of one trial.

    Attributes:
        seconds: Wall seconds from the start in a worker; ``None`` for no limit.
        memory: Memory in bytes of the worker process and its children; ``None`` for no limit.
    """

    seconds: float | None = None
    memory: int | None = None


def get_trial_limits(settings: TrialSettings, workers: int) -> TrialLimits:
    """Return the limits of each of ``workers`` trials; UsageError for invalid settings."""
    settings.check()
    return TrialLimits(settings.trial_seconds, get_memory_limit(settings.trial_memory, workers))


def get_memory_limit(megabytes: int | None, workers: int) -> int:
    """Return a trial's memory limit in bytes: the given one in MB, or a share of the machine's.

    Args:
        megabytes: The user's limit; ``None`` for an equal share of 80 % of the machine's memory.
        workers: Simultaneous trials, at least 1.
    """
    if megabytes is not None:
        return megabytes * MEGABYTE
    available = int(get_memory() * MAX_MEMORY_SHARE) // workers
    return max(MIN_MEMORY, available)


MAX_WORKERS_PER_CORE = 4
"""Maximum workers per core: a trial uses a full core."""


def get_worker_count(n_workers: int) -> int:
    """Return the number of workers to start if ``n_workers``, at least 1, are requested."""
    max_workers = int(get_memory() * MAX_MEMORY_SHARE) // MIN_MEMORY
    return max(1, min(n_workers, MAX_WORKERS_PER_CORE * count_cores(), max_workers))


def explain_worker_limit(requested: int) -> str:
    """Return a sentence if fewer workers than requested are started, or ""."""
    n_workers = get_worker_count(requested)
    if requested <= n_workers:
        return ""
    return phrase(
        "{asked:,} workers were requested, but this machine can run at most {most} (cores: "
        "{cores}, memory: {memory:.0f} GB).",
        asked=requested,
        most=n_workers,
        cores=count_cores(),
        memory=get_memory() / 2**30,
    )


def limit_workers(document: "Document", run_id: int, cluster: str = "") -> str:
    """Limit a run's workers to the machine's capacity; return a message or "".

    The message is recorded in the document, and the run's settings store the actual number. An
    allowed cluster (``cluster``) limits its jobs itself.
    """
    settings = document.runs.get(run_id).settings
    note = "" if cluster else explain_worker_limit(int(settings["workers"]))
    if note:
        with document.run_transaction():
            document.runs.change_settings(
                run_id, {"workers": get_worker_count(int(settings["workers"]))}
            )
            document.journal.add_message(run_id, "info", note)
    return note
