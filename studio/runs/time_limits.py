"""Time limits of a run's search, trials and refit, from its clock, budget and measurements."""

from studio.runs.clock import RunClock
from studio.runs.correcting import MAX_SHARE, estimate_correction_seconds
from studio.runs.model_files import FoldModels
from studio.runs.pool import Pool
from studio.runs.prepare import PreparedRun
from studio.runs.record import Recorder
from studio.runs.requests import RequestQueue
from studio.runs.reserve import (
    MAX_LATE_SECONDS,
    MIN_SECONDS,
    SHUTDOWN_SECONDS,
    RefitEstimate,
    RefitSelection,
    compute_refit_factor,
    is_refit_optional,
)

OVERTIME_SHARE = 0.03
"""Share of a run's time by which its refit may overrun before it is killed."""

MAX_RESTART_SHARE = 0.05
"""Maximum share of a run's time for restarting workers after killed trials."""

SPARE_WORKER_SHARE = 0.15
"""Last share of a run's time in which a spare worker is kept."""

MAX_SLOW_END_SHARE = 0.1
"""Maximum share of a run's time reserved for a slow end on a busy machine."""

STORE_BYTES_PER_SECOND = 40e6
"""Minimum speed of serialising models for the document (boosted trees, the slowest)."""

_INTERVAL_LOSSES = 20
"""Number of test losses that take as long as the result's intervals: two of a model, one of a pair
(seconds for 200,000 rows, 2 to 10 losses each).
"""


class TimeLimits:
    """Derives time limits from clock, budget and measurements.

    All times are in seconds, or ``None`` if only the number of trials is limited.

    Args:
        models: The search's models, to be stored in the document if not refitted.
    """

    def __init__(
        self,
        prepared_run: PreparedRun,
        recorder: Recorder,
        requests: RequestQueue,
        clock: RunClock,
        pool: Pool,
        *,
        models: FoldModels,
    ) -> None:
        self._prepared = prepared_run
        self._recorder = recorder
        self._requests = requests
        self._clock = clock
        self._pool = pool
        self._models = models
        self._factor = compute_refit_factor(prepared_run, prepared_run.settings.seed)
        self._optional_refit = is_refit_optional(prepared_run)
        self._cached_reserve: tuple[tuple[int, float], float] | None = None
        self._concludes = prepared_run.method.ensemble.adds_final_trial

    def get_seconds_worked(self) -> float:
        """Return the run's seconds of work."""
        return self._clock.get_seconds_worked(self._requests.paused_seconds)

    def get_session_seconds(self) -> float:
        """Return this session's seconds of work."""
        return self.get_seconds_worked() - self._clock.earlier_seconds

    def estimate_remaining_seconds(self) -> float | None:
        """Return the expected seconds until the result."""
        seconds = self._requests.seconds
        return None if seconds is None else seconds - self.get_seconds_worked()

    def estimate_ending(self) -> RefitEstimate:
        """Return the estimated duration of the end, from measurements so far."""
        recorder = self._recorder
        closing = recorder.record_seconds + _INTERVAL_LOSSES * recorder.loss_seconds
        members = [number for number, _ in recorder.latest.members]
        closing += self._models.count_bytes(members) / STORE_BYTES_PER_SECOND
        slowdown_seconds = (recorder.slowdown.factor - 1.0) * SHUTDOWN_SECONDS
        closing += SHUTDOWN_SECONDS + min(
            slowdown_seconds, MAX_SLOW_END_SHARE * (self._requests.seconds or 0.0)
        )
        correction = 0.0
        if (total := self._requests.seconds) is not None:
            seconds = estimate_correction_seconds(self._prepared, len(members), total)
            correction = min(recorder.slowdown.factor * seconds, MAX_SHARE * total)
        return RefitEstimate(
            self._factor,
            self._pool.size,
            closing + correction,
            optional=self._optional_refit,
            correction_seconds=correction,
        )

    def get_search_time(self, *, running: bool = False) -> float | None:
        """Return the remaining time of the search, less the restart of workers if ``running``."""
        seconds_left, total = self.estimate_remaining_seconds(), self._requests.seconds
        if seconds_left is None or total is None:
            return None
        restart = min(self._pool.restart_seconds, MAX_RESTART_SHARE * total) if running else 0.0
        return seconds_left - self._reserve_for_end(total) - restart

    def _reserve_for_end(self, total: float) -> float:
        latest_row, trials = self._recorder.latest, self._recorder.history.trials
        key = (latest_row.number, total)
        if self._cached_reserve is None or self._cached_reserve[0] != key:
            seconds = self.estimate_ending().reserve(
                trials, latest_row.members, latest_row.best, total
            )
            if self._concludes and latest_row.best is not None:
                seconds += trials[latest_row.best - 1].fit_seconds
            self._cached_reserve = (key, seconds)
        return self._cached_reserve[1]

    def is_ending(self) -> bool:
        """Whether trials may soon have to be killed."""
        seconds_left, total = self.get_search_time(running=True), self._requests.seconds
        if seconds_left is None or total is None:
            return False
        has_no_success = not self._recorder.history.succeeded
        fallback_seconds = MAX_LATE_SECONDS + self._pool.restart_seconds if has_no_success else 0.0
        return seconds_left < SPARE_WORKER_SHARE * total + fallback_seconds

    def get_refit_selection(self) -> RefitSelection | None:
        """Return the selection of members for the refit; ``None`` without a time limit."""
        total = self._requests.seconds
        if total is None:
            return None
        return RefitSelection(
            self.estimate_ending(),
            lambda: total - self.get_seconds_worked(),
            OVERTIME_SHARE * total,
        )

    def can_finish(self, predicted_seconds: float | None) -> bool:
        """Whether a trial is expected to end in time and is therefore worth starting.

        Args:
            predicted_seconds: The predicted seconds; if unknown, the trial is not started if three
                quarters of the earlier ones took longer than the remaining time.
        """
        seconds_left = self.get_trial_limit()
        seconds = sorted(trial.fit_seconds for trial in self._recorder.history.succeeded)
        if seconds_left is None or not seconds:
            return True
        return (
            seconds[len(seconds) // 4] if predicted_seconds is None else predicted_seconds
        ) <= seconds_left

    def get_trial_limit(self) -> float | None:
        """Return the time limit of a trial started now, leaving time for its refit.

        Before the first success it is at least :data:`MIN_SECONDS`, so that the search chooses a
        quick trial as its fallback.
        """
        seconds_left, search = self.estimate_remaining_seconds(), self.get_search_time(running=True)
        if seconds_left is None or search is None:
            return None
        limit = min(search, self._get_max_seconds(seconds_left))
        return limit if self._recorder.history.succeeded else max(limit, MIN_SECONDS)

    def get_conclusion_limit(self) -> float | None:
        """Return the time limit of a final configuration: its reserved time, or a minimum."""
        seconds_left = self.estimate_remaining_seconds()
        if seconds_left is None:
            return None
        return max(self.estimate_ending().get_max_trial_seconds(seconds_left), MIN_SECONDS)

    def get_fallback_limit(self) -> float | None:
        """Return the time limit of the fallback trial: the remaining time, or slightly more.

        It is extended if workers take longer than that to start, as the machine is then busy.
        """
        seconds_left, pool = self.estimate_remaining_seconds(), self._pool
        if seconds_left is None:
            return None
        start_seconds = max(pool.starting_seconds, pool.restart_seconds)
        return max(seconds_left - SHUTDOWN_SECONDS, MAX_LATE_SECONDS, start_seconds)

    def is_last_trial_possible(self) -> bool:
        """Whether no trial has succeeded and time remains only for a trial on few rows."""
        seconds_left = self.estimate_remaining_seconds()
        if seconds_left is None or self._recorder.history.succeeded:
            return False
        return self._get_max_seconds(seconds_left) < MIN_SECONDS

    def is_fallback_due(self) -> bool:
        """Whether no trial has succeeded and the remaining time is needed for the fallback."""
        seconds_left = self.estimate_remaining_seconds()
        if seconds_left is None or self._recorder.history.succeeded:
            return False
        return self._get_max_seconds(seconds_left) < 0

    def get_hard_limit(self) -> float | None:
        """Return the seconds after which a trial is killed; ``None`` if the search ends earlier."""
        seconds_left, search = self.estimate_remaining_seconds(), self.get_search_time(running=True)
        if seconds_left is None or search is None or self.is_last_trial_possible():
            return None
        limit = self._get_max_seconds(seconds_left)
        return limit if MIN_SECONDS / 10 < limit < search else None

    def _get_max_seconds(self, seconds_left: float) -> float:
        """Return a trial's time limit, leaving time for its refit, or for the fallback trial."""
        ending = self.estimate_ending()
        limit = ending.get_max_trial_seconds(seconds_left)
        if self._recorder.history.succeeded:
            return limit
        return min(
            limit,
            seconds_left - ending.closing_seconds - self._pool.restart_seconds - MAX_LATE_SECONDS,
        )
