"""The window's view of one run: its row in the document, trials, iterations."""

from dataclasses import dataclass, field
from pathlib import Path

from studio.compare.cell_names import get_displayed_name
from studio.document import shapes
from studio.document.decision import Decision
from studio.document.journal import Message, RunningJob
from studio.document.runs import RunRow
from studio.document.trials import Iteration
from studio.runs.settings import RunSettings
from studio.trial import Trial

ENDED = ("finished", "failed", "stopped")
"""Final states, in which no engine runs."""


@dataclass
class RunView:
    """A run as read so far; the session updates it in place.

    Attributes:
        row: Name, state, message, result.
        trials: Finished trials, 1, 2, … in order.
        iterations: The state after each of them (may lag behind by one read).
        is_alive: Whether a process works on it (only meaningful until it has ended).
        is_played: Whether it is played back, so that no time passes while no trial is added.
        pending_request: The request ("stop", "pause", "continue") that its engine has not answered
            yet; else empty.
    """

    row: RunRow
    trials: list[Trial] = field(default_factory=list)
    iterations: list[Iteration] = field(default_factory=list)
    running: tuple[RunningJob, ...] = ()
    messages: list[Message] = field(default_factory=list)
    is_alive: bool = True
    is_played: bool = False
    pending_request: str = ""
    _parsed_settings: tuple[RunRow, RunSettings] | None = field(
        default=None, repr=False, compare=False
    )
    _n_trials_read: int = field(default=0, repr=False, compare=False)
    _n_concluding: int = field(default=0, repr=False, compare=False)
    _own_trials: dict[str, list[Trial]] = field(default_factory=dict, repr=False, compare=False)
    _n_failed_copied: int = field(default=0, repr=False, compare=False)
    _n_trials_checked: int = field(default=0, repr=False, compare=False)
    _last_progress: tuple[int, float] | None = field(default=None, repr=False, compare=False)

    def adopt_running_jobs(self, jobs: tuple[RunningJob, ...]) -> None:
        """Adopt the trials in progress; the first ones answer a request to continue."""
        self.running = jobs
        if jobs and self.pending_request == "continue":
            self.pending_request = ""

    @property
    def settings(self) -> RunSettings:
        """Its known settings; raises DamagedError if unreadable, and such runs are not shown."""
        if self._parsed_settings is None or self._parsed_settings[0] is not self.row:
            parsed = shapes.pick(RunSettings, self.row.settings, f"run {self.row.id}")
            self._parsed_settings = self.row, parsed
        return self._parsed_settings[1]

    @property
    def budget(self) -> int | None:
        """Budget in trials; ``None`` if only time limits the run."""
        return self.settings.budget

    @property
    def metric(self) -> str:
        """The key of its metric; empty while undecided."""
        return self.settings.metric or ""

    @property
    def has_ended(self) -> bool:
        """Whether the run has ended (it may still be extended)."""
        return self.row.state in ENDED

    @property
    def test_loss(self) -> float | None:
        """The ensemble's test loss, after the end of the run and with test rows."""
        result = self.row.result if self.has_ended else None
        return result and result.test_error_ensemble

    @property
    def single_test_loss(self) -> float | None:
        """The best single model's test loss, after the end of the run and with test rows."""
        result = self.row.result if self.has_ended else None
        return result and result.test_error_single

    @property
    def omitted_members(self) -> tuple[int, ...]:
        """The members of the last iteration that could not be refitted with the others."""
        result, last = self.row.result if self.has_ended else None, self.get_iteration(None)
        if result is None or last is None or not result.refitted:
            return ()
        return tuple(sorted(number for number, _ in last.members if number not in result.weights))

    @property
    def state(self) -> str:
        """The run's state, or "interrupted" if its engine ended silently."""
        return self.row.state if self.has_ended or self.is_alive else "interrupted"

    @property
    def method(self) -> str:
        """The key of its method."""
        return self.settings.method

    @property
    def label_basis(self) -> tuple[Decision | None, str]:
        """The decision that labels rows, and the key of the ensemble that predicts them."""
        return self.row.decision, self.row.result.key if self.row.result else ""

    @property
    def subject(self) -> str:
        """Target and table: "Churned · customers 2026"; once if they have one name."""
        source = self.settings.source
        names = filter(None, (source.target, Path(source.path).stem))
        return " · ".join({name.casefold(): name for name in names}.values())

    @property
    def name(self) -> str:
        """The run's display name, or the key of its method."""
        return get_displayed_name(self.row.name) or self.method

    @property
    def n_budget_trials(self) -> int:
        """Finished trials that count towards the budget, excluding a trial of the final choice.

        Called at every repaint, even with 200,000 trials, so it reads only new ones.
        """
        for trial in self.trials[self._n_trials_read :]:
            self._n_concluding += trial.concluding
        self._n_trials_read = len(self.trials)
        return len(self.trials) - self._n_concluding

    @property
    def n_copied(self) -> int:
        """Number of trials copied at a fork; else 0."""
        return self.settings.forked.get("iteration", 0)

    @property
    def n_searched_by_parent(self) -> int:
        """Number of trials copied from the parent; 0 if it has no further trials to search.

        In a comparison, methods that differ only in their ensemble share all trials of one search.
        """
        n_copied = self.n_copied
        return 0 if self.budget is not None and self.budget <= n_copied else n_copied

    @property
    def n_new_budget_trials(self) -> int:
        """Finished trials that count towards the budget, excluding those of its parent."""
        return max(0, self.n_budget_trials - self.n_searched_by_parent)

    @property
    def has_no_new_trials(self) -> bool:
        """Whether it should have continued its parent's search, but has added no trial."""
        return self.n_searched_by_parent > 0 and self.n_new_budget_trials == 0

    @property
    def trials_without_loss(self) -> list[Trial]:
        """Its own trials that failed, did not finish, or ended early."""
        return [*self.failed_trials, *self.unfinished_trials, *self.early_trials]

    @property
    def n_new_trials(self) -> int:
        """The number of trials, without those copied by a fork."""
        return max(0, len(self.trials) - self.n_copied)

    @property
    def failed_trials(self) -> list[Trial]:
        """Its own failed trials, in order."""
        return self._list_own_trials("failed")

    @property
    def unfinished_trials(self) -> list[Trial]:
        """Its own timed-out trials, in order."""
        return self._list_own_trials("not finished")

    @property
    def early_trials(self) -> list[Trial]:
        """Its own trials stopped early after poor first folds, in order."""
        return self._list_own_trials("ended early")

    @property
    def has_model(self) -> bool:
        """Whether any trial has succeeded, also one copied at the fork."""
        return any(each.loss is not None for each in self.trials)

    @property
    def n_failed_before(self) -> int:
        """Number of failed trials copied at the fork."""
        self._list_own_trials("failed")
        return self._n_failed_copied

    def _list_own_trials(self, status: str) -> list[Trial]:
        """Return the trials with a status that were not copied at a fork, read incrementally."""
        n_copied = self.n_copied
        for trial in self.trials[self._n_trials_checked :]:
            if trial.number > n_copied:
                self._own_trials.setdefault(trial.status, []).append(trial)
            else:
                self._n_failed_copied += trial.status == "failed"
        self._n_trials_checked = len(self.trials)
        return self._own_trials.setdefault(status, [])

    @property
    def elapsed(self) -> float:
        """Seconds of work without pauses; 0 while unknown."""
        if not self.iterations:
            return 0.0
        return float(self.iterations[-1].details.get("elapsed", 0.0))

    @property
    def total_seconds(self) -> float:
        """Seconds of work for trials and, after the end, for the result."""
        result = self.row.result if self.has_ended else None
        return max(self.elapsed, result.seconds) if result else self.elapsed

    def get_seconds_worked(self, end: float) -> float:
        """Return the seconds of work until ``end`` (Unix time), without pauses.

        During a run, the time since its last trial is included: from when that trial was first
            seen, or at first from the start of the newest trial.
        """
        if self.state != "running" or self.is_played:
            self._last_progress = None
            return self.elapsed
        if self._last_progress is None:
            latest_start = max((each.since for each in self.running), default=end)
            start = latest_start if self.iterations else self.row.created
            self._last_progress = (len(self.iterations), start)
        elif self._last_progress[0] != len(self.iterations):
            self._last_progress = (len(self.iterations), end)
        return self.elapsed + max(0.0, end - self._last_progress[1])

    @property
    def resumable(self) -> bool:
        """Whether it can continue without a larger budget."""
        return self.state in {"paused", "interrupted", "stopped", "failed"}

    def get_iteration(self, number: int | None) -> Iteration | None:
        """Return the iteration of this number, or the last one if there is none; ``None`` for 0."""
        if not self.iterations or number == 0:
            return None
        if number is None:
            return self.iterations[-1]
        return self.iterations[max(1, min(number, len(self.iterations))) - 1]
