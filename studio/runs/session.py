"""What the parts of a running run have in common."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from studio.document.store import Document
from studio.runs.clock import Clock
from studio.runs.limits import Limits
from studio.runs.model_files import FoldModels
from studio.runs.pool_protocol import Pool
from studio.runs.prepare import Prepared
from studio.runs.progress import Progress
from studio.runs.record import Recorder
from studio.runs.requests import Requests
from studio.runs.time_left import TimeLeft
from studio.runs.utilisation import Utilisation


class Reporter(Protocol):
    """Whoever started the loop: the engine."""

    @property
    def stopping(self) -> bool:
        """Whether someone asked for a stop."""

    def say(self, message: str) -> None:
        """Leave a sentence in the document and report it."""

    def report(self, progress: Progress) -> None:
        """Pass progress on."""


@dataclass(frozen=True)
class RunContext:
    """A run, and where it is worked on.

    Attributes:
        document: Open for writing.
        run_id: The run.
        prepared: What it works with.
        pool: What its trials are trained in.
        limits: Of every trial.
        scratch: A folder of the run's own, which outlives the session.
    """

    document: Document
    run_id: int
    prepared: Prepared
    pool: Pool
    limits: Limits
    scratch: Path


@dataclass(frozen=True)
class RunSession:
    """One working session of a run.

    Attributes:
        reporter: Hears of progress, and knows whether someone asked for a stop.
        workshop: The run.
        recorder: Its history, kept in step with the document.
        requests: What the user asks for meanwhile.
        time: How much of its time is left.
        utilisation: What its workers' time went into.
        models: The fitted models that its trials leave.
    """

    reporter: Reporter
    workshop: RunContext
    recorder: Recorder
    requests: Requests
    time: TimeLeft
    utilisation: Utilisation
    models: FoldModels

    @classmethod
    def begin(cls, reporter: Reporter, workshop: RunContext, clock: Clock) -> Self:
        """Take a run up where the document has it."""
        prepared = workshop.prepared
        recorder = Recorder(workshop.document, workshop.run_id, prepared)
        requests = Requests(workshop.document, workshop.run_id, prepared.settings, clock.now)
        clock.before = recorder.worked_before
        models = FoldModels.of(prepared, workshop.scratch)
        time = TimeLeft(prepared, recorder, requests, clock, workshop.pool, models=models)
        utilisation = Utilisation(recorder.latest.details.get("spent"))
        return cls(reporter, workshop, recorder, requests, time, utilisation, models)

    @property
    def is_to_stop(self) -> bool:
        """Whether somebody said stop."""
        return self.reporter.stopping or self.requests.stop

    def spent(self) -> dict[str, float]:
        """Return what the workers' time went into so far."""
        return self.utilisation.spent(self.time.session(), self.workshop.pool.size)
