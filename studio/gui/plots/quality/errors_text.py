"""Summary of the errors plot in one or two plain sentences."""

import math

import numpy as np

from studio.analysis.answers.predictions import PredictionErrors
from studio.data.metrics.curves import find_most_confused
from studio.gui.plots.quality.errors_model import ErrorsData, format_row_count
from studio.language import group_digits, ntr, tr
from studio.measure import format_threshold, write_amount
from studio.numerals import NumeralFormat

_N_DIGITS = 3
"""Significant digits of errors in sentences."""


def describe_errors(data: ErrorsData, positive_class: str | None) -> str:
    """Describe the errors in one or two plain sentences.

    Args:
        positive_class: The positive one of two classes; ``None``: the rarer one.
    """
    errors, counts = data.errors, data.errors.confusion
    rows = ntr("{count} row", "{count} rows", errors.count)
    if not data.classes:
        return _describe_values(errors, rows)
    if len(data.classes) == 2:
        return _describe_two_classes(errors, positive_class)
    n_wrong = int(counts.sum() - np.trace(counts))
    text = tr("Wrong for {wrong} of {rows}.", wrong=group_digits(n_wrong), rows=rows)
    mistake = find_most_confused(counts)
    if mistake is None or counts[mistake] == 1:
        return text
    true, answer = (data.classes[each] for each in mistake)
    return tr(
        "{words} Most often “{true}” is predicted as “{answer}” ({rows}).",
        words=text,
        true=true,
        answer=answer,
        rows=format_row_count(int(counts[mistake])),
    )


def describe_rule(errors: PredictionErrors) -> str:
    """State that labels follow the run's decision; empty if they are the ensemble's labels."""
    if not errors.decision_class:
        return ""
    return tr(
        "By your decision: “{label}” from {share}.",
        label=errors.decision_class,
        share=format_threshold(errors.threshold),
    )


def _describe_two_classes(errors: PredictionErrors, positive_class: str | None) -> str:
    """Describe how many predictions of the positive class are right."""
    classes, counts = errors.classes, errors.confusion
    code = (
        classes.index(positive_class)
        if positive_class in classes
        else int(counts.sum(axis=1).argmin())
    )
    right, alarms = int(counts[code, code]), int(counts[1 - code, code])
    values = {"label": classes[code], "all": group_digits(int(counts[code].sum()))}
    if not right + alarms:
        if errors.decision_class:
            return tr("It never predicts “{label}”, though {all} rows are.", **values)
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
        return tr("{words} None of the {all} “{label}” rows is missed.", words=words, **values)
    return tr(
        "{words} It misses {missed} of the {all} “{label}” rows.",
        words=words,
        missed=group_digits(missed),
        **values,
    )


_MIN_ROWS, _END_SHARE, _MIN_RATIO, _MIN_STANDARD_ERRORS = 40, 0.25, 1.3, 2.0
"""Minimum number of rows to compare; share of rows at either end of the predictions; minimum ratio
of their error to that elsewhere, and of the difference to its standard error.
"""


def find_large_errors(errors: PredictionErrors) -> tuple[bool, float, float, float] | None:
    """Return at which end errors are larger, and by how much; ``None`` if at neither."""
    values, absolute_errors = (
        errors.dots_predicted,
        np.abs(errors.dots_predicted - errors.dots_truth),
    )
    if len(values) < _MIN_ROWS:
        return None
    candidates = []
    for upper in (True, False):
        limit = float(np.quantile(values, 1 - _END_SHARE if upper else _END_SHARE))
        is_at_end = values >= limit if upper else values <= limit
        errors_at_end, other = absolute_errors[is_at_end], absolute_errors[~is_at_end]
        if len(errors_at_end) < 2 or len(other) < 2:
            continue
        spread = math.sqrt(
            errors_at_end.var(ddof=1) / len(errors_at_end) + other.var(ddof=1) / len(other)
        )
        error_at_end, error_elsewhere = float(errors_at_end.mean()), float(other.mean())
        if error_at_end > max(
            _MIN_RATIO * error_elsewhere, error_elsewhere + _MIN_STANDARD_ERRORS * spread
        ):
            candidates.append((upper, limit, error_at_end, error_elsewhere))
    return max(candidates, key=lambda each: each[2], default=None)


def _describe_values(errors: PredictionErrors, rows: str) -> str:
    """Describe the size of the errors of predicted numbers, and where they are largest."""
    large, mean_error = find_large_errors(errors), float(errors.mae[0])
    # As in the answer, of which this repeats the mean.
    error_format = NumeralFormat.for_values([mean_error], _N_DIGITS)
    words = tr(
        "Off by {off} on average, over {rows}.",
        off=write_amount(mean_error, errors.unit, error_format),
        rows=rows,
    )
    if large is None:
        return words
    upper, limit, *sizes = large
    here, elsewhere = (write_amount(each, errors.unit, error_format) for each in sizes)
    values = {
        "words": words,
        "limit": write_amount(limit, errors.unit, _N_DIGITS),
        "here": here,
        "elsewhere": elsewhere,
    }
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
