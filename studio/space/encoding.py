"""Encoding of configurations as unit arrays, and back (docs/methods/encoding.md).

A unit array ``U`` is a float64 array of shape (n, D) in [0, 1], NaN where inactive, with a column
for each hyperparameter with more than one value (``space.columns``). Integers and choices lie at
the middle of intervals of equal length (for integers on a log scale: of their share).
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np

from studio.arrays import Flags, Floats, Integers
from studio.errors import SpaceError
from studio.space.compiled import CompiledSpace
from studio.space.space import Space
from studio.trial import Configuration, Value

Imputation = Literal["middle", "default", "none"]


def encode(space: Space, configurations: Sequence[Configuration]) -> Floats:
    """Encode configurations as a unit array, shape (n, D).

    Continuous values are rounded to the resolution of their axis (nine digits).

    Raises:
        SpaceError: If a configuration is not valid in the space.
    """
    compiled = space.compiled
    index = space.structure.index
    X = np.full((len(configurations), compiled.dimensions), np.nan)
    is_given = np.zeros((len(configurations), len(space.parameters)), dtype=bool)
    for row, configuration in enumerate(configurations):
        for name, value in configuration.items():
            position = index.get(name)
            if position is None:
                space.get_parameter(name)
                continue
            number = space.parameters[position].to_number(value)
            is_given[row, position] = True
            column = compiled.column_by_parameter.get(position)
            if column is not None:
                X[row, column] = number
    active = compiled.compute_activity(compiled.compute_states(_fill(X, compiled.default_numbers)))
    invalid = np.flatnonzero((is_given != active).any(axis=1))
    if len(invalid):
        space.validate(configurations[invalid[0]])
    units = compiled.scales.to_units(compiled.round_numbers(_fill(X, compiled.default_numbers)))
    units[np.isnan(X)] = np.nan
    return units


def decode(space: Space, U: Floats) -> list[Configuration]:
    """Decode unit rows (n, D) to configurations: rounded, snapped, without inactive values.

    Activity follows from the parents' values, not from the NaN of U; an active coordinate without
    a value takes its default.
    """
    compiled = space.compiled
    X, _, active = _resolve(compiled, _check_units(compiled, U))
    configurations: list[Configuration] = []
    columns = compiled.column_by_parameter
    for row in range(len(X)):
        configuration: dict[str, Value] = {}
        for index in np.flatnonzero(active[row]).tolist():
            parameter = space.parameters[index]
            column = columns.get(index)
            configuration[parameter.name] = (
                parameter.get_default() if column is None else parameter.from_number(X[row, column])
            )
        configurations.append(configuration)
    return configurations


def snap(space: Space, U: Floats) -> Floats:
    """Return ``encode(decode(U))`` without creating configurations: valid rows, NaN if inactive.

    Input and output have shape (n, D). Snapping is idempotent.
    """
    compiled = space.compiled
    X, _, active = _resolve(compiled, _check_units(compiled, U))
    units = compiled.scales.to_units(X)
    units[~active[:, compiled.columns]] = np.nan
    return units


def impute(
    space: Space, U: Floats, rule: Imputation = "middle", rng: np.random.Generator | None = None
) -> Floats:
    """Fill inactive coordinates for a surrogate that needs dense rows, shape (n, D).

    Args:
        U: Shape (n, D). Unit rows with NaN where inactive.
        rule: 0.5 (thesis 5.3.1 and SMAC); the declared default; or a dense uniform draw (the
            thesis' ``noimpute`` baselines).
        rng: Needed by ``none``.

    Raises:
        SpaceError: If the rule is unknown, or ``rng`` is missing for ``none``.
    """
    missing = np.isnan(U)
    if rule == "middle":
        return np.where(missing, 0.5, U)
    if rule == "default":
        return np.where(missing, space.default_units, U)
    if rule != "none":
        raise SpaceError(
            "Imputation must be middle, default or none; {rule!r} was given.", rule=rule
        )
    if rng is None:
        raise SpaceError("Imputation “none” draws the inactive values and needs a generator.")
    return np.where(missing, rng.random(U.shape), U)


def to_one_hot(space: Space, U: Floats) -> Floats:
    """Return unit rows with a coordinate, 0 or 1, per value of each unordered choice.

    Numbers and ordered choices keep their coordinate. An inactive choice (NaN) is NaN in all of its
    coordinates.

    Args:
        space, U: The space and unit rows, shape (n, D).

    Returns:
        Shape (n, E). :func:`get_one_hot_columns` gives the meaning of each coordinate.
    """
    compiled = space.compiled
    columns, category = _build_one_hot_layout(compiled)
    one_hot = _check_units(compiled, U)[:, columns]
    one_hot_indices = np.flatnonzero(category >= 0)
    numbers = compiled.scales.to_numbers(_fill(U, compiled.default_units))
    is_chosen = numbers[:, columns[one_hot_indices]] == category[one_hot_indices]
    one_hot[:, one_hot_indices] = np.where(np.isnan(one_hot[:, one_hot_indices]), np.nan, is_chosen)
    return one_hot


def get_one_hot_columns(space: Space) -> tuple[Integers, Integers]:
    """Return the meaning of each coordinate of :func:`to_one_hot`, shape (E,) each.

    Returns:
        columns: The source column in ``U``, ascending.
        category: The index of the category, -1 where the coordinate is that of a number or ordered
            choice.
    """
    return _build_one_hot_layout(space.compiled)


@lru_cache(maxsize=64)
def _build_one_hot_layout(compiled: CompiledSpace) -> tuple[Integers, Integers]:
    columns: list[int] = []
    category: list[int] = []
    for column, index in enumerate(compiled.columns.tolist()):
        parameter = compiled.parameters[index]
        unordered = compiled.scales.discrete[column] and not parameter.ordered
        values = range(int(parameter.count())) if unordered else [-1]
        category += values
        columns += [column] * len(values)
    return np.array(columns, dtype=np.int64), np.array(category, dtype=np.int64)


def find_conditions(space: Space, U: Floats) -> Integers:
    """Return each row's condition group, shape (n,): thesis 5.3 and eq. 5.9.

    Two rows are in the same group iff the same parent hyperparameters are active in both and
    each of them has the same value (for a choice, also for values without children) or satisfies
    the same conditions (for a number). Group numbers are the same in every call for equal spaces.
    """
    compiled = space.compiled
    if not space.has_conditions:
        return np.zeros(len(U), dtype=np.int64)
    states = compiled.get_unit_states(_fill(_check_units(compiled, U), compiled.default_units))
    return compiled.compute_condition_ids(states, compiled.compute_activity(states))


def make_keys(space: Space, U: Floats) -> list[bytes]:
    """Return a key per row of U (n, D), equal iff rows decode to the same configuration."""
    compiled = space.compiled
    X, _, active = _resolve(compiled, _check_units(compiled, U))
    return compute_valid_keys(np.where(active[:, compiled.columns], X, np.nan))


def compute_valid_keys(U: Floats) -> list[bytes]:
    """Return a key per *valid* row of U (n, D), equal iff they are the same configuration.

    In valid rows (from ``encode``, ``snap`` and ``neighbours``) equal configurations have equal
    bits, so no decoding is needed. The keys differ from those of :func:`make_keys`.
    """
    data, step = U.tobytes(), U.shape[1] * 8
    if not step:
        return [b""] * len(U)
    return [data[start : start + step] for start in range(0, len(data), step)]


def _check_units(compiled: CompiledSpace, U: Floats) -> Floats:
    if U.ndim != 2 or U.shape[1] != compiled.dimensions:
        expected = f"(n, {compiled.dimensions})"
        raise SpaceError(
            "Unit rows of this space have shape {expected}; {shape} was given.",
            expected=expected,
            shape=U.shape,
        )
    return U


def _fill(A: Floats, fill: Floats) -> Floats:
    return np.where(np.isnan(A), fill, A)


def _resolve(compiled: CompiledSpace, U: Floats) -> tuple[Floats, Integers, Flags]:
    """Return numbers (n, D), parents' states (n, G) and activity (n, P) of unit rows."""
    X = compiled.scales.to_numbers(_fill(U, compiled.default_units))
    states = compiled.compute_states(X)
    return X, states, compiled.compute_activity(states)


def sample(space: Space, rng: np.random.Generator, n: int) -> Floats:
    """Draw ``n`` configurations uniformly over the tree, as unit rows (n, D), NaN inactive.

    Choices are drawn uniformly, then their children; ranges uniformly on their scale. Drawing all
    coordinates and dropping the inactive ones gives the same distribution.
    """
    return snap(space, rng.random((n, space.dimensions)))


def enumerate_all(space: Space, limit: int = 10_000) -> Floats | None:
    """Return all configurations of a finite space as unit rows (n, D); ``None`` beyond ``limit``.

    The order is that of the space's hyperparameters, with the first varying slowest.
    """
    if space.count_configurations() > limit:
        return None
    compiled = space.compiled
    X = np.full((1, space.dimensions), np.nan)
    for index in space.structure.order:
        column = compiled.column_by_parameter.get(index)
        if column is None:
            continue
        # Parents precede their children, so their activity is already known.
        X_filled = np.where(np.isnan(X), compiled.default_numbers, X)
        active = compiled.compute_activity(compiled.compute_states(X_filled))[:, index]
        count = int(compiled.scales.high[column] - compiled.scales.low[column]) + 1
        if not active.any():
            continue
        assert math.isfinite(count), "a finite space has no active continuous hyperparameter"
        times = np.where(active, count, 1)
        first = np.cumsum(times) - times
        X = np.repeat(X, times, axis=0)
        step = np.arange(len(X)) - np.repeat(first, times)
        values = np.where(np.repeat(active, times), compiled.scales.low[column] + step, np.nan)
        X[:, column] = values
    units = compiled.scales.to_units(np.where(np.isnan(X), compiled.default_numbers, X))
    return np.where(np.isnan(X), np.nan, units)
