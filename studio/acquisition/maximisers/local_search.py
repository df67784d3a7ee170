"""Local search over one-exchange neighbours with many parallel starts."""

import math
from collections.abc import Set
from dataclasses import dataclass

import numpy as np

from studio.acquisition.maximisers.base import (
    N_NEIGHBOUR_CENTRES,
    Gradient,
    Maximiser,
    Maximum,
    Score,
    choose_maximum,
    find_distant_starts,
)
from studio.arrays import Floats
from studio.parts import option
from studio.space.encoding import compute_valid_keys, sample
from studio.space.neighbours import find_neighbours
from studio.space.space import Space

_FIRST_STEP = 0.1
"""Initial standard deviation of a continuous step, in unit coordinates."""

_STEP_FACTOR = 0.25
"""Factor by which the continuous step shrinks when no neighbour is better."""

_LAST_STEP = 1e-3
"""Continuous step at which a search without a better neighbour ends."""

_NEIGHBOURS_PER_FLOAT = 4
"""Neighbours of a continuous coordinate: two steps in each direction (SMAC: 4)."""

_OBSERVED_DIVISOR = 4
"""Inverse of the share of starts that are best observed configurations."""


@dataclass(frozen=True)
class LocalSearch(Maximiser):
    """From each start, move to the best neighbour while it improves (thesis eq. 5.7-5.8; SMAC).

    A quarter of the starts are the best observed configurations, the others are the most promising
    of a random sample and of the neighbours of observed configurations, no two of them close
    together. Late in a search the acquisition has a few narrow peaks, mostly near observations:
    random draws miss them, and the highest would attract all starts. All starts move at the same
    time, and all their neighbours are scored in one call; repeated neighbours are scored once. A
    start ends when none of its neighbours is better (with decreasing continuous steps), when its
    gain falls below a threshold, when it reaches another start, or after a maximum number of steps.
    """

    key = "local-search"
    title = "Local search"
    summary = (
        "Starts from good configurations and changes one hyperparameter at a time while that "
        "helps. Works for every kind of search space."
    )
    reference = "thesis 5.3.2, eq. 5.7-5.8; Hutter et al. 2011 (SMAC)"

    starts: int = option(20, low=1, high=1000, help=("Number of starting configurations."))
    candidates: int = option(
        1000,
        low=1,
        high=1_000_000,
        help=("Random configurations, of which the best become starting points."),
    )
    steps: int = option(100, low=1, high=10_000, help="Maximum number of moves from one start.")
    gain: float = option(
        1e-3,
        low=0.0,
        high=1.0,
        help=("The search stops when a move improves the value by less than this share."),
    )

    def maximise(
        self,
        space: Space,
        score: Score,
        incumbents: Floats,
        avoid: Set[bytes],
        rng: np.random.Generator,
        *,
        gradient: Gradient | None = None,
    ) -> Maximum:
        """Return the best untried configuration visited by any search; incumbents (m, D)."""
        del gradient
        visited_rows = _VisitedRows(score)
        rows, values = self._choose_starts(space, visited_rows, incumbents, rng)
        step = np.full(len(rows), _FIRST_STEP)
        continuous = np.array([p.count() == math.inf for p in space.columns], dtype=bool)
        for _ in range(self.steps):
            neighbour_rows, origin = find_neighbours(space, rows, rng, _NEIGHBOURS_PER_FLOAT, step)
            if not len(neighbour_rows):
                break
            neighbour_values = visited_rows.compute_scores(neighbour_rows)
            # By origin and value, with random ties: the last neighbour of each origin is its best.
            order = np.lexsort((rng.random(len(neighbour_values)), neighbour_values, origin))
            last_of_origin = np.flatnonzero(np.diff(origin[order], append=len(rows)))
            best, improved_origin = order[last_of_origin], origin[order[last_of_origin]]
            gains = np.full(len(rows), -np.inf)
            gains[improved_origin] = neighbour_values[best] - values[improved_origin]
            moves = gains[improved_origin] > 0.0
            moved_starts = improved_origin[moves]
            magnitudes = np.abs(values)
            rows[moved_starts], values[moved_starts] = (
                neighbour_rows[best[moves]],
                neighbour_values[best[moves]],
            )
            finer = gains <= 0.0
            step[finer] *= _STEP_FACTOR
            refines = ~np.isnan(rows[:, continuous]).all(axis=1) & (step >= _LAST_STEP)
            is_active = np.where(finer, refines, gains > self.gain * magnitudes)
            is_active &= _mark_first_occurrences(rows)
            rows, values, step = rows[is_active], values[is_active], step[is_active]
        return choose_maximum(space, score, *visited_rows.list_rows(), avoid, rng=rng)

    def _choose_starts(
        self,
        space: Space,
        visited_rows: "_VisitedRows",
        incumbents: Floats,
        rng: np.random.Generator,
    ) -> tuple[Floats, Floats]:
        """Return the starting rows, (n, D), and their values, (n,); incumbents are (m, D)."""
        observed_rows = incumbents[: max(1, self.starts // _OBSERVED_DIVISOR)]
        neighbour_rows, _ = find_neighbours(space, incumbents[:N_NEIGHBOUR_CENTRES], rng)
        pool = np.concatenate([sample(space, rng, self.candidates), neighbour_rows])
        promise = visited_rows.compute_scores(pool)
        ranked = pool[np.lexsort((rng.random(len(pool)), -promise))]
        distant = find_distant_starts(ranked, self.starts - len(observed_rows))
        rows = np.concatenate([observed_rows, distant])
        rows = rows[_mark_first_occurrences(rows)]
        return rows, visited_rows.compute_scores(rows)


class _VisitedRows:
    """All visited configurations with their scores, each scored once."""

    def __init__(self, score: Score) -> None:
        self._score = score
        self._scores_by_key: dict[bytes, float] = {}
        self._rows: list[Floats] = []
        self._values: list[Floats] = []

    def compute_scores(self, U: Floats) -> Floats:
        names = compute_valid_keys(U)
        new_rows: dict[bytes, int] = {}
        for row, name in enumerate(names):
            if name not in self._scores_by_key:
                new_rows[name] = row
        if new_rows:
            rows = U[list(new_rows.values())]
            scores = self._score(rows)
            self._scores_by_key.update(zip(new_rows, scores.tolist(), strict=True))
            self._rows.append(rows)
            self._values.append(scores)
        return np.array([self._scores_by_key[name] for name in names])

    def list_rows(self) -> tuple[Floats, Floats]:
        """Return all rows, shape (n, D), and their scores, shape (n,)."""
        return np.concatenate(self._rows), np.concatenate(self._values)


def _mark_first_occurrences(rows: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return a mask, (n,), of the rows (n, D) that do not repeat an earlier one."""
    first: dict[bytes, int] = {}
    for row, name in enumerate(compute_valid_keys(rows)):
        first.setdefault(name, row)
    is_first = np.zeros(len(rows), dtype=bool)
    is_first[list(first.values())] = True
    return is_first
