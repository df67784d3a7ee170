"""Reasons to doubt the predictions of a new table: columns it lacks, dates beyond training."""

from typing import Any

import numpy as np

from studio.analysis.answers.rows import NewRows
from studio.analysis.chosen_words import CAUTION
from studio.analysis.headline_words import format_loss_phrase
from studio.arrays import Floats
from studio.data.dates import format_date
from studio.data.recipe import Encoded
from studio.export.members import predict_with_probabilities
from studio.phrases import counted, joined, phrase
from studio.runs.prepare import PreparedRun

MIN_UNSEEN_SHARE = 0.2
"""From this share of dates beyond the training rows on, the estimate is doubted for that."""

_MAX_ROWS = 1_000
"""Rows by which it is found out what absent columns are worth."""


def describe_doubts(prepared: PreparedRun, encoded: Encoded, unlike: NewRows) -> str:
    """Return why the expected outcome of new rows may be wrong, and the remedy, or ""."""
    return describe_unseen_dates(prepared, encoded) or (CAUTION if unlike.verdict else "")


def describe_unseen_dates(prepared: PreparedRun, encoded: Encoded) -> str:
    """Name the column of dates of which most new ones are beyond the training rows; "" for none.

    A run whose rows have a time was judged by later rows already.
    """
    problem = prepared.problem
    if problem.times is not None:
        return ""
    candidates = []
    for place, feature in enumerate(problem.recipe().features):
        if feature.date is None or feature.date.part != "days":
            continue
        old, new = problem.X[prepared.split.development, place], encoded.X[:, place]
        if np.isnan(old).all() or np.isnan(new).all():
            continue
        for sign in (1, -1):
            bound = np.nanmax(sign * old)
            share = float(np.mean(sign * new > bound))
            if share >= MIN_UNSEEN_SHARE:
                candidates.append(
                    (share, sign, format_date(feature.date, float(sign * bound)), feature)
                )
    if not candidates:
        return ""
    share, sign, bound, column = max(candidates, key=lambda each: each[0])
    values = {"name": column.own_name, "share": 100 * share, "end": bound.partition(" ")[0]}
    if sign > 0:
        return phrase(
            "“{name}” is later than in all training rows (until {end}) in {share:.0f} % of these "
            "rows. The estimate comes from earlier rows and may be too low or too high. Remedy: "
            "give “{name}” the role “time” on the Data page and run again, so that the estimate "
            "comes from later rows.",
            **values,
        )
    return phrase(
        "“{name}” is earlier than in all training rows (from {end}) in {share:.0f} % of these "
        "rows. The estimate comes from later rows and may be too low or too high.",
        **values,
    )


def describe_missing_columns(estimator: Any, prepared: PreparedRun, encoded: Encoded) -> str:
    """Describe missing columns, and how much worse predictions are without them; "" for none."""
    if not encoded.absent:
        return ""
    problem, tested = prepared.problem, prepared.split.test.size > 0
    rows = prepared.split.test if tested else prepared.split.development
    rows = np.random.default_rng(0).permutation(rows)[:_MAX_ROWS]
    X, X_missing = problem.X[rows], problem.X[rows].copy()
    for place, feature in enumerate(problem.recipe().features):
        if feature.own_name in encoded.absent:
            X_missing[:, place] = feature.absent

    def loss(matrix: Floats) -> str:
        values, shares = predict_with_probabilities(estimator, matrix, problem.classes)
        return _format_loss(prepared, prepared.loss(rows, values if shares is None else shares))

    guess = prepared.best_constant(prepared.split.development)
    constant = np.broadcast_to(guess, (len(rows), *guess.shape))
    values = {
        "metric": phrase(prepared.metric.title),
        "known": loss(X),
        "empty": loss(X_missing),
        "guess": _format_loss(prepared, prepared.loss(rows, constant)),
    }
    if tested:
        effect = counted(
            "{metric} on 1 test row: {known} with all columns; with those of this table, {empty}; "
            "always predicting the same, {guess}.",
            "{metric} on {count:,} test rows: {known} with all columns; with those of this table, "
            "{empty}; always predicting the same, {guess}.",
            len(rows),
            **values,
        )
    else:
        effect = counted(
            "{metric} on 1 row that it learned from: {known} with all columns; with those of this "
            "table, {empty}; always predicting the same, {guess}.",
            "{metric} on {count:,} rows that it learned from: {known} with all columns; with those "
            "of this table, {empty}; always predicting the same, {guess}.",
            len(rows),
            **values,
        )
    return joined((encoded.lacking, effect))


def _format_loss(prepared: PreparedRun, value: float) -> str:
    return format_loss_phrase(value, prepared.unit)
