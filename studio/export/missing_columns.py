"""Columns missing in new rows: the loss of accuracy, and whether prediction is possible."""

from collections.abc import Collection
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import bdtrc

from studio.analysis.number_phrases import format_loss_phrase
from studio.arrays import Integers
from studio.data.recipe import EncodedTable
from studio.export.members import predict_with_probabilities
from studio.phrases import count_phrase, join_phrases, join_quoted, phrase
from studio.runs.prepare import PreparedRun

_MAX_ROWS = 1_000
"""Maximum number of rows for measuring the importance of missing columns."""

_MIN_MISSING_SHARE = 0.95
"""Minimum share of new rows without a value for a column to count as empty."""

_MAX_CHANCE = 0.01
"""Maximum probability that a column is empty in the new rows by chance."""

_MIN_LOST_SHARE = 0.5
"""Minimum share of the gain over guessing that is lost without a deciding column."""


class EmptiedLosses:
    """The ensemble's losses with some columns emptied, on test rows, else on training rows."""

    def __init__(self, estimator: Any, prepared_run: PreparedRun) -> None:
        self.estimator, self.prepared = estimator, prepared_run
        self.has_test = prepared_run.split.test.size > 0
        rows = prepared_run.split.test if self.has_test else prepared_run.split.development
        self.rows: Integers = np.random.default_rng(0).permutation(rows)[:_MAX_ROWS]

    @cached_property
    def full(self) -> float:
        """The loss with all columns."""
        return self.compute_loss(())

    def compute_loss(self, empty: Collection[str]) -> float:
        """Return the loss with the named columns emptied."""
        problem = self.prepared.problem
        X = problem.X[self.rows]
        for index, feature in enumerate(problem.make_recipe().features):
            if feature.own_name in empty:
                X[:, index] = feature.missing_value
        values, shares = predict_with_probabilities(self.estimator, X, problem.classes)
        return self.prepared.compute_loss(self.rows, values if shares is None else shares)

    @cached_property
    def guess(self) -> float:
        """The loss of the best constant prediction."""
        constant = self.prepared.compute_best_constant(self.prepared.split.development)
        constants = np.broadcast_to(constant, (len(self.rows), *constant.shape))
        return self.prepared.compute_loss(self.rows, constants)


def find_deciding_columns(losses: EmptiedLosses, encoded: EncodedTable) -> tuple[str, ...]:
    """Return columns that decide most of the predictions but have no value in the new rows."""
    names = _list_empty_columns(losses.prepared, encoded)
    if not names:
        return ()
    limit = losses.full + _MIN_LOST_SHARE * (losses.guess - losses.full)
    if limit <= losses.full or losses.compute_loss(names) < limit:
        return ()
    return tuple(name for name in names if losses.compute_loss([name]) >= limit) or names


def _list_empty_columns(prepared_run: PreparedRun, encoded: EncodedTable) -> tuple[str, ...]:
    """Return the columns with values in training, but not in the new rows."""
    names = []
    for index, feature in enumerate(prepared_run.problem.make_recipe().features):
        if feature.term is not None or feature.is_later_part:
            continue
        is_missing = np.isnan(encoded.X[:, index])
        if index in encoded.unseen_categories:
            is_missing &= encoded.unseen_categories[index] == 0
        if is_missing.mean() < _MIN_MISSING_SHARE:
            continue
        training = prepared_run.problem.X[prepared_run.split.development, index]
        # The probability of at least as many missing values.
        chance = bdtrc(is_missing.sum() - 1.0, len(is_missing), np.isnan(training).mean())
        if chance <= _MAX_CHANCE:
            names.append(feature.own_name)
    return tuple(names)


def describe_deciding_columns(names: Collection[str]) -> str:
    """Explain that prediction is impossible without the deciding columns; "" for none."""
    if not names:
        return ""
    return count_phrase(
        "No forecast is possible, because {listed} matters most and has no value in these rows.",
        "No forecast is possible, because {listed} matter most and have no values in these rows.",
        len(names),
        listed=join_quoted(names),
    )


def describe_missing_columns(losses: EmptiedLosses, encoded: EncodedTable) -> str:
    """Describe missing and unreadable columns, and the loss of accuracy; "" for none."""
    if not encoded.unused:
        return ""
    prepared_run = losses.prepared
    values = {
        "metric": phrase(prepared_run.metric.title),
        "known": _format_loss(prepared_run, losses.full),
        "empty": _format_loss(prepared_run, losses.compute_loss(encoded.unused)),
        "guess": _format_loss(prepared_run, losses.guess),
    }
    if losses.has_test:
        effect_text = count_phrase(
            "{metric} on 1 test row: {known} with all columns; with those of this table, "
            "{empty}; always predicting the same value, {guess}.",
            "{metric} on {count:,} test rows: {known} with all columns; with those of this "
            "table, {empty}; always predicting the same value, {guess}.",
            len(losses.rows),
            **values,
        )
    else:
        effect_text = count_phrase(
            "{metric} on 1 training row: {known} with all columns; with those of this table, "
            "{empty}; always predicting the same value, {guess}.",
            "{metric} on {count:,} training rows: {known} with all columns; with those of this "
            "table, {empty}; always predicting the same value, {guess}.",
            len(losses.rows),
            **values,
        )
    return join_phrases((encoded.missing_columns_note, effect_text))


def _format_loss(prepared_run: PreparedRun, value: float) -> str:
    return format_loss_phrase(value, prepared_run.unit)
