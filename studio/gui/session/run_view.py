"""The window's view of one run: its row in the document, trials, iterations."""

from dataclasses import dataclass, field
from pathlib import Path

from studio.document import shapes
from studio.document.journal import Message, Running
from studio.document.runs import RunRow
from studio.document.trials import Iteration
from studio.runs.settings import RunSettings
from studio.trial import Trial

ENDED = ("finished", "failed", "stopped")
"""States in which no engine works on a run and none is expected to."""


@dataclass
class RunView:
    """A run as read so far; the session adds to it in place.

    Attributes:
        row: Name, state, message, result.
        trials: Finished trials, 1, 2, … in order.
        iterations: The state after each of them (may lag behind by one read).
        running: What its workers are doing.
        messages: What it has said.
        alive: Whether a process works on it (only meaningful until it has ended).
        asked: The request ("stop", "pause", "continue") that its engine has not answered yet; else
            empty.
    """

    row: RunRow
    trials: list[Trial] = field(default_factory=list)
    iterations: list[Iteration] = field(default_factory=list)
    running: tuple[Running, ...] = ()
    messages: list[Message] = field(default_factory=list)
    alive: bool = True
    asked: str = ""
    _asked: tuple[RunRow, RunSettings] | None = field(default=None, repr=False, compare=False)
    _looked_at: int = field(default=0, repr=False, compare=False)
    _concluding: int = field(default=0, repr=False, compare=False)
    _failed: list[Trial] = field(default_factory=list, repr=False, compare=False)
    _unfinished: list[Trial] = field(default_factory=list, repr=False, compare=False)
    _ended_early: int = field(default=0, repr=False, compare=False)
    _failed_before: int = field(default=0, repr=False, compare=False)
    _judged: int = field(default=0, repr=False, compare=False)
    _mark: tuple[int, float] | None = field(default=None, repr=False, compare=False)

    @property
    def settings(self) -> RunSettings:
        """Its settings, without those that only a newer version knows.

        Raises:
            DamagedError: If that cannot be read; the session shows no such run.
        """
        if self._asked is None or self._asked[0] is not self.row:
            read = shapes.pick(RunSettings, self.row.settings, f"run {self.row.id}")
            self._asked = self.row, read
        return self._asked[1]

    @property
    def budget(self) -> int | None:
        """Trials that the run may use; ``None`` if only time limits it."""
        return self.settings.budget

    @property
    def metric(self) -> str:
        """The key of its metric; empty while that is not decided."""
        return self.settings.metric or ""

    @property
    def ended(self) -> bool:
        """Whether the run has ended (it may still be given more budget)."""
        return self.row.state in ENDED

    @property
    def test_loss(self) -> float | None:
        """The ensemble's loss on the test rows, once the run is over and where there are any."""
        result = self.row.result if self.ended else None
        return result and result.test_error_ensemble

    @property
    def state(self) -> str:
        """The run's state, or "interrupted" where its engine ended without a word."""
        return self.row.state if self.ended or self.alive else "interrupted"

    @property
    def method(self) -> str:
        """The key of its method."""
        return self.settings.method

    @property
    def subject(self) -> str:
        """Target and table: "Churned · customers 2026"."""
        source = self.settings.source
        return " · ".join(filter(None, (source.target, Path(source.path).stem)))

    @property
    def name(self) -> str:
        """The run's name, or the key of its method."""
        return self.row.name or self.method

    @property
    def searched(self) -> int:
        """Finished trials that count towards the budget: a final choice's own does not.

        Asked at every repaint, also with 200,000 trials: only those that came since are looked at.
        """
        for trial in self.trials[self._looked_at :]:
            self._concluding += trial.concluding
        self._looked_at = len(self.trials)
        return len(self.trials) - self._concluding

    @property
    def forked_after(self) -> int:
        """Its first trials that another run did before this one was forked from it; else 0."""
        return self.settings.forked.get("iteration", 0)

    @property
    def tried(self) -> int:
        """The number of its own trials."""
        return max(0, len(self.trials) - self.forked_after)

    @property
    def failed_trials(self) -> list[Trial]:
        """Its own failed trials, in order; only new ones are examined."""
        self._judge()
        return self._failed

    @property
    def unfinished_trials(self) -> list[Trial]:
        """Its own trials that ran out of time, in order."""
        self._judge()
        return self._unfinished

    @property
    def ended_early(self) -> int:
        """How many of its own trials were ended early, after poor first folds."""
        self._judge()
        return self._ended_early

    @property
    def failed_before(self) -> int:
        """How many trials before the fork failed: they are the other run's failures."""
        self._judge()
        return self._failed_before

    def _judge(self) -> None:
        if self._judged == len(self.trials):
            return
        before = self.forked_after
        new = self.trials[self._judged :]
        failed = [each for each in new if each.status == "failed"]
        late = [each for each in new if each.status == "not finished" and each.number > before]
        self._unfinished += late
        early = (each for each in new if each.status == "ended early" and each.number > before)
        self._ended_early += sum(1 for _ in early)
        own = [each for each in failed if each.number > before]
        self._failed += own
        self._failed_before += len(failed) - len(own)
        self._judged = len(self.trials)

    @property
    def elapsed(self) -> float:
        """Seconds that it has worked, without pauses; 0 while that is not known."""
        if not self.iterations:
            return 0.0
        return float(self.iterations[-1].details.get("elapsed", 0.0))

    @property
    def took(self) -> float:
        """Seconds that it has worked for its trials and, once it has ended, for the result."""
        result = self.row.result if self.ended else None
        return max(self.elapsed, result.seconds) if result else self.elapsed

    def worked(self, now: float) -> float:
        """Return the seconds that it has worked by ``now`` (Unix time), without pauses.

        While it runs, those since its last trial count too: from when that was first seen here, or
        where this is the first look, from the start of the trial that was begun last.
        """
        if self.state != "running":
            self._mark = None
            return self.elapsed
        if self._mark is None:
            begun = max((each.since for each in self.running), default=now)
            self._mark = (len(self.iterations), begun if self.iterations else self.row.created)
        elif self._mark[0] != len(self.iterations):
            self._mark = (len(self.iterations), now)
        return self.elapsed + max(0.0, now - self._mark[1])

    @property
    def resumable(self) -> bool:
        """Whether it can continue as it is, without more budget."""
        return self.state in {"paused", "interrupted", "stopped", "failed"}

    def iteration(self, number: int | None) -> Iteration | None:
        """Return the iteration of this number, the last one for ``None``; ``None`` if none yet."""
        if not self.iterations:
            return None
        if number is None:
            return self.iterations[-1]
        return self.iterations[max(1, min(number, len(self.iterations))) - 1]
