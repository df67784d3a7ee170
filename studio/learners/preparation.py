"""What stands in front of every learner: imputation, one-hot coding, scaling.

Everything here is a plain scikit-learn object on a plain matrix, so that a fitted pipeline loads
wherever scikit-learn is installed.
"""

from typing import Any

import numpy as np

from studio.arrays import Flags
from studio.learners.facts import category_cap


def preparation(categorical: Flags, *, scaled: bool) -> Any:
    """Return an unfitted ``ColumnTransformer`` for a float64 matrix of shape (n, d).

    Numbers: missing ones become the column's median of the training rows (0 where the column has
    none); then, where the learner compares distances or penalises weights, zero mean and unit
    variance. Categories: a column each, "missing" being a category of its own; categories beyond
    the cap share one column, the rarest first, and so do categories that training never saw.

    Parameters
    ----------
    categorical : array of bool, shape (d,)
        Which columns hold codes of categories.
    scaled : bool
        Whether numbers are standardised.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    steps: list[tuple[str, Any, list[int]]] = []
    numbers = np.flatnonzero(~categorical).tolist()
    categories = np.flatnonzero(categorical).tolist()
    if numbers:
        # An all-missing column of one fold must keep its place, else the width would change.
        impute = SimpleImputer(strategy="median", keep_empty_features=True)
        prepare = Pipeline([("impute", impute), ("scale", StandardScaler())]) if scaled else impute
        steps.append(("numbers", prepare, numbers))
    if categories:
        encode = OneHotEncoder(
            handle_unknown="infrequent_if_exist",
            max_categories=category_cap(categorical),
            sparse_output=False,
        )
        steps.append(("categories", encode, categories))
    return ColumnTransformer(steps, sparse_threshold=0.0)
