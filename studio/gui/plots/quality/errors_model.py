"""Common model of the views of an ensemble's errors."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from studio.analysis.answers.predictions import MAX_LISTED, PredictionErrors
from studio.arrays import AnyArray, Floats, Integers
from studio.figures.figure import Figure, Pointer
from studio.figures.ink import ENSEMBLE, make_series_ink
from studio.language import ntr, tr

Table = tuple[tuple[str, ...], list[tuple[Any, ...]]]
"""Names of columns, and rows."""

LIGHT_INK = make_series_ink(ENSEMBLE, 0.3)
"""The ink of bars."""


MAX_CLASSES = 20
"""Maximum number of classes of a confusion matrix; the others are merged."""


def merge_rare_classes(
    names: tuple[str, ...], counts: Integers, max_classes: int = MAX_CLASSES
) -> tuple[tuple[str, ...], Integers]:
    """Merge all but the classes with most errors, at the end: confusion matrix (k, k)."""
    if len(names) <= max_classes:
        return names, counts
    n_errors = counts.sum(axis=0) + counts.sum(axis=1) - 2 * np.diag(counts)
    kept_classes = np.sort(np.argsort(-n_errors, kind="stable")[: max_classes - 1])
    merged_indices = np.full(len(names), max_classes - 1)
    merged_indices[kept_classes] = np.arange(max_classes - 1)
    merged_counts = np.zeros((max_classes, max_classes), dtype=np.int64)
    np.add.at(merged_counts, (merged_indices[:, None], merged_indices[None, :]), counts)
    merged_name = ntr("{count} other", "{count} others", len(names) - max_classes + 1)
    return (*(names[index] for index in kept_classes), merged_name), merged_counts


@dataclass(frozen=True)
class ErrorsData:
    """The content of the plot. Arrays: of the ensemble, followed by the best single model.

    Attributes:
        cell: The codes of a true and a predicted class whose rows are listed; ``None``: all wrong
            ones.
        averages_classes: Whether every class weighs the same in the run's metric.
    """

    errors: PredictionErrors
    is_test: bool
    target: str
    cell: tuple[int, int] | None = None
    averages_classes: bool = False

    @property
    def classes(self) -> tuple[str, ...]:
        """The class names; empty for regression."""
        return self.errors.classes

    @cached_property
    def worst_rows(self) -> Integers:
        """Indices of the listed worst rows, (w,): the wrong rows, or the rows of the cell."""
        errors = self.errors
        if not self.classes:
            return np.arange(len(errors.worst_rows))
        if self.cell is None:
            return np.flatnonzero(errors.worst_truth != errors.worst_predicted)[:MAX_LISTED]
        true, answer = self.cell
        is_there = (errors.worst_truth == true) & (errors.worst_predicted == answer)
        return np.flatnonzero(is_there)

    @cached_property
    def matrix(self) -> tuple[tuple[str, ...], Integers]:
        """The classes of the drawn confusion matrix, and its counts, shape (k, k)."""
        return merge_rare_classes(self.classes, self.errors.confusion)

    @property
    def best_single_name(self) -> str:
        """The name of the best single model; empty if it alone is the ensemble."""
        trial = self.errors.best_single_trial
        return tr("best single model (trial {number})", number=trial) if trial else ""


@dataclass(frozen=True)
class ErrorsView:
    """One view of an ensemble's errors.

    Attributes:
        make_default_text: Returns the most notable fact, shown without a pointer.
        figure: The figure; without panels for a list.
        dots: x and y, shape (k,) each, of the rows' dots, if they can be selected.
        is_list: Whether the rows of the table are listed.
    """

    title: str
    summary: str
    make_default_text: Callable[[ErrorsData], str]
    table: Callable[[ErrorsData], Table]
    figure: Callable[[ErrorsData], Figure] = lambda _: Figure(panels=[], marks=[])
    describe_at: Callable[[ErrorsData, Pointer], str] = lambda *_: ""
    is_per_class: bool = False
    dots: Callable[[ErrorsData], tuple[Floats, Floats]] | None = None
    is_list: bool = False


def make_comparison_columns(
    names: tuple[str, ...], columns_by_model: Iterable[tuple[AnyArray, ...]]
) -> Table:
    """Return the columns, shape (k,) each, of the ensemble and of the best single model."""
    rows = [
        (model, *each)
        for model, columns in zip(("ensemble", "best single model"), columns_by_model, strict=False)
        for each in zip(*(column.tolist() for column in columns), strict=True)
    ]
    return ("whose", *names), rows


def format_row_count(count: int) -> str:
    """Format a number of rows."""
    return ntr("{count} row", "{count} rows", count)
