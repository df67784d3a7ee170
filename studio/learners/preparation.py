"""What comes before every learner: imputation, coding of categories, scaling.

Everything here is a plain scikit-learn object on a plain matrix, so that a fitted pipeline loads
wherever scikit-learn is installed.
"""

from typing import Any

import numpy as np

from studio.arrays import Flags, Integers


def preparation(
    categorical: Flags,
    encode: Any,
    *,
    scaled: bool,
    measures: bool = False,
    kept: Flags | None = None,
) -> Any:
    """Return an unfitted ``ColumnTransformer`` for a float64 matrix of shape (n, d).

    Numbers: missing ones become the column's median of the training rows (0 where the column has
    none); then, where the learner compares distances or penalises weights, zero mean and unit
    variance. Categories come after the numbers, as an encoder makes them.

    Args:
        categorical: Shape (d,). Which columns hold codes of categories.
        encode: Of the columns of categories (:mod:`studio.learners.operators.encoders`).
        scaled: Whether numbers are standardised.
        measures: Whether what the encoder makes are measures, and standardised where numbers are.
        kept: Shape (d,), optional. Columns of numbers whose missing values stay NaN; they come
            between the other numbers and the categories.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    steps: list[tuple[str, Any, list[int]]] = []
    numbers, holes = _numbers(categorical, kept)
    categories = np.flatnonzero(categorical).tolist()
    if numbers:
        # An all-missing column of one fold must keep its place, else the width would change.
        impute = SimpleImputer(strategy="median", keep_empty_features=True)
        prepare = Pipeline([("impute", impute), ("scale", StandardScaler())]) if scaled else impute
        steps.append(("numbers", prepare, numbers))
    if holes:
        steps.append(("holes", "passthrough", holes))
    if categories:
        if scaled and measures:
            encode = Pipeline([("encode", encode), ("scale", StandardScaler())])
        steps.append(("categories", encode, categories))
    return ColumnTransformer(steps, sparse_threshold=0.0)


def prepared_signs(
    monotone: Integers, categorical: Flags, n_columns: int, kept: Flags | None
) -> tuple[int, ...]:
    """Return monotonic constraints of a table's columns, (d,), as those of the prepared ones.

    What becomes of categories is free.

    Args:
        monotone: Shape (d,). 1, -1 or 0.
        categorical, kept: As :func:`preparation` takes them.
        n_columns: Columns after the preparation.
    """
    numbers, holes = _numbers(categorical, kept)
    signs: list[int] = monotone[[*numbers, *holes]].tolist()
    return (*signs, *[0] * (n_columns - len(signs)))


def _numbers(categorical: Flags, kept: Flags | None) -> tuple[list[int], list[int]]:
    """Return the columns of numbers: those that are filled, and those whose holes are kept.

    ``categorical`` and ``kept`` have shape (d,).
    """
    holes = np.zeros_like(categorical) if kept is None else kept & ~categorical
    return np.flatnonzero(~categorical & ~holes).tolist(), np.flatnonzero(holes).tolist()
