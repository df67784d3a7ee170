"""One hyperparameter as an axis: trials' values on it, and a surrogate along a line through it."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats
from studio.errors import SpaceError
from studio.space.encoding import decode, snap
from studio.space.space import Space
from studio.surrogates.base import Posterior

GRID = 121
"""Points along a continuous hyperparameter."""


@dataclass(frozen=True)
class Axis:
    """One hyperparameter of a space.

    Attributes
    ----------
    space : Space
        The space.
    column : int
        Which of its columns.
    name : str
        The hyperparameter.
    log : bool
        Whether it is explored on a logarithmic scale.
    choices : tuple of str
        Names of its choices, whose values are positions 0, 1, …; empty for numbers.
    """

    space: Space
    column: int
    name: str
    log: bool
    choices: tuple[str, ...]

    def values(self, U: Floats) -> Floats:
        """Return its values in unit rows of shape (n, D), as numbers, NaN where inactive."""
        values = np.full(len(U), np.nan)
        for row, configuration in enumerate(decode(self.space, U)):
            if self.name in configuration:
                value = configuration[self.name]
                values[row] = self.choices.index(str(value)) if self.choices else float(value)
        return values

    def line(self, U: Floats, losses: Floats) -> tuple[Floats, Floats] | None:
        """Return a line along it through the best of some rows; ``None`` if it is active in none.

        Parameters
        ----------
        U : array, shape (n, D)
            Unit rows.
        losses : array, shape (n,)
            Their losses.

        Returns
        -------
        rows : array, shape (g, D)
            Unit rows that differ in this hyperparameter only.
        grid : array, shape (g,)
            Its values there, ascending, each once.
        """
        there = np.flatnonzero(np.isfinite(U[:, self.column]))
        if not there.size:
            return None
        count = self.space.columns[self.column].count()
        points = int(min(count, GRID))
        rows = np.repeat(U[there[np.argmin(losses[there])]][None, :], points, axis=0)
        # The middles of equal intervals hit every value of a small whole number or choice once.
        few = (np.arange(points) + 0.5) / points
        rows[:, self.column] = few if count <= GRID else np.linspace(0.0, 1.0, points)
        rows = snap(self.space, rows)
        grid, first = np.unique(self.values(rows), return_index=True)
        return rows[first], grid


def expected(posterior: Posterior, rows: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of what a surrogate expects at unit rows, shape (g,)."""
    mean, variance = posterior.predict(rows)
    # The mixture over samples: its variance is the mean variance and the means' variance.
    total = variance.mean(axis=0) + mean.var(axis=0)
    return np.asarray(mean.mean(axis=0)), np.sqrt(total)


def along(space: Space, name: str) -> Axis:
    """Return a hyperparameter as an axis.

    Raises
    ------
    SpaceError
        If the space has no such hyperparameter, or it has one value only.
    """
    columns = [column.name for column in space.columns]
    if name not in columns:
        raise SpaceError(f"{name!r} has one value only, or is not in the run's space.")
    chosen = space.parameter(name)
    choices: tuple[str, ...] = ()
    if hasattr(chosen, "choices"):
        choices = tuple(str(choice) for choice in chosen.choices)
    elif chosen.count() == 2 and isinstance(chosen.first(), bool):
        choices = ("False", "True")
    return Axis(space, columns.index(name), name, bool(getattr(chosen, "log", False)), choices)
