"""Main effects of hyperparameters on a function of configurations (functional ANOVA).

A function of independent uniform hyperparameters is a sum of terms of one, two, … of them with
orthogonal means (Sobol' 1993), so that its variance is a sum of theirs. The term of θ_j alone has
the variance

    V_j = Var over θ_j of a_j(θ_j),   a_j(θ_j) = E over all others of f(θ_1, …, θ_D),

and V_j / V, V = Var f, is its main effect (Hutter, Hoos and Leyton-Brown 2014, eq. 3-8). There it
is computed from the leaves of a random forest; here a_j is the average of any surrogate over random
configurations, in which θ_j alone takes each of its values.

A hyperparameter that is active at times is measured within the configurations in which it is
active: E and Var are over these (Hutter et al. leave conditional spaces open). A choice that
governs others is measured by what its values are worth with their own hyperparameters redrawn.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats
from studio.space.encoding import snap
from studio.space.space import Space

OTHERS = 100
"""Random settings of the other hyperparameters over which each value is averaged (R)."""

VALUES = 8
"""Values of a number at which it is averaged: the middles of equal intervals (G)."""

_DRAWS = 4000
"""Random configurations among which those with a hyperparameter are looked for."""

_MIN_ROWS = 8
"""With fewer configurations there is nothing to average over."""

Function = Callable[[Floats], Floats]
"""Unit rows (q, D) to values (models, q)."""


@dataclass(frozen=True)
class Effect:
    """How much of a function's variance a hyperparameter makes by itself, under each model.

    Attributes:
        share: Shape (models,). V_j / V in [0, 1]; NaN where a model is constant.
    """

    share: Floats


def main_effect(
    space: Space,
    column: int,
    function: Function,
    rng: np.random.Generator,
    where: Floats | None = None,
) -> Effect | None:
    """Return the main effect of one hyperparameter; ``None`` where it is hardly ever active.

    Args:
        column: The hyperparameter's column in unit rows.
        function: Unit rows (q, D) to values, shape (models, q).
        where: Shape (D,), optional. Coordinates that are held (those of a branch), NaN for those
            that are drawn.
    """
    base = _base(space, column, rng, where)
    if base is None:
        return None
    values = _values(space, column)
    rows = np.repeat(base, len(values), axis=0)
    rows[:, column] = np.tile(values, len(base))
    table = function(snap(space, rows))
    return Effect(shares(table.reshape(len(table), len(base), len(values))))


def shares(table: Floats) -> Floats:
    """Return V_j / V of each model from its values f(θ_j = g, others = r), shape (models,).

    Args:
        table: Shape (models, R, G).

    Note:
        A mean over R others is off by what is left of the interactions, which makes the variance of
        G of them too large by (1 - 1/G) s² / R, with s² the mean square of what rows and columns
        leave (analysis of variance with two ways and one value a cell). That much is taken off.
    """
    _, others, values = table.shape
    grand = table.mean(axis=(1, 2), keepdims=True)
    by_value = table.mean(axis=1, keepdims=True)
    left = table - by_value - table.mean(axis=2, keepdims=True) + grand
    freedom = max(1, (others - 1) * (values - 1))
    interaction = (left**2).sum(axis=(1, 2)) / freedom
    raw = ((by_value - grand) ** 2).mean(axis=(1, 2))
    alone = np.maximum(raw - (1.0 - 1.0 / values) * interaction / others, 0.0)
    whole = table.var(axis=(1, 2))
    # Constant but for rounding is constant: nothing to share out.
    constant = whole <= 1e-20 * np.maximum(1.0, grand[:, 0, 0] ** 2)
    found: Floats = np.where(constant, np.nan, alone / np.where(constant, 1.0, whole))
    return np.minimum(found, 1.0)


def _base(
    space: Space, column: int, rng: np.random.Generator, where: Floats | None
) -> Floats | None:
    """Draw dense rows (R, D) in which the hyperparameter is active.

    What governs nothing is spread evenly over its range (a Latin hypercube), so that averages
    over few rows are good ones.
    """
    drawn = rng.random((_DRAWS, space.dimensions))
    held = np.zeros(space.dimensions, dtype=bool) if where is None else np.isfinite(where)
    if where is not None:
        drawn = np.where(held, where, drawn)
    active = np.flatnonzero(np.isfinite(snap(space, drawn)[:, column]))[:OTHERS]
    if len(active) < _MIN_ROWS:
        return None
    base = drawn[active]
    governing = {parent.parent for each in space.parameters for parent in each.conditions}
    for other, parameter in enumerate(space.columns):
        if parameter.name not in governing and not held[other]:
            base[:, other] = (rng.permutation(len(base)) + rng.random(len(base))) / len(base)
    return base


def _values(space: Space, column: int) -> Floats:
    """Return unit coordinates (G,) at which a hyperparameter is looked at: all values, or some."""
    parameter = space.columns[column]
    is_choice = hasattr(parameter, "choices") or parameter.count() <= VALUES
    points = int(parameter.count()) if is_choice else VALUES
    middles: Floats = (np.arange(points) + 0.5) / points
    return middles
