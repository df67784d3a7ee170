"""A space compiled to arrays, for vectorised operations over rows and hyperparameters.

The numbers x of a configuration are in a matrix ``X`` (n, D), choices as their index; the unit
coordinates in ``U`` (n, D). Columns are the hyperparameters with more than one value, in the
order of the space.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studio.arrays import Flags, Floats, Integers
from studio.space.base import Condition, DependencyGraph, Parameter, UnitAxis

_ID_SEED = 5_3


@dataclass(frozen=True)
class ConditionLevel:
    """The conditions of all hyperparameters at one depth.

    Attributes:
        children: Shape (m,). Indices of the hyperparameters.
        starts: Shape (m,). Start index of each one's conditions in the arrays below.
        parents, parent_numbers, offsets: Shape (k,). For each condition: the parent's index, its
            number among the parents, and the start of the condition's row in the truth table.
    """

    children: Integers
    starts: Integers
    parents: Integers
    parent_numbers: Integers
    offsets: Integers


class CompiledSpace:
    """The arrays of a valid space (``Space.check``)."""

    def __init__(self, parameters: Sequence[Parameter], graph: DependencyGraph) -> None:
        self.parameters = tuple(parameters)
        axes = [(index, axis) for index, p in enumerate(parameters) if (axis := p.make_axis())]
        self.columns: Integers = np.array([position for position, _ in axes], dtype=np.int64)
        self.column_by_parameter = {position: column for column, (position, _) in enumerate(axes)}
        self.dimensions = len(axes)
        self.scales = AxisScales([axis for _, axis in axes])
        default = np.array([[axis.default for _, axis in axes]], dtype=float)
        self.default_units: Floats = self.scales.to_units(self.round_numbers(default))[0]
        self.default_numbers = self.scales.to_numbers(self.default_units)
        self._build_conditions(graph)

    def round_numbers(self, X: Floats) -> Floats:
        """Round numbers (n, D) to the axes' resolution."""
        return self.scales.to_numbers(self.scales.to_units(X))

    def _build_conditions(self, graph: DependencyGraph) -> None:
        count = len(self.parameters)
        parents = [index for index in graph.order if graph.children[index]]
        parent_numbers = {position: number for number, position in enumerate(parents)}
        rules: list[list[tuple[int, Condition]]] = [[] for _ in parents]
        for position, parameter in enumerate(self.parameters):
            for condition in parameter.conditions:
                rules[parent_numbers[graph.index[condition.parent]]].append((position, condition))
        self.parent_indices: Integers = np.array(parents, dtype=np.int64)
        self.is_parent: Flags = np.zeros(self.dimensions, dtype=bool)
        self._cells: list[tuple[int, int, Floats, Integers]] = []
        self._choice_parents: list[tuple[int, int]] = []
        offsets: dict[tuple[int, Condition], int] = {}
        truths: list[Flags] = []
        n_rows = 0
        radixes: list[int] = []
        for number, position in enumerate(parents):
            table = self._build_states(
                number, position, [condition for _, condition in rules[number]]
            )
            radixes.append(table.shape[1])
            for (child, condition), row in zip(rules[number], table, strict=True):
                offsets[child, condition] = n_rows
                n_rows += len(row)
                truths.append(row)
        self._truths: Flags = np.concatenate(truths) if truths else np.empty(0, dtype=bool)
        self._weights = _compute_id_weights(radixes)
        self.parent_columns = np.flatnonzero(self.is_parent)
        self._parent_scales = self.scales.take(self.parent_columns)
        self._indexed_to = np.array([n for n, _ in self._choice_parents], dtype=np.int64)
        self._indexed_from = np.array([c for _, c in self._choice_parents], dtype=np.int64)
        levels: dict[int, list[int]] = {}
        for position in graph.order:
            if self.parameters[position].conditions:
                levels.setdefault(graph.level[position], []).append(position)
        self._levels = [
            self._build_level(levels[depth], graph, parent_numbers, offsets)
            for depth in sorted(levels)
        ]
        self._count = count

    def _build_states(
        self, number: int, parameter_index: int, conditions: Sequence[Condition]
    ) -> Flags:
        """Return the truth of conditions in each state of a parent, shape (conditions, states).

        A choice has a state for each value (thesis 5.3: also for values without children); a
        number one for each set of conditions that can hold together.
        """
        parameter = self.parameters[parameter_index]
        column = self.column_by_parameter.get(parameter_index)
        if column is None:
            value = parameter.get_default()
            return np.array([[condition.is_satisfied_by(value)] for condition in conditions])
        self.is_parent[column] = True
        if hasattr(parameter, "choices"):
            self._choice_parents.append((number, column))
            index = {value: i for i, value in enumerate(parameter.choices)}
            table = np.zeros((len(conditions), len(index)), dtype=bool)
            for row, condition in enumerate(conditions):
                table[row, [index[value] for value in condition.values or ()]] = True
            return table
        bounds = {
            b for c in conditions for b in (c.low, c.high, *(c.values or ())) if b is not None
        }
        cuts = np.array(sorted(float(b) for b in bounds))
        probes = np.empty(2 * len(cuts) + 1)
        probes[1::2] = cuts
        probes[2:-1:2] = (cuts[:-1] + cuts[1:]) / 2
        probes[0], probes[-1] = -np.inf, np.inf
        table = np.array([_evaluate_condition(condition, probes) for condition in conditions])
        distinct, state_by_index = np.unique(table, axis=1, return_inverse=True)
        self._cells.append((number, column, cuts, state_by_index.reshape(-1).astype(np.int64)))
        return np.asarray(distinct, dtype=bool)

    def _build_level(
        self,
        indices: Sequence[int],
        graph: DependencyGraph,
        parent_numbers: dict[int, int],
        offsets: dict[tuple[int, Condition], int],
    ) -> ConditionLevel:
        starts: list[int] = []
        parents: list[int] = []
        numbers: list[int] = []
        rows: list[int] = []
        for index in indices:
            starts.append(len(parents))
            for condition in self.parameters[index].conditions:
                parent = graph.index[condition.parent]
                parents.append(parent)
                numbers.append(parent_numbers[parent])
                rows.append(offsets[index, condition])
        lists = (indices, starts, parents, numbers, rows)
        return ConditionLevel(*(np.array(values, dtype=np.int64) for values in lists))

    def get_unit_states(self, U: Floats) -> Integers:
        """Return each parent's state from unit rows (n, D) without NaN."""
        X = np.empty_like(U)
        X[:, self.parent_columns] = self._parent_scales.to_numbers(U[:, self.parent_columns])
        return self.compute_states(X)

    def compute_states(self, X: Floats) -> Integers:
        """Return each parent's state, (n, G), active or not, from the numbers X (n, D)."""
        states = np.zeros((len(X), len(self.parent_indices)), dtype=np.int64)
        if len(self._indexed_to):
            states[:, self._indexed_to] = X[:, self._indexed_from]
        for number, column, cuts, state_by_index in self._cells:
            x = X[:, column]
            cell = np.searchsorted(cuts, x, "left") + np.searchsorted(cuts, x, "right")
            states[:, number] = state_by_index[cell]
        return states

    def compute_activity(self, states: Integers) -> Flags:
        """Return which hyperparameters are active, shape (n, all hyperparameters)."""
        active = np.ones((len(states), self._count), dtype=bool)
        for level in self._levels:
            is_satisfied = self._truths[level.offsets + states[:, level.parent_numbers]]
            is_satisfied &= active[:, level.parents]
            if len(level.starts) < len(level.parents):
                is_satisfied = np.logical_and.reduceat(is_satisfied, level.starts, axis=1)
            active[:, level.children] = is_satisfied
        return active

    def compute_condition_ids(self, states: Integers, active: Flags) -> Integers:
        """Return a code per row, (n,), equal iff the same parents are active in the same states.

        Args:
            states: Shape (n, G). States of the parents, from :meth:`compute_states`.
            active: Shape (n, P). From :meth:`compute_activity`.
        """
        codes = np.where(active[:, self.parent_indices], states + 1, 0)
        ids: Integers = codes @ self._weights
        return ids


def _evaluate_condition(condition: Condition, numbers: Floats) -> Flags:
    """Vectorised :meth:`Condition.is_satisfied_by`."""
    if condition.values is not None:
        return np.isin(numbers, np.array(condition.values, dtype=float))
    low = -np.inf if condition.low is None else condition.low
    high = np.inf if condition.high is None else condition.high
    return (numbers >= low) & (numbers <= high)


def _compute_id_weights(radixes: Sequence[int]) -> Integers:
    """Return the weights, shape (len(radixes),), that combine parents' codes to one number.

    Mixed radix if 62 bits suffice (then equality is exact); otherwise odd random 64-bit weights,
    whose sums modulo 2**64 collide once in 10**19 pairs.
    """
    weights, total = [], 1
    for radix in radixes:
        weights.append(total)
        total *= radix + 1
    if total < 2**62:
        return np.array(weights, dtype=np.int64)
    rng = np.random.default_rng(_ID_SEED)
    return rng.integers(-(2**63), 2**63 - 1, size=len(radixes), dtype=np.int64) | np.int64(1)


_MAX_POWER = 130
_POWERS = np.array([float(f"1e{k}") for k in range(-_MAX_POWER, _MAX_POWER + 1)])
"""Exact powers of ten: ``np.power`` may be an ulp off, which would split one value into two."""


class AxisScales:
    """The axes of the given columns as arrays; an axis may repeat."""

    def __init__(self, axes: Sequence[UnitAxis]) -> None:
        self.axes = tuple(axes)
        self.low = np.array([axis.low for axis in axes], dtype=float)
        self.high = np.array([axis.high for axis in axes], dtype=float)
        self.start = np.array([axis.start for axis in axes], dtype=float)
        self.width = np.array([axis.width for axis in axes], dtype=float)
        self.discrete: Flags = np.array([axis.discrete for axis in axes], dtype=bool)
        log = np.array([axis.log for axis in axes], dtype=bool)
        decimals = np.array([axis.decimals for axis in axes], dtype=np.int64)
        self._log = np.flatnonzero(log)
        self._discrete_columns = np.flatnonzero(self.discrete)
        self._linear = np.flatnonzero(~log & ~self.discrete)
        self._logarithmic = np.flatnonzero(log & ~self.discrete)
        self._multipliers, self._divisors = _compute_powers(decimals[self._linear])
        self._digits = decimals[self._logarithmic]

    def take(self, columns: Integers) -> "AxisScales":
        """Return the scales of the given columns, shape (k,), which may repeat."""
        return AxisScales([self.axes[column] for column in columns.tolist()])

    def to_numbers(self, U: Floats) -> Floats:
        """Convert unit coordinates (…, columns) to the nearest numbers (no NaN in U).

        Continuous numbers are rounded to decimal places (linear) or significant digits (log), so
        that equal values have equal bits, and decoding and encoding are exact inverses.
        """
        X = np.clip(U, 0.0, 1.0)
        X *= self.width
        X += self.start
        if len(self._log):
            X[..., self._log] = np.exp(X[..., self._log])
        if len(self._discrete_columns):
            X[..., self._discrete_columns] = np.rint(X[..., self._discrete_columns])
        if len(self._linear):
            # Division by an exact power gives the double nearest to the decimal number.
            scaled = np.rint(X[..., self._linear] * self._multipliers / self._divisors)
            X[..., self._linear] = scaled * self._divisors / self._multipliers
        if len(self._logarithmic):
            values = X[..., self._logarithmic]
            factor, divisor = _compute_powers(
                self._digits - 1 - np.floor(np.log10(values)).astype(np.int64)
            )
            X[..., self._logarithmic] = np.rint(values * factor / divisor) * divisor / factor
        np.clip(X, self.low, self.high, out=X)
        # Turns -0.0 into 0.0.
        X += 0.0
        return X

    def to_units(self, X: Floats) -> Floats:
        """Convert numbers (…, columns) to unit coordinates (no NaN in X)."""
        U = np.array(X, dtype=float)
        if len(self._log):
            U[..., self._log] = np.log(U[..., self._log])
        U -= self.start
        U /= self.width
        np.clip(U, 0.0, 1.0, out=U)
        U += 0.0
        return U


def _compute_powers(exponents: Integers) -> tuple[Floats, Floats]:
    """Return 10**k for k ≥ 0 (else 1) and 10**-k for k < 0 (else 1), any shape, both exact."""
    k = np.clip(exponents, -_MAX_POWER, _MAX_POWER)
    return _POWERS[np.maximum(k, 0) + _MAX_POWER], _POWERS[np.maximum(-k, 0) + _MAX_POWER]
