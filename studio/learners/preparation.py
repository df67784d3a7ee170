"""What comes before every learner: imputation, coding of categories, scaling.

Everything here is a plain scikit-learn object on a plain matrix, so that a fitted pipeline loads
wherever scikit-learn is installed.
"""

from typing import Any

import numpy as np

from studio.arrays import Flags


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

    holes = np.zeros_like(categorical) if kept is None else kept & ~categorical
    steps: list[tuple[str, Any, list[int]]] = []
    numbers = np.flatnonzero(~categorical & ~holes).tolist()
    categories = np.flatnonzero(categorical).tolist()
    if numbers:
        # An all-missing column of one fold must keep its place, else the width would change.
        impute = SimpleImputer(strategy="median", keep_empty_features=True)
        prepare = Pipeline([("impute", impute), ("scale", StandardScaler())]) if scaled else impute
        steps.append(("numbers", prepare, numbers))
    if holes.any():
        steps.append(("holes", "passthrough", np.flatnonzero(holes).tolist()))
    if categories:
        if scaled and measures:
            encode = Pipeline([("encode", encode), ("scale", StandardScaler())])
        steps.append(("categories", encode, categories))
    return ColumnTransformer(steps, sparse_threshold=0.0)
