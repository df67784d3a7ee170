"""Sobol points refined by L-BFGS within each branch of the space.

Climbs from many starts run in parallel, by BFGS with bounds, because surrogates evaluate twenty
rows in hardly more time than one. Each round evaluates one batch of gradients: at one row of every
unfinished climb, for a new step or a shortened one.

Bounds are kept by projection (Bertsekas 1982, Projected Newton methods): coordinates at a bound
with an outward gradient are fixed, and the others take a Newton step with the Hessian built up by
BFGS (Nocedal and Wright 2006, eq. 6.19), shortened until Armijo's condition holds.
"""

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
from studio.arrays import Flags, Floats, Integers
from studio.errors import UsageError
from studio.parts import option
from studio.space.encoding import sample, snap
from studio.space.neighbours import find_neighbours
from studio.space.parameters import Float, Integer
from studio.space.space import Space

_BRANCH_DRAWS = 1000
"""Number of random configurations for finding the branches."""

_N_INTEGER_ENDS = 3
"""Number of best end points around which neighbouring integers are tried."""


@dataclass(frozen=True)
class SobolLbfgs(Maximiser):
    """Sobol candidates in each branch, then climbs from the best (Snoek et al. 2012; SMBEO).

    Those papers run L-BFGS from one start after another; here all climbs run in parallel, by BFGS
    with a full Hessian, and reach the same maxima.

    Choices, and all hyperparameters with dependents, are fixed within a branch. Other numbers are
    optimised, integers as if continuous and then rounded; as the nearest integers need not be the
    best, neighbouring ones are tried around the best end points while they improve. Half of the
    starts are the best points of the most promising branches, one each; the others are the most
    promising anywhere, including neighbours of observed configurations, no two close together.
    """

    key = "sobol-lbfgs"
    title = "Sobol + L-BFGS"
    summary = (
        "Evaluates evenly spread points, and climbs along the gradient from the best of them. "
        "The most precise for numeric spaces."
    )
    reference = "Snoek et al. 2012; SMBEO 2"

    points: int = option(1024, low=1, high=2**20, help="Sobol points over all branches.")
    starts: int = option(
        20, low=1, high=1000, help="Number of starting points for gradient ascent."
    )
    iterations: int = option(
        50, low=1, high=10_000, help="Maximum number of steps along the gradient from one start."
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
        """Return the best untried point, after refining the best ones; incumbents (m, D)."""
        if gradient is None:
            raise UsageError(
                "The maximiser sobol-lbfgs needs a surrogate with gradients; "
                "choose local-search or random."
            )
        is_moving = _find_optimised_coordinates(space)
        spread, branch = _spread_over_branches(space, is_moving, self.points, rng)
        neighbour_rows, _ = find_neighbours(space, incumbents[:N_NEIGHBOUR_CENTRES], rng)
        rows = np.concatenate([spread, neighbour_rows])
        values = score(rows)
        order = np.lexsort((rng.random(len(rows)), -values))
        # The best row of each branch comes first, starting with the best branch.
        ranked = order[order < len(spread)]
        _, first = np.unique(branch[ranked], return_index=True)
        of_branches = ranked[np.sort(first)[: max(1, self.starts // 2)]]
        starts = find_distant_starts(rows[np.concatenate([of_branches, order])], self.starts)
        refined_starts = snap(
            space, climb(gradient, starts, is_moving & ~np.isnan(starts), self.iterations)
        )
        climb_ends = score(refined_starts)
        row_sets, promise = [rows, refined_starts], [values, climb_ends]
        is_integer = is_moving & np.array(
            [isinstance(p, Integer) for p in space.columns], dtype=bool
        )
        for end in np.argsort(-climb_ends, kind="stable")[:_N_INTEGER_ENDS].tolist():
            visited_rows, visited_scores = _improve_integer_coordinates(
                space, score, Maximum(refined_starts[end], float(climb_ends[end])), is_integer, rng
            )
            row_sets.append(visited_rows)
            promise.append(visited_scores)
        return choose_maximum(
            space, score, np.concatenate(row_sets), np.concatenate(promise), avoid, rng=rng
        )


def _improve_integer_coordinates(
    space: Space, score: Score, end: Maximum, is_integer: Flags, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Move a row's integers to better neighbours; return visited rows (k, D) and scores (k,).

    Args:
        end: A valid unit row and its score.
        is_integer: Shape (D,). The coordinates that may change.
    """
    row, value = end
    visited_rows, scores = [row[None, :]], [np.array([value])]
    while True:
        neighbour_rows, _ = find_neighbours(space, row[None, :], rng)
        is_same = (neighbour_rows == row) | np.isnan(row)
        neighbour_rows = neighbour_rows[is_same[:, ~is_integer].all(axis=1)]
        if not len(neighbour_rows):
            return np.concatenate(visited_rows), np.concatenate(scores)
        neighbour_scores = score(neighbour_rows)
        visited_rows.append(neighbour_rows)
        scores.append(neighbour_scores)
        if not (neighbour_scores > value).any():
            return np.concatenate(visited_rows), np.concatenate(scores)
        best = int(neighbour_scores.argmax())
        row, value = neighbour_rows[best], float(neighbour_scores[best])


def _find_optimised_coordinates(space: Space) -> Flags:
    """Return the coordinates optimised within a branch, (D,): numbers without dependents."""
    numbers = [
        isinstance(p, Float | Integer) and not space.list_children(p.name) for p in space.columns
    ]
    return np.array(numbers, dtype=bool)


def _spread_over_branches(
    space: Space, is_optimised: Flags, n_points: int, rng: np.random.Generator
) -> tuple[Floats, Integers]:
    """Draw valid rows in all branches.

    Args:
        is_optimised: Shape (D,).

    Returns:
        The rows, shape (n, D), and the branch of each, shape (n,).
    """
    # scipy.stats is slow to import and used only here within a suggestion.
    from scipy.stats.qmc import Sobol

    samples = sample(space, rng, _BRANCH_DRAWS)
    fixed = np.where(is_optimised & ~np.isnan(samples), 0.5, samples)
    branches = np.unique(np.where(np.isnan(fixed), -1.0, fixed), axis=0)
    branches = rng.permutation(np.where(branches < 0.0, np.nan, branches))
    branches = branches[:n_points]
    is_free = is_optimised & ~np.isnan(branches)
    # Points are divided in proportion to the branches' dimensions, as in the conditional kernel's
    # precursor (gp_families).
    counts = np.maximum(1, n_points * is_free.sum(axis=1) // max(1, int(is_free.sum())))
    branch_rows = []
    for pattern, moves, count in zip(branches, is_free, counts.tolist(), strict=True):
        rows = np.repeat(pattern[None, :], count, axis=0)
        if moves.any():
            sobol = Sobol(int(moves.sum()), scramble=True, rng=rng)
            # The sequence is balanced only at powers of two, so the surplus is drawn and dropped.
            rows[:, moves] = sobol.random_base2((count - 1).bit_length())[:count]
        branch_rows.append(rows)
    branch = np.repeat(np.arange(len(branches)), counts)
    return snap(space, np.concatenate(branch_rows)), branch


_ARMIJO_SHARE = 1e-4
"""Minimum rise of a step as a share of the predicted rise (Armijo)."""

_MIN_STEP = 1e-10
"""Largest coordinate change at which a climb has converged."""

_GRADIENT_TOLERANCE = 1e-5
"""Slope along each free coordinate, relative to the initial value, that counts as zero."""

_GAIN_TOLERANCE = 2.2e-9
"""Relative gain below which a climb ends."""

_MIN_CURVATURE = 1e-10
"""Relative curvature below which the function counts as linear."""

_MAX_FIRST_STEP = 0.2
"""Maximum first step along a coordinate, without curvature information."""


def climb(gradient: Gradient, rows: Floats, is_free: Flags, steps: int) -> Floats:
    """Climb from each row by its gradient, inside the unit box; return the ends, (n, D).

    Args:
        rows: Shape (n, D). The starting points.
        is_free: Shape (n, D). Coordinates that may change.
        steps: Maximum number of steps per climb; shortened steps do not count.
    """
    if not is_free.any():
        return rows
    climbs = _Ascents(gradient, rows, is_free)
    while len(active := np.flatnonzero(climbs.steps < steps)):
        climbs.advance(active)
    return climbs.build_rows(np.arange(len(rows)), climbs.points)


class _Ascents:
    """The state of all climbs; a finished climb has infinitely many steps.

    Attributes:
        points: Shape (n, D). 0 for fixed coordinates.
        steps: Shape (n,). Number of steps of each climb so far.
    """

    def __init__(self, gradient: Gradient, rows: Floats, is_free: Flags) -> None:
        self._gradient = gradient
        self._start_points = rows
        self._free = is_free
        self.points = np.where(is_free, rows, 0.0)
        self.steps = np.where(is_free.any(axis=1), 0.0, np.inf)
        n, D = rows.shape
        # Minimise the negative value, scaled to about -1 at the start: EI may be 1e-12 everywhere,
        # and the tolerances are for values about 1.
        self._unit = np.ones(n)
        value, self._gradients = self._evaluate(np.arange(n), rows)
        self._unit = np.maximum(np.abs(value), 1e-300)
        self._value = value / self._unit
        self._gradients /= self._unit[:, None]
        self._hessians = np.broadcast_to(np.eye(D), (n, D, D)).copy()
        self._has_curvature = np.zeros(n, dtype=bool)
        self._step_size = np.ones(n)
        self._direction = np.zeros((n, D))
        self._update_directions(np.arange(n))

    def build_rows(self, indices: Integers, position: Floats) -> Floats:
        """Return the full rows of these climbs, (k, D), with fixed coordinates unchanged."""
        return np.where(self._free[indices], position, self._start_points[indices])

    def advance(self, active: Integers) -> None:
        """Try the next row of these climbs, (k,), and accept it if the rise suffices."""
        old_position = self.points[active]
        step = self._step_size[active, None] * self._direction[active]
        new_position = np.clip(old_position + step, 0.0, 1.0)
        displacement = new_position - old_position
        value, slope = self._evaluate(active, self.build_rows(active, new_position))
        predicted_change = (self._gradients[active] * displacement).sum(axis=1)
        change = value - self._value[active]
        is_accepted = change <= _ARMIJO_SHARE * np.minimum(predicted_change, 0.0)
        is_short = ~(np.abs(displacement).max(axis=1) > _MIN_STEP)
        self._backtrack(active[~is_accepted], predicted_change[~is_accepted], change[~is_accepted])
        self.steps[active[is_short]] = np.inf
        moved = active[is_accepted]
        self._update_hessian(
            moved, displacement[is_accepted], slope[is_accepted] - self._gradients[moved]
        )
        self.points[moved], self._value[moved] = new_position[is_accepted], value[is_accepted]
        self._gradients[moved] = slope[is_accepted]
        self.steps[moved] += 1.0
        height = np.maximum(np.maximum(np.abs(value), np.abs(value - change)), 1.0)[is_accepted]
        self.steps[moved[-change[is_accepted] <= _GAIN_TOLERANCE * height]] = np.inf
        self._update_directions(moved)

    def _evaluate(self, indices: Integers, rows: Floats) -> tuple[Floats, Floats]:
        """Return objective and gradient at rows of these climbs, (k,) and (k, D)."""
        value, slope = self._gradient(rows)
        unit = self._unit[indices]
        return -value / unit, np.where(self._free[indices], -slope / unit[:, None], 0.0)

    def _backtrack(self, indices: Integers, predicted_change: Floats, change: Floats) -> None:
        """Shorten steps, (k,), to the minima of parabolas through the known values."""
        # Steps that increase the value only by rounding have curvature 0.
        curvature = 2.0 * (change - predicted_change)
        lowest = np.divide(
            -predicted_change, curvature, out=np.full(len(curvature), 0.1), where=curvature > 0.0
        )
        self._step_size[indices] *= np.clip(lowest, 0.1, 0.5)

    def _update_hessian(
        self, indices: Integers, displacement: Floats, gradient_change: Floats
    ) -> None:
        """Update by steps and the gradient changes along them (BFGS), shape (k, D) each."""
        curvature = (displacement * gradient_change).sum(axis=1)
        # EI may grow by 1e200 in a step: an infinite squared gradient has no curvature information.
        with np.errstate(over="ignore"):
            is_curved = curvature > _MIN_CURVATURE * np.linalg.norm(
                displacement, axis=1
            ) * np.linalg.norm(gradient_change, axis=1)
        # Negative curvature is skipped, and the next step goes further.
        self._step_size[indices] = np.where(is_curved, 1.0, 2.0 * self._step_size[indices])
        indices, displacement, gradient_change, curvature = (
            indices[is_curved],
            displacement[is_curved],
            gradient_change[is_curved],
            curvature[is_curved],
        )
        first = ~self._has_curvature[indices]
        self._hessians[indices[first]] *= ((gradient_change**2).sum(axis=1) / curvature)[
            first, None, None
        ]
        self._has_curvature[indices] = True
        hessian_step = (self._hessians[indices] @ displacement[:, :, None])[:, :, 0]
        scale = (displacement * hessian_step).sum(axis=1)
        is_valid = scale > 0.0  # false only due to rounding
        update = (
            _compute_outer_products(gradient_change) / curvature[:, None, None]
            - _compute_outer_products(hessian_step) / np.where(is_valid, scale, 1.0)[:, None, None]
        )
        self._hessians[indices[is_valid]] += update[is_valid]

    def _update_directions(self, indices: Integers) -> None:
        """Choose the next direction of climbs (k,); a zero gradient ends the climb."""
        position, slope = self.points[indices], self._gradients[indices]
        at_bound = ((position <= 0.0) & (slope > 0.0)) | ((position >= 1.0) & (slope < 0.0))
        projected_gradient = np.where(at_bound, 0.0, slope)
        self.steps[indices[np.abs(projected_gradient).max(axis=1) <= _GRADIENT_TOLERANCE]] = np.inf
        direction = self._compute_newton_step(indices, projected_gradient)
        # Coordinates that the full step would move beyond a bound are set to the bound; otherwise
        # the other coordinates zigzag.
        end = position + direction
        is_blocked = ((end < 0.0) & (projected_gradient > 0.0)) | (
            (end > 1.0) & (projected_gradient < 0.0)
        )
        direction = np.where(
            is_blocked,
            np.where(projected_gradient > 0.0, 0.0, 1.0) - position,
            self._compute_newton_step(indices, np.where(is_blocked, 0.0, projected_gradient)),
        )
        furthest = np.abs(direction).max(axis=1)
        is_far = ~self._has_curvature[indices] & (furthest > _MAX_FIRST_STEP)
        direction[is_far] *= _MAX_FIRST_STEP / furthest[is_far, None]
        self._direction[indices] = direction

    def _compute_newton_step(self, indices: Integers, slope: Floats) -> Floats:
        """Return Newton's step along the coordinates with non-zero gradient, (k, D)."""
        is_moving = slope != 0.0
        hessians = np.where(
            is_moving[:, :, None] & is_moving[:, None, :], self._hessians[indices], 0.0
        )
        # Fixed coordinates are decoupled, and rounding must not make the rest singular.
        max_curvature = hessians.max(axis=(1, 2), keepdims=True)
        hessians += np.where(is_moving[:, None, :], _MIN_CURVATURE * max_curvature, 1.0) * np.eye(
            slope.shape[1]
        )
        step = np.zeros(slope.shape)
        step[is_moving] = np.linalg.solve(hessians, -slope[:, :, None])[is_moving, 0]
        return step


def _compute_outer_products(vectors: Floats) -> Floats:
    """Return the outer products of vectors (k, D) with themselves, shape (k, D, D)."""
    outer: Floats = vectors[:, :, None] * vectors[:, None, :]
    return outer
