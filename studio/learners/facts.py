"""Facts about the training rows that learners may use."""

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from studio.arrays import AnyArray, Flags, Floats, Integers

Task = Literal["binary", "multiclass", "regression"]

MAX_CATEGORIES = 50
"""Maximum number of one-hot columns per categorical column; the rarest categories share the last.
"""

MAX_CATEGORY_COLUMNS = 5000
"""Maximum number of one-hot columns of a table; the limit per column shrinks to fit."""


@dataclass(frozen=True)
class TableFacts:
    """Sizes and kinds of one set of training rows.

    Attributes:
        n_classes: Classes of the whole problem (training rows may lack some); 0 for regression.
        categorical: Shape (d,). Which columns hold codes of categories; the others hold numbers.
        seed: Seed of everything random in the fit, in [0, 2**31).
        n_columns: Columns after preparation: numbers plus encoded categories; before an encoder is
            chosen, one-hot columns of the training rows.
        smallest_class: Rows of the rarest class in training; 0 for regression.
        seen_classes: Classes in training; 0 for regression.
        max_categories: Categories in training, including missing, in the column with the most.
        n_codes: Number of last columns after preparation that are codes of categories.
        missing_columns: Shape (d,). Which columns have missing values in training.
        level: The quantile to predict; ``None`` for the mean.
        monotone: Shape (d,). 1 where the value, or the probability of the second class, must never
            fall with a column, -1 where it must never rise, 0 where it is unconstrained.
        signs: The same of the columns after preparation; empty if all are free.
    """

    task: Task
    n_rows: int
    n_classes: int
    categorical: Flags
    seed: int
    n_columns: int
    smallest_class: int = 0
    seen_classes: int = 0
    max_categories: int = 0
    n_codes: int = 0
    missing_columns: Flags | None = None
    level: float | None = None
    monotone: Integers | None = None
    signs: tuple[int, ...] = ()

    @classmethod
    def from_rows(
        cls,
        X: Floats,
        y: AnyArray,
        *,
        task: Task,
        n_classes: int,
        categorical: Flags,
        seed: int,
        level: float | None = None,
        monotone: Integers | None = None,
    ) -> Self:
        """Extract the facts from the training rows: X of shape (n, d), y of shape (n,)."""
        cap = get_category_cap(categorical)
        levels = [np.unique(X[:, column]).size for column in np.flatnonzero(categorical)]
        counts = np.unique(y, return_counts=True)[1] if n_classes else np.zeros(1, dtype=int)
        return cls(
            task=task,
            n_rows=len(X),
            n_classes=n_classes,
            categorical=categorical,
            seed=seed,
            n_columns=int((~categorical).sum()) + sum(min(cap, each) for each in levels),
            smallest_class=int(counts.min()) if counts.size else 0,
            seen_classes=counts.size if n_classes else 0,
            max_categories=max(levels, default=0),
            missing_columns=np.asarray(np.isnan(X).any(axis=0)),
            level=level,
            monotone=monotone,
        )

    def make_constraint(self, option: str) -> dict[str, Any]:
        """Return the signs as an option of a library's estimator; nothing if there are none."""
        return {option: self.signs} if self.signs else {}


def get_category_cap(categorical: Flags) -> int:
    """Return the maximum of one-hot columns per categorical column, at least 2, flags (d,)."""
    columns = max(1, int(categorical.sum()))
    return max(2, min(MAX_CATEGORIES, MAX_CATEGORY_COLUMNS // columns))
