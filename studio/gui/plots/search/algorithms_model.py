"""Which branch of the space the search tries, and which the ensemble is made of, over time."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats, Integers
from studio.gui.plots.base.series import RunSeries, columns
from studio.gui.session.learner_names import learner_name
from studio.language import N_, ntr, percent, tr

WINDOW = 20
"""Trials over which the sliding share is taken."""

MAX_COLUMNS = 400
"""Iterations drawn at most; beyond, every 2nd, 4th, 8th is."""

VIEWS = {
    "window": N_("Last 20 trials"),
    "all": N_("All trials so far"),
}
"""The ways to count trials, and their names."""


@dataclass(frozen=True)
class SharesPicture:
    """Shares of the branches at the iterations drawn.

    Attributes:
        iterations: Shape (c,). The iterations drawn, ascending.
        branches: Length b. Those that were ever tried, in the order of the space.
        trials: Shape (b, c). Share of the trials, in [0, 1]; columns sum to 1.
        members: Shape (b, c). Share of the ensemble's weight; columns sum to 1, or are 0 before the
            first ensemble.
        last, shown: The last iteration there is, and the one looked at.
    """

    iterations: Integers
    branches: tuple[str, ...]
    trials: Floats
    members: Floats
    last: int
    shown: int


class BranchShares:
    """Counts the branches of a run; what was counted of an ensemble once is kept.

    Args:
        series: The run.
    """

    def __init__(self, series: RunSeries) -> None:
        self.series = series
        self._members: dict[int, tuple[dict[int, float], dict[int, int]]] = {}

    def _joined(self, iteration: int) -> tuple[dict[int, float], dict[int, int]]:
        """Return weight and number of the members of each branch at an iteration."""
        if iteration not in self._members:
            weights: dict[int, float] = {}
            counts: dict[int, int] = {}
            for number, weight in self.series.iterations[iteration - 1].members:
                row = int(self.series.branch_of[number - 1])
                weights[row] = weights.get(row, 0.0) + weight
                counts[row] = counts.get(row, 0) + 1
            self._members[iteration] = (weights, counts)
        return self._members[iteration]

    def picture(self, chosen: int | None, view: str) -> SharesPicture:
        """Return the shares of the whole run so far; ``view`` is a key of :data:`VIEWS`."""
        names, branch_of = self.series.branch_names, self.series.branch_of
        last = min(len(branch_of), len(self.series.iterations))
        iterations = columns(last, MAX_COLUMNS)
        since = np.maximum(iterations - WINDOW, 0) if view == "window" else 0 * iterations
        trials = np.empty((len(names), len(iterations)))
        for row in range(len(names)):
            own = np.flatnonzero(branch_of == row)
            until = np.searchsorted(own, iterations)
            before = np.searchsorted(own, since)
            trials[row] = (until - before) / (iterations - since)
        members = np.zeros_like(trials)
        for column, iteration in enumerate(iterations.tolist()):
            for row, weight in self._joined(iteration)[0].items():
                members[row, column] = weight
        total = members.sum(axis=0)
        np.divide(members, total, out=members, where=total > 0)
        seen = np.flatnonzero(np.bincount(branch_of))
        return SharesPicture(
            iterations=iterations,
            branches=tuple(names[row] for row in seen),
            trials=trials[seen],
            members=members[seen],
            last=last,
            shown=self.series.at(chosen),
        )

    def tried(self, branch: str, iteration: int, view: str) -> tuple[int, int]:
        """Return how many of how many trials counted at an iteration are of a branch."""
        since = max(0, iteration - WINDOW) if view == "window" else 0
        own = self.series.branch_of[since:iteration] == self.series.branch_names.index(branch)
        return int(own.sum()), iteration - since

    def joined(self, branch: str, iteration: int) -> tuple[int, int]:
        """Return how many of how many members of an iteration's ensemble are of a branch."""
        counts = self._joined(iteration)[1]
        return counts.get(self.series.branch_names.index(branch), 0), sum(counts.values())


def branch_at(shares: Floats, height: float) -> int:
    """Return the row whose area lies at a height in [0, 1] of stacked shares (b,); -1 for none."""
    if not 0 <= height <= 1 or shares.sum() <= 0:
        return -1
    return min(int(np.searchsorted(shares.cumsum(), height)), len(shares) - 1)


def trial_words(counter: BranchShares, branch: str, iteration: int, view: str) -> str:
    """Say what share of the trials a branch had."""
    part, whole = counter.tried(branch, iteration, view)
    return tr(
        "iteration {iteration}  ·  {branch}: {part} of {trials} ({share})",
        iteration=iteration,
        branch=learner_name(branch),
        part=part,
        trials=ntr("the last {count} trial", "the last {count} trials", whole)
        if view == "window"
        else ntr("{count} trial", "{count} trials", whole),
        share=percent(part / max(whole, 1), 0),
    )


def member_words(counter: BranchShares, branch: str, iteration: int, share: float) -> str:
    """Say what share of the ensemble a branch had."""
    part, whole = counter.joined(branch, iteration)
    return tr(
        "iteration {iteration}  ·  {branch}: {part} of {members}, {share} of the weight",
        iteration=iteration,
        branch=learner_name(branch),
        part=part,
        members=ntr("{count} member", "{count} members", whole),
        share=percent(share, 0),
    )


def rest_words(counter: BranchShares, picture: SharesPicture) -> str:
    """Say which branch leads at the iteration looked at, among trials and in the ensemble."""
    if not picture.shown or not picture.branches:
        return ""
    iteration = picture.shown
    column = int(np.abs(picture.iterations - iteration).argmin())
    tried = max(picture.branches, key=lambda each: counter.tried(each, iteration, "all")[0])
    part, whole = counter.tried(tried, iteration, "all")
    words = tr(
        "iteration {iteration}  ·  tried most: {branch} ({share} of the trials)",
        iteration=iteration,
        branch=learner_name(tried),
        share=percent(part / whole, 0),
    )
    weights = picture.members[:, column]
    if weights.sum() > 0:
        row = int(weights.argmax())
        words += "  ·  " + tr(
            "heaviest in the ensemble: {branch} ({share} of the weight)",
            branch=learner_name(picture.branches[row]),
            share=percent(float(weights[row]), 0),
        )
    return words
