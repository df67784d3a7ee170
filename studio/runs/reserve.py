"""Time reserved for the end of a run, so that its result is ready within the budget.

The rules are pure functions of measurements and read no clock.
"""

import heapq
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass

from studio.ensembles.base import Ensemble
from studio.errors import RunError
from studio.phrases import counted, phrase
from studio.runs.prepare import PreparedRun
from studio.trial import Trial

FIT_TIME_EXPONENT = 1.5
"""Exponent of training time in rows: between trees (1) and kernel machines (2)."""

JOB_OVERHEAD_SECONDS = 0.03
"""Overhead of a training beyond fitting: files, messages, predictions."""

SHUTDOWN_SECONDS = 0.8
"""From the result to the end of the command: shutting down workers and interpreter."""

MAX_REFIT_SHARE = 1 / 3
"""Maximum share of a run's time for refits; members that need more are dropped."""

MIN_REFIT_WEIGHT = 0.5
"""Minimum weight of the members that are refitted in time: with less, the complete ensemble as
trained in the search is better.
"""

MIN_SECONDS = 1.0
"""Minimum time limit of a trial, unless nothing has been learned yet."""

MAX_LATE_SECONDS = 3.0
"""Seconds that a run may be late if there would otherwise be no result."""

LAST_CHANCE_ROWS = 1000
"""Training rows of a run's last chance: a trial that ends in time, however slow one on all rows is.
"""

LAST_CHANCE_TIMEOUT = 60.0
"""Seconds after which even that trial is killed. A late model is better than none, and a busy
machine may be ten times slower.
"""


class RefitTimeError(RunError):
    """Too few of the selected models can be refitted in time."""


def has_enough_weight(ensemble: Ensemble, numbers: Container[int]) -> bool:
    """Return whether these members hold enough of the ensemble's weight."""
    pairs = zip(ensemble.members, ensemble.weights, strict=True)
    return sum(weight for member, weight in pairs if member in numbers) >= MIN_REFIT_WEIGHT


def compute_refit_factor(prepared: PreparedRun, seed: int) -> float:
    """Return the ratio of a trial's refit time to its training time.

    It is 0 for a run without refit.
    """
    if not prepared.settings.refit:
        return 0.0
    redraw = prepared.redraw
    folds = prepared.split.folds if redraw is None else redraw.folds(seed)
    fold_cost = sum(float(training.size) ** FIT_TIME_EXPONENT for training, _ in folds)
    development_cost = float(prepared.split.development.size) ** FIT_TIME_EXPONENT
    return float(development_cost / max(fold_cost, 1.0))


def compute_makespan(seconds: Iterable[float], workers: int) -> float:
    """Return the makespan of jobs assigned to workers in this order."""
    finish_times = [0.0] * max(1, workers)
    for each in seconds:
        heapq.heapreplace(finish_times, finish_times[0] + each)
    return max(finish_times)


def select_refits_in_time(
    numbers: Sequence[int], cost: Callable[[int], float], seconds: float, workers: int
) -> list[int]:
    """Return the trials whose refits fit into some seconds, in this order.

    A refit that does not fit is skipped; later ones may still fit.

    Args:
        numbers: Trials, the most important first.
        cost: Predicted seconds of a trial's refit.
        seconds: Time limit of all of them.
        workers: Simultaneous trainings.
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
        workers: Simultaneous refits.
        closing_seconds: Seconds of everything else: selecting, testing, writing, ending the
        processes.
        correction_seconds: Seconds of these for the ensemble's second layer; 0 if it has none.
    """

    factor: float
    workers: int
    closing_seconds: float
    correction_seconds: float = 0.0

    def cost(self, trial: Trial) -> float:
        """Return the predicted seconds of a trial's refit."""
        return self.factor * trial.fit_seconds + JOB_OVERHEAD_SECONDS if self.factor else 0.0

    def reserve(self, trials: Sequence[Trial], numbers: Sequence[int], total: float) -> float:
        """Return the seconds to reserve for the end, if the search ended now.

        Args:
            trials: All finished ones.
            numbers: The trials to refit, the most important first; empty before the first success.
            total: The run's whole time: members that need more than :data:`MAX_REFIT_SHARE` of it
                do not count, except the cheapest of them, without which there is no result.
        """

        def cost(number: int) -> float:
            return self.cost(trials[number - 1])

        if not numbers:
            return self.closing_seconds
        selected_refits = select_refits_in_time(
            numbers, cost, MAX_REFIT_SHARE * total, self.workers
        )
        return self.closing_seconds + compute_makespan(
            map(cost, selected_refits or [min(numbers, key=cost)]), self.workers
        )

    def get_max_trial_seconds(self, seconds_left: float) -> float:
        """Return a trial's time limit such that its refit ends in ``seconds_left`` seconds."""
        return (seconds_left - self.closing_seconds) / (1.0 + self.factor)


@dataclass(frozen=True)
class RefitSelection:
    """Selects the members that can be refitted in time.

    Attributes:
        ending: Its predicted duration.
        left: Returns the seconds until the result is expected.
        overtime_seconds: Seconds beyond that after which running trainings are stopped.
    """

    ending: RefitEstimate
    left: Callable[[], float]
    overtime_seconds: float

    def choose(
        self, ensemble: Ensemble, best: int, trials: Sequence[Trial]
    ) -> tuple[Ensemble, list[int], list[str]]:
        """Drop members of an ensemble that cannot be refitted in time.

        The heaviest members come first. If none fits, the quickest one is kept if it is only
        slightly late.

        Args:
            best: The best single trial, tested beside the ensemble if there is time.
            trials: All finished ones.

        Returns: The remaining ensemble, the trials to train in order, and notes.

        Raises:
            RefitTimeError: If members of :data:`MIN_REFIT_WEIGHT` cannot be refitted in time.
        """

        def cost(number: int) -> float:
            return self.ending.cost(trials[number - 1])

        pairs = zip(ensemble.members, ensemble.weights, strict=True)
        candidates = rank_members(pairs, best)
        seconds = self.left() - self.ending.closing_seconds
        numbers = select_refits_in_time(candidates, cost, seconds, self.ending.workers)
        notes: list[str] = []
        if not set(numbers) & set(ensemble.members):
            cheapest = min(ensemble.members, key=cost)
            numbers = [cheapest]
            if cost(cheapest) > seconds + self.overtime_seconds + MAX_LATE_SECONDS:
                raise RefitTimeError
            if cost(cheapest) > seconds:
                notes.append(
                    phrase(
                        "Refitting trial {cheapest} took a little longer than the time that was "
                        "left.",
                        cheapest=cheapest,
                    )
                )
        if not has_enough_weight(ensemble, numbers):
            raise RefitTimeError
        left_out = len(set(ensemble.members) - set(numbers))
        if left_out:
            notes.append(
                counted(
                    "1 of {n_members} members of the ensemble was left out, since refitting it "
                    "would not have finished in the time given.",
                    "{count:,} of {n_members} members of the ensemble were left out, since "
                    "refitting them would not have finished in the time given.",
                    left_out,
                    n_members=len(ensemble.members),
                )
            )
        return ensemble.select_members(numbers), numbers, notes

    def is_late_to_correct(self) -> bool:
        """Whether fitting the ensemble's second layer any longer will be too late."""
        other_seconds = self.ending.closing_seconds - self.ending.correction_seconds
        return self.left() - other_seconds + self.overtime_seconds < 0

    def is_over(self, ready: bool) -> bool:
        """Whether running trainings will be too late.

        Args:
            ready: Whether a model exists already; the first one may be slightly late.
        """
        margin = self.overtime_seconds + (0.0 if ready else MAX_LATE_SECONDS)
        return self.left() - self.ending.closing_seconds + margin < 0
