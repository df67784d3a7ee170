"""Model-free searches: random, Sobol points, and an axis-aligned grid per branch."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from studio.arrays import Floats, Integers
from studio.phrases import phrase
from studio.proposers.base import Proposer, Suggestion, SuggestionContext, suggest_random
from studio.seeds import derive
from studio.space.choices import Boolean, Categorical, Constant
from studio.space.encoding import decode, enumerate_all, make_keys, sample, snap
from studio.space.parameters import Parameter
from studio.space.space import Space
from studio.trial import Value


@dataclass(frozen=True)
class RandomSearch(Proposer):
    """Uniform sampling over the tree: first the branch, then its parameters."""

    key = "random"
    title = "Random search"
    summary = (
        "Tries configurations drawn at random. Simple, fair, and hard to beat with many workers."
    )
    reference = "Bergstra & Bengio 2012; thesis 2.1"

    def suggest(self, context: SuggestionContext) -> Suggestion:
        return suggest_random(context, phrase("random draw"))


_MAX_LOG2_POINTS = 16
"""Length of the sequence, 2**16 points; afterwards, draws are random."""

_MAX_CELLS = 2**22
"""Maximum number of coordinates in a sequence or a grid (32 MB)."""


@dataclass(frozen=True)
class Sobol(Proposer):
    """A scrambled Sobol sequence in the unit cube, mapped to the tree.

    Each hyperparameter has one coordinate; inactive ones are dropped, as for random draws. The
    scrambling is drawn once per run. A suggestion is the first point of the sequence that is
    neither tried nor running, so no point is skipped with several workers, or after a stop during
    trials.
    """

    key = "sobol"
    title = "Sobol points"
    summary = (
        "Spreads its trials evenly over the whole space, without learning from them. "
        "Leaves fewer gaps than random search with the same number of trials."
    )
    reference = "Sobol 1967; Owen 1998 (scrambling)"

    def suggest(self, context: SuggestionContext) -> Suggestion:
        """Return the first untried point of the run's sequence."""
        space = context.space
        tried_keys = context.get_tried_keys()
        seed = derive(context.ensemble_seed, "sobol")
        max_power = min(_MAX_LOG2_POINTS, (_MAX_CELLS // max(1, space.dimensions)).bit_length() - 1)
        power = min((context.n_started + 1).bit_length(), max_power)
        begin = 0
        while space.dimensions and power <= max_power:
            U, names = _make_sequence(space, seed, power)
            for row in range(begin, len(U)):
                if names[row] not in tried_keys:
                    return Suggestion(decode(space, U[row : row + 1])[0], phrase("Sobol point"))
            begin, power = len(U), power + 1
        return suggest_random(context, phrase("random draw beyond the sequence"))


@lru_cache(maxsize=4)
def _make_sequence(space: Space, seed: int, power: int) -> tuple[Floats, list[bytes]]:
    """Return the first n = 2**power points as valid unit rows, (n, D), and their keys.

    A longer sequence of the same seed begins with the shorter one.
    """
    # scipy.stats is slow to import and used only here within a suggestion.
    from scipy.stats import qmc

    engine = qmc.Sobol(space.dimensions, scramble=True, rng=np.random.default_rng(seed))
    U = snap(space, engine.random_base2(power))
    return U, make_keys(space, U)


DEFAULT_POINTS = 100
"""Points of the first grid without a budget (thesis ch. 3: 10 × 10)."""

MAX_POINTS = 2**16
"""Maximum number of grid points; further draws are random."""

_MAX_BRANCHES = 10_000
"""Maximum number of branches; of more, a random sample is used."""


@dataclass(frozen=True)
class Grid(Proposer):
    """A grid in each branch of the space, as fine as the budget allows (thesis 3.3).

    A branch is one combination of the choices that govern others. The budget is shared equally
    among the branches (a small branch's surplus goes to the others), and within a branch the axis
    with the fewest levels gets one more as long as the product does not exceed the branch's share:
    100 trials over two continuous ranges make 10 × 10. Levels are the midpoints of equal intervals
    on the range's scale, so that a coarse grid does not consist of extremes; a choice's levels are
    its default and then the other choices in order; an axis with a single level stays at its
    default.

    The branches alternate, and the points of each are in a random order drawn once per run, so the
    first trials are always an even sample of the grid. A suggestion is the first untried point in
    that order. When all have been tried, or the budget is raised, the search continues with a
    larger grid (without a budget: of 100, 200, 400, … points), without repetitions.
    """

    key = "grid"
    title = "Grid search"
    summary = (
        "Divides every range into equal steps and tries all combinations. Easy to understand, and "
        "wasteful with more than two or three hyperparameters."
    )
    reference = "thesis 3.3 (10 × 10)"
    depends_on_budget = True

    def suggest(self, context: SuggestionContext) -> Suggestion:
        tried_keys = context.get_tried_keys()
        seed = derive(context.ensemble_seed, "grid")
        points, n_before = context.budget or DEFAULT_POINTS, 0
        while True:
            plan = _make_grid(context.space, min(points, MAX_POINTS), seed)
            for row, key in zip(plan.U, plan.keys, strict=True):
                if key not in tried_keys:
                    return Suggestion(decode(context.space, row[None, :])[0], phrase("grid"))
            if points >= MAX_POINTS or len(plan.keys) == n_before:
                return suggest_random(context, phrase("random draw beyond the grid"))
            points, n_before = 2 * points, len(plan.keys)


@dataclass(frozen=True)
class _GridPoints:
    """The points of one grid, shape (n, D), in the order of trials, without duplicates."""

    U: Floats
    keys: tuple[bytes, ...]


@lru_cache(maxsize=8)
def _make_grid(space: Space, n_points: int, seed: int) -> _GridPoints:
    rng = np.random.default_rng(seed)
    n_points = max(1, min(n_points, _MAX_CELLS // max(1, space.dimensions)))
    branches = _list_branches(space, n_points, rng)
    rows = [np.empty((0, space.dimensions))] * len(branches)
    n_points_left = n_points
    # The smallest branches come first, and their unused share goes to the others.
    max_points = [math.prod(int(min(p.count(), n_points)) for _, p in axes) for _, axes in branches]
    for position, branch in enumerate(
        sorted(range(len(branches)), key=lambda b: (max_points[b], b))
    ):
        branch_points = n_points_left // (len(branches) - position)
        rows[branch] = rng.permutation(_make_points(*branches[branch], branch_points))
        n_points_left -= len(rows[branch])
    round_number = np.concatenate([np.arange(len(each)) for each in rows])
    # A stable sort by round: the branches in order within each round.
    U = snap(space, np.concatenate(rows)[np.argsort(round_number, kind="stable")])
    first: dict[bytes, int] = {}
    for position, key in enumerate(make_keys(space, U)):
        first.setdefault(key, position)
    return _GridPoints(U[list(first.values())], tuple(first))


_Axes = list[tuple[int, Parameter]]
"""The grid columns of a branch, and their hyperparameters."""


def _list_branches(
    space: Space, max_branches: int, rng: np.random.Generator
) -> list[tuple[Floats, _Axes]]:
    """Return a dense row, (D,), with the choices of each branch, and the branch's axes."""
    parents: dict[str, Parameter] = {}
    for column_index in space.structure.order:
        parameter = space.parameters[column_index]
        if (
            isinstance(parameter, Categorical | Boolean | Constant)
            and space.list_children(parameter.name)
            and all(condition.parent in parents for condition in parameter.conditions)
        ):
            parents[parameter.name] = parameter
    parent_space = Space(space.name, tuple(parents.values()), tasks=())
    choice_rows = enumerate_all(parent_space, _MAX_BRANCHES) if parents else np.empty((1, 0))
    if choice_rows is None:
        samples = sample(parent_space, rng, max_branches)
        choice_rows = samples[
            np.unique(np.array(make_keys(parent_space, samples)), return_index=True)[1]
        ]
    if len(choice_rows) > max_branches:
        choice_rows = choice_rows[np.sort(rng.permutation(len(choice_rows))[:max_branches])]
    branches_with_axes = []
    for values in decode(parent_space, choice_rows) if parents else [{}]:
        row = space.default_units.copy()
        for column, parameter in enumerate(space.columns):
            if parameter.name in values:
                row[column] = _to_unit(parameter, parameter.to_number(values[parameter.name]))
        branches_with_axes.append((row, _list_axes(space, values, set(parents))))
    return branches_with_axes


def _list_axes(space: Space, values: Mapping[str, Value], parents: set[str]) -> _Axes:
    """Return the axes that may be active in a branch, without its choices.

    Ranges that govern other parameters are ordinary axes; points that coincide because those
    parameters are inactive count once.
    """
    possible = set(values)
    for column_index in space.structure.order:
        parameter = space.parameters[column_index]
        if parameter.name not in parents and all(
            rule.parent in possible
            and (rule.parent not in values or rule.is_satisfied_by(values[rule.parent]))
            for rule in parameter.conditions
        ):
            possible.add(parameter.name)
    candidates = possible - parents
    return [(column, p) for column, p in enumerate(space.columns) if p.name in candidates]


def _make_points(row: Floats, axes: _Axes, max_points: int) -> Floats:
    """Return the product of the axes' levels, (n, D), n ≤ ``max_points``; ``row`` is (D,)."""
    counts = [1] * len(axes)
    levels = [_make_levels(parameter, 1) for _, parameter in axes]
    growing_axes = list(range(len(axes)))
    while growing_axes:
        axis = min(growing_axes, key=lambda a: (counts[a], a))
        finer = _make_levels(axes[axis][1], counts[axis] + 1)
        n_other_points = math.prod(len(levels[a]) for a in range(len(axes)) if a != axis)
        if n_other_points * len(finer) > max_points or counts[axis] >= axes[axis][1].count():
            growing_axes.remove(axis)
            continue
        counts[axis] += 1
        levels[axis] = finer
    shape = tuple(len(each) for each in levels)
    size = math.prod(shape)
    rows = np.repeat(row[None, :], size, axis=0)
    if shape:
        for (column, _), each, index in zip(
            axes, levels, np.unravel_index(np.arange(size), shape), strict=True
        ):
            rows[:, column] = each[index]
    return rows


def _make_levels(parameter: Parameter, count: int) -> Floats:
    """Return unit coordinates of ``count`` levels, (k,) (fewer where rounding merges two)."""
    axis = parameter.make_axis()
    assert axis is not None, "an axis of the grid has more than one value"
    if count == 1:
        return np.array([_to_unit(parameter, axis.default)])
    if isinstance(parameter, Categorical | Boolean) and not parameter.ordered:
        other_indices = [index for index in range(int(axis.high) + 1) if index != axis.default]
        order: Integers = np.array([int(axis.default), *other_indices][:count], dtype=np.int64)
        return np.asarray((order - axis.start) / axis.width, dtype=float)
    units: Floats = (np.arange(count) + 0.5) / count
    if axis.discrete:
        scale = axis.start + units * axis.width
        numbers = np.clip(np.rint(np.exp(scale) if axis.log else scale), axis.low, axis.high)
        numbers = np.unique(numbers)
        units = ((np.log(numbers) if axis.log else numbers) - axis.start) / axis.width
    return units


def _to_unit(parameter: Parameter, number: float) -> float:
    """Return the unit coordinate of a number on a hyperparameter's axis."""
    axis = parameter.make_axis()
    assert axis is not None, "a hyperparameter with a column has an axis"
    return ((math.log(number) if axis.log else number) - axis.start) / axis.width
