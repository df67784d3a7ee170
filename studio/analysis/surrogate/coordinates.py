"""Hyperparameters as coordinates of a plot: values, grids and fixed values."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from studio.analysis.surrogate.snapshot import SurrogateSnapshot
from studio.arrays import AnyArray, Flags, Floats
from studio.errors import SpaceError
from studio.phrases import phrase
from studio.proposers.bayesian import Observations, SurrogateView
from studio.space.branches import find_branching_choice
from studio.space.encoding import decode, encode, snap
from studio.space.space import Space

GRID_SIZE = 121
"""Number of grid points along a continuous hyperparameter."""

DRAWS = 2000
"""Number of random configurations for finding one with a rarely active hyperparameter."""


@dataclass(frozen=True)
class Coordinate:
    """A hyperparameter as an axis of a surrogate's plot; choices are at positions 0, 1, …."""

    space: Space
    name: str
    column: int
    log: bool
    choices: tuple[str, ...]

    def to_values(self, U: AnyArray) -> Floats:
        """Return the values of unit rows (n, D) as numbers, shape (n,), NaN where inactive."""
        values = np.full(len(U), np.nan)
        for row, configuration in enumerate(decode(self.space, U)):
            if self.name in configuration:
                value = configuration[self.name]
                values[row] = self.choices.index(str(value)) if self.choices else float(value)
        return values

    def list_positions(self, max_points: int) -> tuple[Floats, Floats]:
        """Return at most ``max_points`` unit coordinates of the range, and their values, (k,)."""
        count = self.space.columns[self.column].count()
        points = int(min(count, max_points))
        # Midpoints of equal intervals cover each value of a short integer range or choice once.
        midpoints = (np.arange(points) + 0.5) / points
        units = midpoints if count <= max_points else np.linspace(0.0, 1.0, points)
        values = self._to_number(units)
        values, first_indices = np.unique(values, return_index=True)
        return units[first_indices], values

    def make_line(self, base: Floats, max_points: int) -> tuple[Floats, Floats]:
        """Return unit rows (g, D) through a row, varying one coordinate, and the values there.

        Args:
            base: Shape (D,). The row; this hyperparameter is active in it.
            max_points: See :meth:`list_positions`.
        """
        units, values = self.list_positions(max_points)
        rows = np.repeat(base[None, :], len(units), axis=0)
        rows[:, self.column] = units
        return snap(self.space, rows), values

    def make_cells(self, max_cells: int) -> Floats:
        """Return the midpoints of at most ``max_cells`` equal cells of [0, 1], (k,)."""
        points = int(min(self.space.columns[self.column].count(), max_cells))
        midpoints: Floats = (np.arange(points) + 0.5) / points
        return midpoints

    def _to_number(self, units: Floats) -> Floats:
        """Return the values at unit coordinates, (g,), even where inactive."""
        X = np.repeat(self.space.default_units[None, :], len(units), axis=0)
        X[:, self.column] = units
        return np.asarray(self.space.compiled.scales.to_numbers(X)[:, self.column])


def make_coordinate(space: Space, name: str) -> Coordinate:
    """Return a hyperparameter's coordinate; raise SpaceError if it is missing or constant."""
    names = [each.name for each in space.columns]
    if name not in names:
        raise SpaceError("{name!r} has one value only, or is not in the run's space.", name=name)
    parameter = space.get_parameter(name)
    choices: tuple[str, ...] = ()
    if hasattr(parameter, "choices"):
        choices = tuple(str(choice) for choice in parameter.choices)
    elif parameter.count() == 2 and isinstance(parameter.get_default(), bool):
        choices = ("False", "True")
    log = bool(getattr(parameter, "log", False))
    return Coordinate(space, name, names.index(name), log, choices)


@dataclass(frozen=True)
class FixedPoint:
    """A configuration through which a line or plane passes.

    Attributes:
        row: Shape (D,). Its unit row.
        description: Its description, within a sentence.
        trial: The number of its trial; 0 if it has not been tried.
        is_best: Whether no observed trial is better.
    """

    row: Floats
    description: str
    trial: int = 0
    is_best: bool = False


def choose_fixed_point(
    space: Space,
    coordinates: Sequence[Coordinate],
    observations: Observations,
    next_row: Floats | None,
    branch: Floats | None = None,
) -> FixedPoint | None:
    """Return the configuration through which a line or plane passes.

    It is the best suitable trial, which seldom changes, so that successive pictures can be
    compared. Without any it is the next configuration if suitable, else a random one; ``None`` if
    there is none.

    Args:
        next_row: Shape (D,). The next configuration.
        branch: Shape (D,). Fixed coordinates (of a branch), NaN for the others.
    """
    columns = [each.column for each in coordinates]
    matching = np.flatnonzero(find_active_rows(observations.U, columns, branch))
    if matching.size:
        best = int(matching[np.argmin(observations.targets[matching])])
        trial = int(observations.numbers[best])
        is_best = bool(observations.targets[best] <= observations.targets.min())
        name = phrase("trial {number}, the best with these hyperparameters", number=trial)
        if is_best:
            name = phrase("trial {number}, the best", number=trial)
        return FixedPoint(observations.U[best], name, trial, is_best)
    if next_row is not None and find_active_rows(next_row[None, :], columns, branch)[0]:
        return FixedPoint(next_row, phrase("the next configuration"))
    samples = np.random.default_rng(0).random((DRAWS, space.dimensions))
    if branch is not None:
        samples = np.where(np.isnan(branch), samples, branch)
    samples = snap(space, samples)
    matching = np.flatnonzero(find_active_rows(samples, columns, branch))
    if not matching.size:
        return None
    return FixedPoint(
        samples[matching[0]], phrase("a random configuration, as no trial has it yet")
    )


def find_active_rows(U: Floats, columns: Sequence[int], branch: Floats | None = None) -> Flags:
    """Return which rows of U (n, D) have these columns active, and coordinates ``branch`` (D,)."""
    is_active: Flags = np.asarray(np.isfinite(U[:, list(columns)]).all(axis=1))
    if branch is not None:
        fixed_columns = np.flatnonzero(np.isfinite(branch))
        is_active &= np.asarray(
            (np.abs(U[:, fixed_columns] - branch[fixed_columns]) < 1e-9).all(axis=1)
        )
    return is_active


@dataclass(frozen=True)
class SurrogateScope:
    """The observations of a surrogate, in rows of the whole space.

    Attributes:
        branch: The surrogate's only branch; empty if it covers the whole space.
        branch_coordinates: Shape (D,). The coordinates of that branch, NaN for the others.
    """

    observations: Observations
    branch: str
    branch_coordinates: Floats | None


def get_scope(snapshot: SurrogateSnapshot, view: SurrogateView) -> SurrogateScope:
    """Return the scope of a surrogate."""
    observations, space = view.observations, snapshot.prepared_run.space
    root = space.find_root_choice()
    if view.posterior.covers_whole_space or root is None:
        return SurrogateScope(observations, "", None)
    trials = [
        snapshot.history.trials[number - 1].configuration
        for number in observations.numbers.tolist()
    ]
    arm = str(trials[0][root.name])
    rows = encode(space, trials)
    return SurrogateScope(
        replace(observations, U=rows), arm, make_branch_row(space, root.name, arm)
    )


def make_branch_row(space: Space, name: str, value: str) -> Floats:
    """Return the coordinates of a branch: its choice, NaN for all others, (D,)."""
    names = [each.name for each in space.columns]
    branch_row = np.full(space.dimensions, np.nan)
    if name not in names:  # a single choice has no column, so nothing is fixed
        return branch_row
    parameter = space.get_parameter(name)
    choices = [str(choice) for choice in getattr(parameter, "choices", ())]
    branch_row[names.index(name)] = (choices.index(value) + 0.5) / len(choices)
    return branch_row


def explain_uncovered(
    space: Space, scope: SurrogateScope, coordinates: Sequence[Coordinate]
) -> str:
    """Explain why one branch's surrogate does not cover hyperparameters; empty if it does."""
    root = find_branching_choice(space)
    if not scope.branch or root is None:
        return ""
    if any(each.name == root.name for each in coordinates):
        return phrase(
            "This method searches each value of {root} separately, so no surrogate compares them. "
            "Choose a hyperparameter of {arm}, the current branch.",
            root=root.name,
            arm=scope.branch,
        )
    return phrase(
        "The current branch is {arm}, whose surrogate does not cover {names}. Choose a "
        "hyperparameter of {arm}, or another iteration.",
        arm=scope.branch,
        names=" and ".join(each.name for each in coordinates),
    )
