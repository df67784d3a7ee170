"""Time reserved for the end of a run, so that its result is ready within the budget.

The rules are pure functions of measurements and read no clock.
"""

import heapq
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from studio.ensembles.base import Ensemble
from studio.errors import RunError
from studio.phrases import count_phrase, phrase
from studio.runs.prepare import PreparedRun
from studio.trial import Trial

FIT_TIME_EXPONENT = 1.5
"""Exponent of training time in rows: between trees (1) and kernel machines (2)."""

EXPECTED_REFIT_SHARE = 0.7
"""Expected seconds of a refit per second of training on as many rows in the search, which includes
validation and the rounds until early stopping (0.2 to 0.9 on nine tables).
"""

JOB_OVERHEAD_SECONDS = 0.03
"""Overhead of a training beyond fitting: files, messages, predictions."""

SHUTDOWN_SECONDS = 0.8
"""From the result to the end of the command: shutting down workers and interpreter."""

MAX_REFIT_SHARE = 1 / 3
"""Maximum share of a run's time for refits; members that need more are dropped, or keep the
search's models if the refit is optional.
"""

MIN_ROWS_FACTOR, MIN_ROWS_FACTOR_OF_FOLDS = 1.1, 1.3
"""Minimum ratio of the rows of an optional refit to the training rows of the search's models. A
ensemble of fold models already benefits from averaging (docs/studies/portfolio.md).
"""

MIN_REFIT_WEIGHT = 0.5
"""Minimum total weight of the members refitted in time: below it, the complete ensemble as trained
in the search is better.
"""

MIN_SECONDS = 1.0
"""Minimum time limit of a trial, except before the first success."""

MAX_LATE_SECONDS = 3.0
"""Seconds that a run may be late if there would otherwise be no result."""

FALLBACK_ROWS = 1000
"""Training rows of a run's fallback trial, which ends in time, however slow a full trial is.
"""

FALLBACK_TIMEOUT = 60.0
"""Seconds after which even that trial is killed. A late model is better than none, and a busy
machine may be ten times slower.
"""


class RefitTimeError(RunError):
    """Too few of the selected models can be refitted in time."""


def _has_enough_weight(members: Iterable[tuple[int, float]], numbers: Container[int]) -> bool:
    return sum(weight for member, weight in members if member in numbers) >= MIN_REFIT_WEIGHT


def is_refit_optional(prepared_run: PreparedRun) -> bool:
    """Return whether the members are refitted at the end if there is time for all of them.

    They are if the user left the choice open, and the search's models were trained on substantially
    fewer rows than are available.
    """
    settings = prepared_run.settings
    if not settings.optional_refit or settings.refit or not settings.keep or settings.cluster:
        return False
    folds = prepared_run.split.folds
    factor = MIN_ROWS_FACTOR if len(folds) == 1 else MIN_ROWS_FACTOR_OF_FOLDS
    rows = max(training.size for training, _ in folds)
    return bool(prepared_run.split.development.size >= factor * rows)


def compute_refit_factor(prepared_run: PreparedRun, seed: int) -> float:
    """Return the ratio of a trial's refit time to its training time.

    It is 0 for a run without refit. For an optional refit it is the expected ratio, not an upper
    bound: if the refit takes longer, the members stay unchanged.
    """
    is_optional = is_refit_optional(prepared_run)
    if not prepared_run.settings.refit and not is_optional:
        return 0.0
    exponent = 1.0 if is_optional else FIT_TIME_EXPONENT
    redraw = prepared_run.redraw
    folds = prepared_run.split.folds if redraw is None else redraw.make_folds(seed)
    fold_cost = sum(float(training.size) ** exponent for training, _ in folds)
    development_cost = float(prepared_run.split.development.size) ** exponent
    share = EXPECTED_REFIT_SHARE if is_optional else 1.0
    return float(share * development_cost / max(fold_cost, 1.0))


def compute_makespan(seconds: Iterable[float], workers: int) -> float:
    """Return the makespan of jobs assigned to workers in this order."""
    finish_times = [0.0] * max(1, workers)
    for each in seconds:
        heapq.heapreplace(finish_times, finish_times[0] + each)
    return max(finish_times)


def select_refits_in_time(
    numbers: Sequence[int], cost: Callable[[int], float], seconds: float, workers: int
) -> list[int]:
    """Return the trials whose refits fit into a time limit, in this order.

    A refit that does not fit is skipped; later ones may still fit.

    Args:
        cost: Predicted seconds of a trial's refit.
        seconds: Time limit for all refits.
    """
    selected_numbers: list[int] = []
    finish_times = [0.0] * max(1, workers)
    for number in numbers:
        end = finish_times[0] + cost(number)
        if end <= seconds:
            heapq.heapreplace(finish_times, end)
            selected_numbers.append(number)
    return selected_numbers


def rank_members(members: Iterable[tuple[int, float]], best: int) -> list[int]:
    """Return the members (number, weight), heaviest first, followed by the best single trial."""
    heaviest = sorted(members, key=lambda member: -member[1])
    return list(dict.fromkeys([*(number for number, _ in heaviest), best]))


@dataclass(frozen=True)
class RefitEstimate:
    """The estimated duration of a run's end.

    Attributes:
        factor: Seconds of a refit for each second of a trial's fits (:func:`compute_refit_factor`).
        closing_seconds: Seconds of everything else: selecting, testing, writing, ending the
            processes.
        optional: Whether members are only refitted if there is time (:func:`is_refit_optional`),
            and otherwise stay unchanged.
        correction_seconds: The part of the closing seconds for the ensemble's second layer; 0
            without one.
    """

    factor: float
    workers: int
    closing_seconds: float
    optional: bool = False
    correction_seconds: float = 0.0

    def estimate_cost(self, trial: Trial) -> float:
        """Return the predicted seconds of a trial's refit."""
        return self.factor * trial.fit_seconds + JOB_OVERHEAD_SECONDS if self.factor else 0.0

    def reserve(
        self,
        trials: Sequence[Trial],
        members: Sequence[tuple[int, float]],
        best: int | None,
        total: float,
    ) -> float:
        """Return the seconds to reserve for the end, if the search ended now.

        Args:
            members: The ensemble: trial numbers with their weights.
            best: The best single trial; ``None`` before the first success.
            total: The run's total time: members that need more than :data:`MAX_REFIT_SHARE` of it
                are ignored, except the cheapest, without which there would be no result.
        """

        def get_cost(number: int) -> float:
            return self.estimate_cost(trials[number - 1])

        if best is None:
            return self.closing_seconds
        numbers = rank_members(members, best)
        selected_refits = select_refits_in_time(
            numbers, get_cost, MAX_REFIT_SHARE * total, self.workers
        )
        if self.optional and not _has_enough_weight(members, selected_refits):
            return self.closing_seconds
        return self.closing_seconds + compute_makespan(
            map(get_cost, selected_refits or [min(numbers, key=get_cost)]), self.workers
        )

    def get_max_trial_seconds(self, seconds_left: float) -> float:
        """Return a trial's time limit such that its refit ends in ``seconds_left`` seconds."""
        factor = 0.0 if self.optional else self.factor
        return (seconds_left - self.closing_seconds) / (1.0 + factor)


@dataclass(frozen=True)
class RefitSelection:
    """Selects the members that can be refitted in time.

    Attributes:
        overtime_seconds: Additional seconds after which running trainings are stopped.
    """

    refit_estimate: RefitEstimate
    get_remaining_seconds: Callable[[], float]
    overtime_seconds: float

    def select_members(
        self, ensemble: Ensemble, best: int, trials: Sequence[Trial]
    ) -> tuple[Ensemble, list[int], list[str]]:
        """Drop members of an ensemble that cannot be refitted in time, unless that is optional.

        The heaviest members are refitted first. If none fits, the quickest is kept if only slightly
        late.

        Args:
            best: The best single trial, tested in addition to the ensemble if there is time.

        Returns:
            The remaining ensemble, the trials to train in order, and notes.

        Raises:
            RefitTimeError: If the members refitted in time have less than :data:`MIN_REFIT_WEIGHT`.
        """

        def get_cost(number: int) -> float:
            return self.refit_estimate.estimate_cost(trials[number - 1])

        members = list(zip(ensemble.members, ensemble.weights, strict=True))
        candidates = rank_members(members, best)
        seconds = self.get_remaining_seconds() - self.refit_estimate.closing_seconds
        if self.refit_estimate.optional:
            # The last trial may have added a member for which no time was reserved.
            seconds += self.overtime_seconds
        numbers = select_refits_in_time(candidates, get_cost, seconds, self.refit_estimate.workers)
        notes: list[str] = []
        if not self.refit_estimate.optional and not set(numbers) & set(ensemble.members):
            cheapest = min(ensemble.members, key=get_cost)
            numbers = [cheapest]
            if get_cost(cheapest) > seconds + self.overtime_seconds + MAX_LATE_SECONDS:
                raise RefitTimeError
            if get_cost(cheapest) > seconds:
                notes.append(
                    phrase(
                        "Refitting trial {cheapest} took a little longer than the time left.",
                        cheapest=cheapest,
                    )
                )
        if not _has_enough_weight(members, numbers):
            raise RefitTimeError
        if self.refit_estimate.optional:
            return ensemble, numbers, notes
        n_skipped = len(set(ensemble.members) - set(numbers))
        if n_skipped:
            notes.append(
                count_phrase(
                    "1 of {n_members} members of the ensemble could not be refitted in the time "
                    "given, so it is left out.",
                    "{count:,} of {n_members} members of the ensemble could not be refitted in the "
                    "time given, so they are left out.",
                    n_skipped,
                    n_members=len(ensemble.members),
                )
            )
        return ensemble.select_members(numbers), numbers, notes

    def without_option(self) -> Self:
        """Return the selection without an optional refit."""
        return replace(self, refit_estimate=replace(self.refit_estimate, optional=False))

    def is_sufficient(self, ensemble: Ensemble, numbers: Container[int]) -> bool:
        """Return whether the refitted members have sufficient weight when time is up."""
        members = zip(ensemble.members, ensemble.weights, strict=True)
        is_open = not self.refit_estimate.optional and not self.is_over(True)
        return is_open or _has_enough_weight(members, numbers)

    def is_late_to_correct(self) -> bool:
        """Whether it is too late to continue fitting the ensemble's second layer."""
        other_seconds = self.refit_estimate.closing_seconds - self.refit_estimate.correction_seconds
        return self.get_remaining_seconds() - other_seconds + self.overtime_seconds < 0

    def is_over(self, ready: bool) -> bool:
        """Whether running trainings have exceeded their time.

        Args:
            ready: Whether a model exists already; the first may be slightly late unless the
                search's models can replace it.
        """
        can_be_late = not ready and not self.refit_estimate.optional
        margin = self.overtime_seconds + (MAX_LATE_SECONDS if can_be_late else 0.0)
        return self.get_remaining_seconds() - self.refit_estimate.closing_seconds + margin < 0
