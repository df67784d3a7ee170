"""One-exchange neighbours for local search, as SMAC does (docs/methods/encoding.md).

Every neighbour differs from its origin in one active hyperparameter; children activated by the new
value start at their defaults, deactivated children are dropped, and children that stay active keep
their values. Constants never change.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from studio.arrays import Flags, Floats, Integers
from studio.space.compiled import AxisScales, CompiledSpace
from studio.space.ranges import Integer
from studio.space.space import Space

STEP_SIZE = 0.1
"""Standard deviation of a continuous step in unit coordinates (SMAC uses 0.05, ConfigSpace 0.2)."""

WIDE_RANGE = 20
"""Maximum size of a linear integer range with steps of ±1 only."""


@dataclass(frozen=True)
class _NeighbourMoves:
    """The possible moves to neighbours, S in total, as indices of columns.

    Attributes:
        columns: Shape (S,). The column that each move changes, ascending.
        scaled, signs: Shape (F,). Indices of moves by a random step in unit coordinates, and their
            directions.
        integers, steps: Shape (I,). Indices of moves to an adjacent number or ordered value, and
            their directions.
        cyclic, offsets, counts: Shape (C,). Indices of moves to another category: the category's
            index plus the offset, modulo the count.
        coarse: Shape (S,). Whether the move is a scaled step of an integer, which must exceed ±1.
    """

    columns: Integers
    scaled: Integers
    signs: Floats
    integers: Integers
    steps: Floats
    cyclic: Integers
    offsets: Floats
    counts: Floats
    coarse: Flags
    scales: AxisScales


@lru_cache(maxsize=64)
def _build_moves(compiled: CompiledSpace, per_float: int) -> _NeighbourMoves:
    columns: list[int] = []
    scaled: list[tuple[int, float]] = []
    integer_moves: list[tuple[int, float]] = []
    cyclic: list[tuple[int, float, float]] = []
    for column, index in enumerate(compiled.columns.tolist()):
        parameter = compiled.parameters[index]
        count = int(compiled.scales.high[column] - compiled.scales.low[column]) + 1
        if not compiled.scales.discrete[column]:
            directions = [1.0 if k % 2 == 0 else -1.0 for k in range(per_float)]
            scaled += [(len(columns) + k, sign) for k, sign in enumerate(directions)]
            columns += [column] * per_float
        elif parameter.ordered:
            integer_moves += [(len(columns), 1.0), (len(columns) + 1, -1.0)]
            columns += [column] * 2
            if isinstance(parameter, Integer) and (parameter.log or count > WIDE_RANGE):
                scaled += [(len(columns), 1.0), (len(columns) + 1, -1.0)]
                columns += [column] * 2
        else:
            cyclic += [(len(columns) + k, k + 1.0, float(count)) for k in range(count - 1)]
            columns += [column] * (count - 1)
    column_array = np.array(columns, dtype=np.int64)
    coarse = np.zeros(len(column_array), dtype=bool)
    indices = np.array([position for position, _ in scaled], dtype=np.int64)
    coarse[indices] = compiled.scales.discrete[column_array[indices]]
    return _NeighbourMoves(
        columns=column_array,
        scaled=indices,
        signs=np.array([sign for _, sign in scaled]),
        integers=np.array([position for position, _ in integer_moves], dtype=np.int64),
        steps=np.array([step for _, step in integer_moves]),
        cyclic=np.array([position for position, _, _ in cyclic], dtype=np.int64),
        offsets=np.array([offset for _, offset, _ in cyclic]),
        counts=np.array([count for _, _, count in cyclic]),
        coarse=coarse,
        scales=compiled.scales.take(column_array),
    )


def find_neighbours(
    space: Space,
    U: Floats,
    rng: np.random.Generator,
    per_float: int = 2,
    sigma: float | Floats = STEP_SIZE,
) -> tuple[Floats, Integers]:
    """Return all one-exchange neighbours of each row.

    Args:
        U: Shape (n, D). Valid unit rows (as of ``sample``, ``encode`` or ``snap``), NaN where
            inactive.
        rng: Draws the lengths of continuous steps, |N(0, sigma)|.
        per_float: Number of neighbours per continuous coordinate, with steps alternately up and
            down.
        sigma: Shape (n,), or one number. Standard deviation of steps in unit coordinates.

    Returns:
        V: Shape (m, D). The neighbours: valid rows that differ from their origin; those of one row
            are adjacent, in the order of the columns.
        origin: Shape (m,). The row of U that each belongs to, ascending.

    Note:
        A float has ``per_float`` neighbours (a step across the border ends at it; there is none
        outwards from the border). An integer has ±1 and, if its range is wide or logarithmic, also
        a scaled step in each direction; an ordered choice has the adjacent values, a category all
        other values.
    """
    compiled = space.compiled
    moves = _build_moves(compiled, per_float)
    if not len(U) or not len(moves.columns):
        return np.empty((0, compiled.dimensions)), np.empty(0, dtype=np.int64)
    complete = np.where(np.isnan(U), compiled.default_units, U)
    numbers = compiled.scales.to_numbers(complete)[:, moves.columns]
    units = complete[:, moves.columns]
    lengths = np.abs(rng.standard_normal((len(U), len(moves.scaled)))) * np.reshape(sigma, (-1, 1))
    units[:, moves.scaled] += lengths * moves.signs
    targets = moves.scales.to_numbers(units)
    targets[:, moves.integers] = numbers[:, moves.integers] + moves.steps
    targets[:, moves.cyclic] = np.mod(numbers[:, moves.cyclic] + moves.offsets, moves.counts)
    # A scaled step that rounds to ±1 would be a duplicate.
    valid = np.abs(targets - numbers) > moves.coarse
    valid &= (targets >= moves.scales.low) & (targets <= moves.scales.high)
    valid &= ~np.isnan(U)[:, moves.columns]
    origin, move = np.nonzero(valid)
    V = U[origin]
    moved_columns = moves.columns[move]
    V[np.arange(len(V)), moved_columns] = moves.scales.to_units(np.where(valid, targets, numbers))[
        origin, move
    ]
    changes_structure = np.flatnonzero(compiled.is_parent[moved_columns])
    if len(changes_structure):
        V[changes_structure] = _reactivate(compiled, V[changes_structure])
    return V, origin


def _reactivate(compiled: CompiledSpace, V: Floats) -> Floats:
    """Set newly active coordinates of rows (n, D) to defaults and clear inactive ones."""
    V = np.where(np.isnan(V), compiled.default_units, V)
    active = compiled.compute_activity(compiled.get_unit_states(V))
    V[~active[:, compiled.columns]] = np.nan
    return V
