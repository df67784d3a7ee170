"""Columns of numbers that hold the answer: on a line with it, in its order, or by thresholds."""

import numpy as np

from studio.arrays import Floats, Integers
from studio.data.identifiers import FEW_ROWS
from studio.data.value_codes import MANY_CLASSES, ROUGHLY, Answer, spread_rows
from studio.phrases import phrase

_THRESHOLD_ROWS, _BESIDE, _NEAR = 100, 10, 0.05
"""Rows from which on thresholds are looked for; so many on either side of each lie within this part
of the room that nine tenths of the rows take."""

_SAME = 0.9999
"""Correlation, of numbers or of ranks, that only the same in another unit has."""


def told_by_numbers(codes: Integers, numbers: Floats, answer: Answer) -> str:
    """Say that numbers give the answer: codes (n,), and the number of each code, ascending."""
    known = codes >= 0
    if known.sum() < max(FEW_ROWS, 0.9 * len(codes)):
        return ""
    x, y = codes[known], answer.codes[known]
    values = answer.column.numbers
    if values is not None:
        if _correlation(numbers[x], values[y]) > _SAME:
            return phrase(
                "It carries nearly the same information as {name!r} (correlation above {same}).",
                name=answer.name,
                same=_SAME,
            )
        if len(answer.counts) > MANY_CLASSES and _orders_alike(x, y, numbers):
            return phrase(
                "It puts the rows in the same order as {name!r}: one is computed from the other.",
                name=answer.name,
            )
    if answer.may_be_classes and _divided(x, y, numbers):
        return phrase(
            "Its numbers alone decide {name!r}: from a certain number on it is always another "
            "class.",
            name=answer.name,
        )
    return ""


def separated_by_numbers(codes: Integers, numbers: Floats, answer: Answer) -> str:
    """Say that one threshold separates two classes without an exception, however wide the gap.

    Such classes may lie far apart by nature, so this is a question, not a certainty. Codes have the
    shape (n,), -1 where empty; each has its number, ascending.
    """
    known = codes >= 0
    if not answer.may_be_classes or known.sum() < max(_THRESHOLD_ROWS, 0.9 * len(codes)):
        return ""
    some = spread_rows(len(codes))
    if _changes(codes, answer.codes, some[known[some]]) > 1:
        return ""
    x, y = codes[known], answer.codes[known]
    sizes = np.bincount(y)
    classes = np.flatnonzero(sizes)
    if len(classes) != 2 or sizes[classes].min() < 2 * _BESIDE:
        return ""
    is_first = y == classes[0]
    below, above, upper = x[is_first], x[~is_first], classes[1]
    if below.min() > above.max():
        below, above, upper = above, below, classes[0]
    steps = np.diff(x)
    if below.max() >= above.min() or (steps > 0).all() or (steps < 0).all():
        return ""
    return phrase(
        "It alone separates the classes of {name!r} without an exception: from {value:.4g} on the "
        "answer is always {label!r}.",
        name=answer.name,
        value=float(numbers[above.min()]),
        label=answer.label(int(upper)),
    )


def _correlation(x: Floats, y: Floats) -> float:
    """Return the size of the correlation of two columns, shape (n,); 0 where one is constant."""
    x, y = x - x.mean(), y - y.mean()
    scale = float(np.sqrt((x @ x) * (y @ y)))
    return abs(float(x @ y)) / scale if scale > 0 else 0.0


def _rank_correlation(x: Integers, y: Integers) -> float:
    """Return the same of the ranks of codes that count up with their values, shape (n,)."""
    return _correlation(_ranks(x), _ranks(y))


def _ranks(codes: Integers) -> Floats:
    """Return the ranks of codes, (n,), equal ones in the middle of theirs."""
    counts = np.bincount(codes)
    ranks: Floats = np.cumsum(counts) - (counts - 1) / 2
    return ranks[codes]


def _orders_alike(x: Integers, y: Integers, numbers: Floats) -> bool:
    """Whether codes x and y, (n,), count up or down together; x stands for ``numbers``."""
    some = spread_rows(len(x))
    if _rank_correlation(x[some], y[some]) < ROUGHLY:
        return False
    steps = np.diff(numbers[x])
    if np.all(steps == steps[0]):  # rows in order of time, in which something only grows
        return False
    return _rank_correlation(x, y) > _SAME or _follows(x, y)


def _follows(x: Integers, y: Integers) -> bool:
    """Whether each x, (n,), has one y, which never rises or never falls as x rises."""
    pairs = np.unique(np.stack([x, y], axis=1), axis=0)
    steps = np.diff(pairs[:, 1])
    return len(pairs) == len(np.unique(x)) and bool((steps >= 0).all() or (steps <= 0).all())


def _changes(x: Integers, y: Integers, rows: Integers) -> int:
    """Return how often the class y changes as x rises, both (n,), in some of the rows, (m,)."""
    order = rows[np.argsort(x[rows], kind="stable")]
    return int(np.count_nonzero(np.diff(y[order])))


def _divided(x: Integers, y: Integers, numbers: Floats) -> bool:
    """Whether thresholds divide classes y by codes x, (n,), with rows close to each of them."""
    if len(x) < _THRESHOLD_ROWS:
        return False
    n_classes = np.count_nonzero(np.bincount(y))
    if _changes(x, y, spread_rows(len(x))) > 2 * n_classes:
        return False
    steps = np.diff(x)
    if (steps > 0).all() or (steps < 0).all():
        return False  # times of a table in order of its classes divide these, too
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    changes = np.flatnonzero(np.diff(y))
    if len(changes) != n_classes - 1 or np.any(x[changes] == x[changes + 1]):
        return False
    ends = np.concatenate([[-1], changes, [len(x) - 1]])
    if np.diff(ends).min() < 2 * _BESIDE:
        return False
    values = numbers[x]
    low, high = np.quantile(values, (0.05, 0.95))
    near = _NEAR * (high - low)
    return bool(
        np.all(values[changes + 1] - values[changes] <= near)
        and np.all(values[changes] - values[changes + 1 - _BESIDE] <= near)
        and np.all(values[changes + _BESIDE] - values[changes + 1] <= near)
    )
