"""A run's trials and iterations as append-only arrays, shared by all plots of the run."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields

import numpy as np

from studio.arrays import Flags, Floats, Integers
from studio.document.trials import Iteration
from studio.gui.session.learner_names import get_learner_name
from studio.language import tr
from studio.measure import Measure
from studio.trial import Trial


@dataclass(frozen=True)
class Curves:
    """The values of all iterations, shape (iterations,) each; NaN if missing.

    Attributes:
        seconds: Shape (iterations,). Time from the run's start to each iteration's end.
    """

    numbers: Integers
    single_validation: Floats
    single_test: Floats
    ensemble_validation: Floats
    ensemble_test: Floats
    seconds: Floats

    def extend(self, later: "Curves") -> "Curves":
        """Return these curves extended by later iterations."""
        pairs = ((getattr(self, each.name), getattr(later, each.name)) for each in fields(self))
        return Curves(*map(np.concatenate, pairs))


@dataclass
class RunSeries:
    """One run in the form read by plots.

    Attributes:
        branch_parameter: The root categorical of the space, which selects a branch ("algorithm").
        branches: Its choices, in the order of their colours.
        trials, iterations: Those read so far, extended only by :meth:`extend`.
        losses: Shape (t,). NaN for no loss.
        failed: Shape (t,). Whether a trial failed; one stopped early did not.
        branch_names: The branches, then those only found in trials, in order of appearance ("" in a
            space without branches).
        branch_indices: Shape (t,). Index of every trial's branch in ``branch_names``.
    """

    measure: Measure = field(default_factory=Measure)
    branch_parameter: str | None = None
    branches: tuple[str, ...] = ()
    trials: list[Trial] = field(default_factory=list)
    iterations: list[Iteration] = field(default_factory=list)
    losses: Floats = field(init=False, repr=False, compare=False)
    failed: Flags = field(init=False, repr=False, compare=False)
    curves: Curves = field(init=False, repr=False, compare=False)
    branch_names: list[str] = field(init=False, repr=False, compare=False)
    branch_indices: Integers = field(init=False, repr=False, compare=False)

    def extend(self, trials: Sequence[Trial], iterations: Sequence[Iteration]) -> bool:
        """Append new entries; return whether there are any. ValueError if a list is shorter."""
        if len(trials) < len(self.trials) or len(iterations) < len(self.iterations):
            raise ValueError("A run's trials and iterations only ever grow.")
        if len(trials) == len(self.trials) and len(iterations) == len(self.iterations):
            return False
        new_trials = trials[len(self.trials) :]
        new_iterations = iterations[len(self.iterations) :]
        self.trials.extend(new_trials)
        self.iterations.extend(new_iterations)
        # Only new entries are read, as a run may have 200,000 trials.
        self.losses = np.concatenate([self.losses, _get_losses(new_trials)])
        self.failed = np.concatenate([self.failed, _get_failed_flags(new_trials)])
        self.curves = self.curves.extend(_make_curves(new_iterations))
        new_indices = self._get_branch_indices(new_trials)
        self.branch_indices = np.concatenate([self.branch_indices, new_indices])
        return True

    def _get_branch_indices(self, trials: Sequence[Trial]) -> Integers:
        """Return the indices of trials' branches in ``branch_names``, (t,), appending new ones."""
        names_by_trial = [self.get_branch(trial.number) for trial in trials]
        names = self.branch_names
        names += [name for name in dict.fromkeys(names_by_trial) if name not in names]
        index_of = {name: index for index, name in enumerate(names)}
        return np.array([index_of[name] for name in names_by_trial], dtype=np.int64)

    def __post_init__(self) -> None:
        """Rebuild the arrays from the first trial on."""
        self.branch_names = list(self.branches)
        self.losses, self.failed = _get_losses(self.trials), _get_failed_flags(self.trials)
        self.curves = _make_curves(self.iterations)
        self.branch_indices = self._get_branch_indices(self.trials)

    @property
    def length(self) -> int:
        """The number of the last iteration; 0 before the first."""
        return self.iterations[-1].number if self.iterations else 0

    def resolve_iteration(self, chosen: int | None) -> int:
        """Return the shown iteration: the selected one, at most the last; the last when live."""
        return self.length if chosen is None else max(0, min(chosen, self.length))

    def get_trial(self, number: int) -> Trial | None:
        """Return the trial with this number, or None if it has not been read yet."""
        return self.trials[number - 1] if 0 < number <= len(self.trials) else None

    def get_branch(self, number: int) -> str:
        """Return the branch of a trial ("rbf-svm"); empty if the space has no root choice."""
        trial = self.get_trial(number)
        if trial is None or self.branch_parameter is None:
            return ""
        return str(trial.configuration.get(self.branch_parameter, ""))

    def get_most_tried(self, newest: int = 0) -> list[str]:
        """Return the branches of all or of the newest trials, the most frequent first."""
        return [name for name, _ in self.count_branches(newest).most_common()]

    def count_branches(self, newest: int = 0) -> Counter[str]:
        """Return the number of all or of the newest trials of each branch."""
        indices = self.branch_indices[-newest:].tolist()
        return Counter(name for each in indices if (name := self.branch_names[each]))

    def get_name(self, number: int) -> str:
        """Return a trial's name for read-outs: "trial 12 (Random forest)"."""
        branch = self.get_branch(number)
        if branch:
            return tr("trial {number} ({branch})", number=number, branch=get_learner_name(branch))
        return tr("trial {number}", number=number)


def _get_losses(trials: Sequence[Trial]) -> Floats:
    return _to_floats([trial.loss for trial in trials])


def _get_failed_flags(trials: Sequence[Trial]) -> Flags:
    return np.array([trial.status == "failed" for trial in trials], dtype=np.bool_)


def _make_curves(iterations: Sequence[Iteration]) -> Curves:
    return Curves(
        np.array([i.number for i in iterations], dtype=np.int64),
        _to_floats([i.single_validation for i in iterations]),
        _to_floats([i.single_test for i in iterations]),
        _to_floats([i.ensemble_validation for i in iterations]),
        _to_floats([i.ensemble_test for i in iterations]),
        _to_floats([i.details.get("elapsed") for i in iterations]),
    )


def _to_floats(values: Sequence[float | None]) -> Floats:
    return np.array([np.nan if v is None else v for v in values], dtype=float)


def choose_iterations(last: int, max_iterations: int) -> Integers:
    """Return iterations, (k,), up to ``last``: all, or every 2nd, 4th, 8th, …, and the last.

    With powers of two as steps, a growing run only drops columns, so that results computed for a
    column stay valid.
    """
    step = 1
    while last > step * max_iterations:
        step *= 2
    iterations = np.arange(step, last + 1, step, dtype=np.int64)
    if last and (not len(iterations) or iterations[-1] != last):
        iterations = np.append(iterations, last)
    return iterations
