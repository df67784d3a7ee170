"""Columns from which the target is computed: a multiple of a sum, product or ratio, or a total."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from studio.arrays import Flags, Floats, Integers
from studio.data import remedies
from studio.data.description import Finding
from studio.data.identifiers import FEW_ROWS
from studio.data.value_codes import TargetCells, space_rows_evenly
from studio.phrases import join_phrases, phrase

_MIN_SHARE = 0.99  # minimum share of rows in which a formula holds
_MAX_SHARE_ALONE = 0.97  # maximum such share for a single column or constant

# Tolerances as shares of the target's spread, for rounded operands and a rounded result.
_MIN_TOLERANCE, _MAX_TOLERANCE = 0.002, 0.05
_N_SCREENING_ROWS, _MAX_MISSES = 32, 0.1  # rows and maximum share of misses for comparing all pairs
_N_LARGE_TARGETS, _FACTOR_TOLERANCE = 5, 0.02  # large target values for a factor; relative error
_MAX_COLUMNS, _MAX_DECIMALS = 500, 6

_MAX_TERMS, _MIN_KNOWN, _SIGN_TOLERANCE = 12, 0.9, 0.05
"""Maximum number of columns of a total, minimum share of known rows in each, and tolerance around a
factor of ±1, which allows for a few wrong rows.
"""

_OPERATIONS: Mapping[str, Callable[[Floats, Floats], Floats]] = {
    "+": np.add,
    "−": np.subtract,
    "×": np.multiply,
    "÷": np.divide,
}


def sample_known_rows(target_cells: TargetCells) -> Integers:
    """Return evenly spaced rows, (m,), with a known target; none if it cannot have a formula."""
    if target_cells.column.numbers is None or len(target_cells.counts) <= 2:
        return np.empty(0, dtype=np.int64)
    return target_cells.rows[space_rows_evenly(len(target_cells.rows))]


def find_formulas(
    columns: Mapping[str, Floats], rows: Integers, target_cells: TargetCells
) -> dict[str, Finding]:
    """Return a finding for each column of a pair or total equal to the target in rows, (m,)."""
    numbers, names = target_cells.column.numbers, list(columns)
    if numbers is None or len(rows) < FEW_ROWS or not 2 <= len(names) <= _MAX_COLUMNS:
        return {}
    target = _NumericTarget(numbers[target_cells.column.codes[rows]])
    if target.is_rare.sum() < FEW_ROWS:
        return {}
    x = np.array(list(columns.values()))
    varies = np.fmax.reduce(x, axis=1) > np.fmin.reduce(x, axis=1)
    usable = [
        k for k in np.flatnonzero(varies).tolist() if not target.equals(x[k], _MAX_SHARE_ALONE)
    ]
    findings: dict[str, Finding] = {}
    pairs = _find_pairs(target, x, usable)
    for i, j, operator, factor in pairs:
        values = {"name": target_cells.name, "one": names[i], "sign": operator, "two": names[j]}
        sentence = phrase("{name!r} is {one!r} {sign} {two!r} in nearly every row.", **values)
        if factor != 1:
            sentence = phrase(
                "{name!r} is {factor:.4g} times {one!r} {sign} {two!r} in nearly every row.",
                factor=factor,
                **values,
            )
        for index in (i, j):
            findings.setdefault(names[index], _make_finding(sentence, names[index]))
    if pairs:
        return findings
    terms = _find_total(target, x, usable)
    if terms:
        total = " ".join(f"{sign} {names[index]!r}" for index, sign in terms).removeprefix("+ ")
        sentence = phrase(
            "{name!r} is {total} in nearly every row.", name=target_cells.name, total=total
        )
    return {names[index]: _make_finding(sentence, names[index]) for index, _ in terms}


def _make_finding(sentence: str, name: str) -> Finding:
    advice = phrase("Leave it out unless it is known before the prediction is made.")
    actions = remedies.EXCLUDE, remedies.INCLUDE
    return Finding(
        "leak", "stop", join_phrases((sentence, advice)), actions, columns=(name,), fact=sentence
    )


class _NumericTarget:
    """The target of a formula.

    Attributes:
        y: Shape (m,).
        is_rare: Shape (m,). Whether the row has another value than the most common one, which is
            the weakest evidence.
        tolerance: Maximum deviation of a computed target, by the decimals of y.
    """

    def __init__(self, y: Floats) -> None:
        distinct_values, counts = np.unique(y, return_counts=True)
        self.y = y
        self.is_rare: Flags = y != distinct_values[counts.argmax()]
        rare = y[self.is_rare]
        spread = float(np.median(np.abs(rare - np.median(rare)))) if rare.size else 0.0
        scales = 10.0 ** np.arange(_MAX_DECIMALS + 1)
        exact_scales = (
            each
            for each in scales
            if np.allclose(distinct_values * each, np.rint(distinct_values * each))
        )
        tolerance = np.clip(
            0.5001 / next(exact_scales, np.inf), _MIN_TOLERANCE * spread, _MAX_TOLERANCE * spread
        )
        self.tolerance = float(tolerance + 1e-9 * np.abs(y).max())

    def equals(self, result: Floats, min_share: float) -> bool:
        """Whether a result, (m,), equals y in this share of all known rows and of the rare ones."""
        is_known = ~np.isnan(result)
        with np.errstate(all="ignore"):
            is_close = np.abs(result - self.y) <= self.tolerance
        return all(
            is_close[rows & is_known].sum() >= min_share * max((rows & is_known).sum(), FEW_ROWS)
            for rows in (self.is_rare, is_known)
        ) and bool(2 * is_known.sum() >= len(self.y))


def _find_pairs(
    target: _NumericTarget, x: Floats, usable: Sequence[int]
) -> list[tuple[int, int, str, float]]:
    """Return pairs of columns x, (c, m), that yield the target, with operator and factor."""
    screening = np.flatnonzero(target.is_rare)
    screening = screening[:: max(1, len(screening) // _N_SCREENING_ROWS)]
    sample = target.y[screening]
    largest = np.argsort(np.abs(sample))[-_N_LARGE_TARGETS:]
    pairs = []
    with np.errstate(all="ignore"):
        screened_columns = x[usable][:, screening]
        for i, row in zip(usable, screened_columns, strict=True):
            for sign, operation in _OPERATIONS.items():
                result = operation(row, screened_columns)
                factors = np.median(sample[largest] / result[:, largest], axis=1)
                deviations = np.abs(factors[:, np.newaxis] * result - sample)
                is_off = deviations > target.tolerance + _FACTOR_TOLERANCE * np.abs(sample)
                for index in np.flatnonzero(is_off.mean(axis=1) <= _MAX_MISSES).tolist():
                    j = usable[index]
                    if j > i or (j != i and sign in "−÷"):
                        result = operation(x[i], x[j])
                        factor = _fit_factor(target.y, result)
                        if (factor > 0 or sign != "−") and target.equals(
                            factor * result, _MIN_SHARE
                        ):
                            pairs.append((i, j, sign, factor))
    return pairs


def _find_total(target: _NumericTarget, x: Floats, usable: Sequence[int]) -> list[tuple[int, str]]:
    """Return the columns of x, (c, m), and their signs, whose total is the target.

    Columns are added by their correlation with the residual (orthogonal matching pursuit), which is
    exact once all terms are included: further columns get a factor of 0.
    """
    candidates = [k for k in usable if np.isfinite(x[k]).mean() >= _MIN_KNOWN]
    is_complete = np.isfinite(x[candidates]).all(axis=0)
    if len(candidates) < 3 or 2 * is_complete.sum() < len(target.y):
        return []
    columns, y = x[candidates][:, is_complete].T, target.y[is_complete]
    columns, y = columns - columns.mean(axis=0), y - y.mean()
    lengths = np.linalg.norm(columns, axis=0)
    selected: list[int] = []
    residual = y
    while len(selected) < min(_MAX_TERMS, len(candidates)) and 3 * len(selected) < len(y):
        correlations = np.abs(residual @ columns) / np.where(lengths > 0, lengths, np.inf)
        correlations[selected] = -1
        selected.append(int(correlations.argmax()))
        factors = np.linalg.lstsq(columns[:, selected], y, rcond=None)[0]
        residual = y - columns[:, selected] @ factors
        terms = [
            (candidates[k], "+" if factor > 0 else "−")
            for k, factor in sorted(zip(selected, factors, strict=True))
            if abs(abs(factor) - 1) <= _SIGN_TOLERANCE
        ]
        if len(terms) >= 3:
            total = sum(x[k] if sign == "+" else -x[k] for k, sign in terms)
            if target.equals(np.asarray(total), _MIN_SHARE):
                return terms
    return []


def _fit_factor(y: Floats, x: Floats) -> float:
    """Return the factor from x to y, (m,) each, robust to a few deviating rows."""
    ratios = y / x
    is_usable = np.isfinite(ratios) & (ratios != 0)
    if not is_usable.any():
        return np.nan
    factor = np.median(ratios[is_usable])
    is_usable &= np.abs(ratios - factor) <= _FACTOR_TOLERANCE * np.abs(factor)
    factor = float((x[is_usable] @ y[is_usable]) / (x[is_usable] @ x[is_usable]))
    rounded = float(f"{factor:.2g}")
    return rounded if abs(factor - rounded) < _MIN_TOLERANCE * abs(rounded) else factor
