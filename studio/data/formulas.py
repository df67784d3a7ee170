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

_MIN_SHARE, _MAX_SHARE_ALONE = 0.99, 0.97
"""Minimum share of rows in which a formula holds, and the maximum for a column or constant."""

_MIN_TOLERANCE, _MAX_TOLERANCE = 0.002, 0.05
"""Deviations as shares of the target's spread: those from rounded operands, and the largest from a
rounded result.
"""

_N_SCREENING_ROWS, _MAX_MISSES, _N_LARGE_ANSWERS, _FACTOR_TOLERANCE = 32, 0.1, 5, 0.02
"""Rows on which all pairs are compared, the share of misses from which a pair is given up, the
number of large answers that give a factor, and its relative error.
"""

_MAX_COLUMNS, _MAX_DECIMALS = 500, 6

_OPERATIONS: Mapping[str, Callable[[Floats, Floats], Floats]] = {
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
    if numbers is None or len(rows) < FEW_ROWS or not 2 <= len(names) <= _MAX_COLUMNS:
        return {}
    findings: dict[str, Finding] = {}
    x = np.array(list(columns.values()))
    for i, j, sign, factor in _find_pairs(numbers[answer.column.codes[rows]], x):
        values = {"name": answer.name, "one": names[i], "sign": sign, "two": names[j]}
        sentence = phrase("{name!r} is {one!r} {sign} {two!r} in nearly every row.", **values)
        if factor != 1:
            sentence = phrase(
                "{name!r} is {factor:.4g} times {one!r} {sign} {two!r} in nearly every row.",
                factor=factor,
                **values,
            )
        advice = phrase("Leave it out unless it is known before the prediction is made.")
        actions = remedies.exclude_column(), remedies.include_column()
        finding = Finding("leak", "stop", joined((sentence, advice)), actions, fact=sentence)
        for name in (names[i], names[j]):
            findings.setdefault(name, replace(finding, columns=(name,)))
    return findings


def _find_pairs(y: Floats, x: Floats) -> list[tuple[int, int, str, float]]:
    """Return the pairs of columns x, (c, m), that give y, (m,), with a sign and a factor."""
    answers, counts = np.unique(y, return_counts=True)
    is_rare = y != answers[counts.argmax()]  # the most common answer tells least
    if is_rare.sum() < FEW_ROWS:
        return []
    spread = float(np.median(np.abs(y[is_rare] - np.median(y[is_rare]))))
    scales = 10.0 ** np.arange(_MAX_DECIMALS + 1)
    exact_scales = (each for each in scales if np.allclose(answers * each, np.rint(answers * each)))
    tolerance = np.clip(
        0.5001 / next(exact_scales, np.inf), _MIN_TOLERANCE * spread, _MAX_TOLERANCE * spread
    )
    tolerance += 1e-9 * np.abs(y).max()
    screening = np.flatnonzero(is_rare)
    screening = screening[:: max(1, len(screening) // _N_SCREENING_ROWS)]
    sample = y[screening]
    largest = np.argsort(np.abs(sample))[-_N_LARGE_ANSWERS:]
    pairs = []

    def holds(result: Floats, min_share: float) -> bool:
        known = ~np.isnan(result)
        fits = np.abs(result - y) <= tolerance
        return all(
            fits[rows & known].sum() >= min_share * max((rows & known).sum(), FEW_ROWS)
            for rows in (is_rare, known)
        ) and bool(2 * known.sum() >= len(y))

    with np.errstate(all="ignore"):
        varies = np.fmax.reduce(x, axis=1) > np.fmin.reduce(x, axis=1)
        usable = [k for k in np.flatnonzero(varies).tolist() if not holds(x[k], _MAX_SHARE_ALONE)]
        others = x[usable][:, screening]
        for i, row in zip(usable, others, strict=True):
            for sign, operate in _OPERATIONS.items():
                result = operate(row, others)
                factors = np.median(sample[largest] / result[:, largest], axis=1)
                deviations = np.abs(factors[:, np.newaxis] * result - sample)
                is_off = deviations > tolerance + _FACTOR_TOLERANCE * np.abs(sample)
                for index in np.flatnonzero(is_off.mean(axis=1) <= _MAX_MISSES).tolist():
                    j = usable[index]
                    if j > i or (j != i and sign in "−÷"):
                        result = operate(x[i], x[j])
                        factor = _fit_factor(y, result)
                        if (factor > 0 or sign != "−") and holds(factor * result, _MIN_SHARE):
                            pairs.append((i, j, sign, factor))
    return pairs


def _fit_factor(y: Floats, x: Floats) -> float:
    """Return the factor from x to y, (m,) each, whatever a few rows say."""
    ratios = y / x
    known = np.isfinite(ratios) & (ratios != 0)
    if not known.any():
        return np.nan
    factor = np.median(ratios[known])
    known &= np.abs(ratios - factor) <= _FACTOR_TOLERANCE * np.abs(factor)
    factor = float((x[known] @ y[known]) / (x[known] @ x[known]))
    rounded = float(f"{factor:.2g}")
    return rounded if abs(factor - rounded) < _MIN_TOLERANCE * abs(rounded) else factor
