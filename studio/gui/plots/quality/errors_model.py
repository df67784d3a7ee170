"""Common model of the views of an ensemble's errors."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from studio.analysis.answers.predictions import PredictionErrors
from studio.arrays import AnyArray, Floats, Integers
from studio.data.metrics.curves import find_most_confused
from studio.figures.colours import ENSEMBLE
from studio.figures.figure import Figure, Pointer
from studio.figures.ink import series
from studio.language import group_digits, ntr, tr
from studio.measure import write_amount
from studio.numerals import NumeralFormat

Table = tuple[tuple[str, ...], list[tuple[Any, ...]]]
"""Names of columns, and rows."""

PALE_INK = series(ENSEMBLE, 0.3)
"""The ink of bars."""


MAX_CLASSES = 20
"""Maximum number of classes of a confusion matrix; the others are merged."""


def merge_rare_classes(
    names: tuple[str, ...], counts: Integers, most: int = MAX_CLASSES
) -> tuple[tuple[str, ...], Integers]:
    """Limit the confusion matrix to this many classes, shape (k, k).

    Those with most mistakes are kept, the others joined as "18 others", which come last.
    """
    if len(names) <= most:
        return names, counts
    n_errors = counts.sum(axis=0) + counts.sum(axis=1) - 2 * np.diag(counts)
    kept_classes = np.sort(np.argsort(-n_errors, kind="stable")[: most - 1])
    into = np.full(len(names), most - 1)
    into[kept_classes] = np.arange(most - 1)
    small = np.zeros((most, most), dtype=np.int64)
    np.add.at(small, (into[:, None], into[None, :]), counts)
    merged_name = ntr("{count} other", "{count} others", len(names) - most + 1)
    return (*(names[index] for index in kept_classes), merged_name), small


@dataclass(frozen=True)
class ErrorsPicture:
    """The content of the plot. Arrays: of the ensemble, followed by the best single model.

    Attributes:
        test: Whether the rows are the test rows.
    """

    found: PredictionErrors
    test: bool
    target: str

    @property
    def classes(self) -> tuple[str, ...]:
        """The class names; empty for regression."""
        return self.found.classes

    @cached_property
    def matrix(self) -> tuple[tuple[str, ...], Integers]:
        """The classes of the drawn confusion matrix, and its counts, shape (k, k)."""
        return merge_rare_classes(self.classes, self.found.confusion)

    @property
    def single(self) -> str:
        """The name of the best single model; empty if it is the whole ensemble."""
        trial = self.found.single
        return tr("best single model (trial {number})", number=trial) if trial else ""


def make_empty_figure(picture: ErrorsPicture, chosen: int) -> Figure:
    """Return a figure without panels, for views with a list."""
    del picture, chosen
    return Figure(panels=[], marks=[])


def describe_nothing(picture: ErrorsPicture, pointer: Pointer) -> str:
    """Return no description, for views with a list."""
    del picture, pointer
    return ""


@dataclass(frozen=True)
class ErrorsView:
    """One view of an ensemble's errors.

    Attributes:
        rest: The most notable fact, shown without a pointer.
        table: Its numbers, for export.
        figure: The figure, given the number of the ringed row; 0 for none.
        words: Describes what lies at the pointer.
        is_per_class: Whether it is about one selectable class.
        dots: x and y, shape (k,) each, of the rows' dots, if they can be selected.
        describe: Describes a row of a list by its place; ``None`` if it is no list.
    """

    title: str
    summary: str
    rest: Callable[[ErrorsPicture], str]
    table: Callable[[ErrorsPicture], Table]
    figure: Callable[[ErrorsPicture, int], Figure] = make_empty_figure
    words: Callable[[ErrorsPicture, Pointer], str] = describe_nothing
    is_per_class: bool = False
    dots: Callable[[ErrorsPicture], tuple[Floats, Floats]] | None = None
    describe: Callable[[ErrorsPicture, int], str] | None = None


def make_comparison_columns(names: tuple[str, ...], both: Iterable[tuple[AnyArray, ...]]) -> Table:
    """Return the columns, shape (k,) each, of the ensemble and of the best single model."""
    rows = [
        (model, *each)
        for model, columns in zip(("ensemble", "best single model"), both, strict=False)
        for each in zip(*(column.tolist() for column in columns), strict=True)
    ]
    return ("whose", *names), rows


def format_row_count(count: int) -> str:
    """Format a number of rows."""
    return ntr("{count} row", "{count} rows", count)


def describe_errors(picture: ErrorsPicture, looked_for: str | None) -> str:
    """Describe the errors in one plain sentence or two.

    Args:
        looked_for: The positive one of two classes; ``None``: the rarer one.
    """
    errors, counts = picture.found, picture.found.confusion
    rows = ntr("{count} row", "{count} rows", errors.count)
    if not picture.classes:
        return _describe_values(errors, rows)
    if len(picture.classes) == 2:
        return _describe_two_classes(picture.classes, counts, looked_for)
    n_wrong = int(counts.sum() - np.trace(counts))
    text = tr("Wrong for {wrong} of {rows}.", wrong=group_digits(n_wrong), rows=rows)
    mistake = find_most_confused(counts)
    if mistake is None or counts[mistake] == 1:
        return text
    true, answer = (picture.classes[each] for each in mistake)
    return tr(
        "{words} Most often “{true}” is predicted as “{answer}” ({rows}).",
        words=text,
        true=true,
        answer=answer,
        rows=format_row_count(int(counts[mistake])),
    )


def _describe_two_classes(
    classes: tuple[str, ...], counts: Integers, looked_for: str | None
) -> str:
    """Describe how many predictions of the positive class are right, from counts (2, 2)."""
    code = classes.index(looked_for) if looked_for in classes else int(counts.sum(axis=1).argmin())
    right, alarms = int(counts[code, code]), int(counts[1 - code, code])
    values = {"label": classes[code], "all": group_digits(int(counts[code].sum()))}
    if not right + alarms:
        return tr(
            "At 50 % it never predicts “{label}”, though {all} rows are: choose a lower "
            "probability to find some of them.",
            **values,
        )
    missed = int(counts[code].sum()) - right
    words = ntr(
        "Of {count} row predicted “{label}”, {right} is.",
        "Of {count} rows predicted “{label}”, {right} are.",
        right + alarms,
        right=group_digits(right),
        **values,
    )
    if not missed:
        return tr("{words} None of the {all} “{label}” is missed.", words=words, **values)
    return tr(
        "{words} It misses {missed} of the {all} “{label}”.",
        words=words,
        missed=group_digits(missed),
        **values,
    )


_MIN_ROWS, _END_SHARE, _MIN_RATIO, _MIN_STANDARD_ERRORS = 40, 0.25, 1.3, 2.0
"""Minimum number of rows to compare; share of rows at either end of the predictions; minimum ratio
of their error to that elsewhere, and of the difference to its standard error.
"""


def find_large_errors(errors: PredictionErrors) -> tuple[bool, float, float, float] | None:
    """Return at which end of the predictions errors are larger than elsewhere; ``None``: at none.

    Returns:
        Whether at the upper end, where it begins, and the mean absolute error there and elsewhere.
    """
    values, off = errors.dots_predicted, np.abs(errors.dots_predicted - errors.dots_truth)
    if len(values) < _MIN_ROWS:
        return None
    ends = []
    for upper in (True, False):
        limit = float(np.quantile(values, 1 - _END_SHARE if upper else _END_SHARE))
        there = values >= limit if upper else values <= limit
        one, other = off[there], off[~there]
        if len(one) < 2 or len(other) < 2:
            continue
        spread = math.sqrt(one.var(ddof=1) / len(one) + other.var(ddof=1) / len(other))
        here, elsewhere = float(one.mean()), float(other.mean())
        if here > max(_MIN_RATIO * elsewhere, elsewhere + _MIN_STANDARD_ERRORS * spread):
            ends.append((upper, limit, here, elsewhere))
    return max(ends, key=lambda each: each[2], default=None)


def _describe_values(errors: PredictionErrors, rows: str) -> str:
    """Describe how far predicted numbers are off, and where most."""
    large, off = find_large_errors(errors), float(errors.mae[0])
    upper, *numbers = large or (False,)
    how = NumeralFormat.together([off, *numbers], 3)
    first, *rest = (write_amount(each, errors.unit, how) for each in (off, *numbers))
    words = tr("Off by {off} on average, over {rows}.", off=first, rows=rows)
    if large is None:
        return words
    values = {"words": words} | dict(zip(("limit", "here", "elsewhere"), rest, strict=True))
    if upper:
        return tr(
            "{words} Most where it predicts {limit} or more: by {here} there, by {elsewhere} "
            "elsewhere.",
            **values,
        )
    return tr(
        "{words} Most where it predicts {limit} or less: by {here} there, by {elsewhere} "
        "elsewhere.",
        **values,
    )
