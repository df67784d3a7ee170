"""What is to be predicted: which column, and as classes or as numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from studio.errors import DataError
from studio.phrases import phrase

if TYPE_CHECKING:
    from studio.data.column import Column

Task = Literal["binary", "multiclass", "regression"]

TASKS: tuple[Task, ...] = ("binary", "multiclass", "regression")

MAX_INTEGER_CLASSES = 20
"""A target of whole numbers with at most this many different values holds classes."""


@dataclass(frozen=True)
class TargetGuess:
    """Which column is probably to be predicted, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class TaskGuess:
    """What kind of prediction it probably is, and why."""

    task: Task
    reason: str


def guess_target(names: Sequence[str]) -> TargetGuess:
    """Return the column called "target" (in any case), else the last one.

    Raises
    ------
    DataError
        If there is no column.
    """
    if not names:
        raise DataError("The table has no columns, so there is nothing to predict.")
    for name in names:
        if is_called_target(name):
            return TargetGuess(name, phrase("The column is called {name!r}.", name=name))
    return TargetGuess(names[-1], phrase("It is the last column; none is called “target”."))


def is_called_target(name: str) -> bool:
    """Whether a column's name says that it is to be predicted."""
    return name.strip().lower() == "target"


def guess_task(column: "Column") -> TaskGuess:
    """Decide between classes and numbers.

    Text is treated as classes, and so are whole numbers with at most
    :data:`MAX_INTEGER_CLASSES` different values; other numbers are predicted as numbers.

    Parameters
    ----------
    column : Column
        The target.
    """
    if column.kind == "category":
        n_classes = len(column.categories)
        if n_classes == 1:
            return TaskGuess(_classes(n_classes), phrase("It is a category with 1 class."))
        return TaskGuess(
            _classes(n_classes),
            phrase("It is a category with {n_classes:,} classes.", n_classes=n_classes),
        )
    values = np.unique(column.values[~np.isnan(column.values)])
    if not len(values):
        return TaskGuess("regression", phrase("It has no values."))
    whole = bool(np.array_equal(values, np.round(values)))
    if whole and len(values) <= MAX_INTEGER_CLASSES:
        return TaskGuess(
            _classes(len(values)),
            phrase(
                "It contains whole numbers with only {n_values} different values (up to "
                "{max_integer_classes} count as classes).",
                n_values=len(values),
                max_integer_classes=MAX_INTEGER_CLASSES,
            ),
        )
    if whole:
        return TaskGuess(
            "regression",
            phrase(
                "It contains whole numbers with {n_values:,} different values, more than the "
                "{max_integer_classes} that count as classes.",
                n_values=len(values),
                max_integer_classes=MAX_INTEGER_CLASSES,
            ),
        )
    return TaskGuess("regression", phrase("It contains numbers that are not whole."))


def _classes(number: int) -> Task:
    return "binary" if number <= 2 else "multiclass"
