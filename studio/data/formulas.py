"""Pairs of columns from which the target is computed: a multiple of their sum, product or ratio."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from studio.arrays import Floats, Integers
from studio.data import remedies
from studio.data.description import Finding
from studio.data.identifiers import FEW_ROWS
from studio.data.value_codes import Answer, space_rows_evenly
from studio.phrases import joined, phrase

_EXACT, _ALONE = 0.99, 0.97
"""Minimum share of rows in which a formula holds, and the maximum for a column or constant."""

_FINE, _COARSE = 0.002, 0.05
"""Deviations as shares of the target's spread: those from rounded operands, and the largest from a
rounded result.
"""

_FIRST, _MISSES, _LARGEST, _ROUGH = 32, 0.1, 5, 0.02
"""Rows on which all pairs are compared, the share of misses from which a pair is given up, the
number of large answers that give a factor, and its relative error.
"""

_MOST_COLUMNS, _MOST_DECIMALS = 500, 6

_SIGNS: Mapping[str, Callable[[Floats, Floats], Floats]] = {
    "+": np.add,
    "−": np.subtract,
    "×": np.multiply,
    "÷": np.divide,
}


def sample_rows(answer: Answer) -> Integers:
    """Return evenly spaced rows, (m,), with a known target; none if it has no formula."""
    if answer.column.numbers is None or len(answer.counts) <= 2:
        return np.empty(0, dtype=np.int64)
    return answer.rows[space_rows_evenly(len(answer.rows))]


def find_formulas(
    columns: Mapping[str, Floats], rows: Integers, answer: Answer
) -> dict[str, Finding]:
    """Return a finding for each column of a pair that gives the target.

    Args:
        columns: The numbers of each in these rows, (m,).
        rows: From :func:`sample_rows`.
    """
    numbers, names = answer.column.numbers, list(columns)
    if numbers is None or len(rows) < FEW_ROWS or not 2 <= len(names) <= _MOST_COLUMNS:
        return {}
    found: dict[str, Finding] = {}
    x = np.array(list(columns.values()))
    for i, j, sign, factor in _find_pairs(numbers[answer.column.codes[rows]], x):
        slots = {"name": answer.name, "one": names[i], "sign": sign, "two": names[j]}
        words = phrase("{name!r} is {one!r} {sign} {two!r} in nearly every row.", **slots)
        if factor != 1:
            words = phrase(
                "{name!r} is {factor:.4g} times {one!r} {sign} {two!r} in nearly every row.",
                factor=factor,
                **slots,
            )
        tail = phrase("Leave it out unless it is known before the prediction is made.")
        ways = remedies.exclude_column(), remedies.include_column()
        made = Finding("leak", "stop", joined((words, tail)), ways, fact=words)
        for name in (names[i], names[j]):
            found.setdefault(name, replace(made, columns=(name,)))
    return found


def _find_pairs(y: Floats, x: Floats) -> list[tuple[int, int, str, float]]:
    """Return the pairs of columns x, (c, m), that give y, (m,), with a sign and a factor."""
    different, counts = np.unique(y, return_counts=True)
    rare = y != different[counts.argmax()]  # the most common answer tells least
    if rare.sum() < FEW_ROWS:
        return []
    spread = float(np.median(np.abs(y[rare] - np.median(y[rare]))))
    scales = 10.0 ** np.arange(_MOST_DECIMALS + 1)
    whole = (each for each in scales if np.allclose(different * each, np.rint(different * each)))
    within = np.clip(0.5001 / next(whole, np.inf), _FINE * spread, _COARSE * spread)
    within += 1e-9 * np.abs(y).max()
    some = np.flatnonzero(rare)
    some = some[:: max(1, len(some) // _FIRST)]
    large = np.argsort(np.abs(y[some]))[-_LARGEST:]
    found = []

    def holds(result: Floats, least: float) -> bool:
        known = ~np.isnan(result)
        fits = np.abs(result - y) <= within
        return all(
            fits[rows & known].sum() >= least * max((rows & known).sum(), FEW_ROWS)
            for rows in (rare, known)
        ) and bool(2 * known.sum() >= len(y))

    with np.errstate(all="ignore"):
        varies = np.fmax.reduce(x, axis=1) > np.fmin.reduce(x, axis=1)
        usable = [k for k in np.flatnonzero(varies).tolist() if not holds(x[k], _ALONE)]
        first = x[usable][:, some]
        for i, row in zip(usable, first, strict=True):
            for sign, work in _SIGNS.items():
                result = work(row, first)
                factors = np.median(y[some[large]] / result[:, large], axis=1)[:, np.newaxis]
                off = np.abs(factors * result - y[some]) > within + _ROUGH * np.abs(y[some])
                for place in np.flatnonzero(off.mean(axis=1) <= _MISSES).tolist():
                    j = usable[place]
                    if j > i or (j != i and sign in "−÷"):
                        result = work(x[i], x[j])
                        factor = _fit_factor(y, result)
                        if (factor > 0 or sign != "−") and holds(factor * result, _EXACT):
                            found.append((i, j, sign, factor))
    return found


def _fit_factor(y: Floats, x: Floats) -> float:
    """Return the factor from x to y, (m,) each, whatever a few rows say."""
    ratios = y / x
    known = np.isfinite(ratios) & (ratios != 0)
    if not known.any():
        return np.nan
    factor = np.median(ratios[known])
    known &= np.abs(ratios - factor) <= _ROUGH * np.abs(factor)
    factor = float((x[known] @ y[known]) / (x[known] @ x[known]))
    plain = float(f"{factor:.2g}")
    return plain if abs(factor - plain) < _FINE * abs(plain) else factor
