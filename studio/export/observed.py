"""Targets that a predicted table contains itself: a test of the predictions."""

from dataclasses import dataclass

import numpy as np

from studio.analysis.number_phrases import format_loss_phrase
from studio.arrays import AnyArray, Floats
from studio.data.reading import RawTable
from studio.data.second_file import read_weights
from studio.errors import DataError
from studio.phrases import join_phrases, phrase
from studio.runs.prepare import PreparedRun

_MIN_COMPARED_ROWS = 10  # minimum number of rows for the metric


@dataclass(frozen=True, eq=False)
class ObservedTargets:
    """Observed targets of new rows, compared with their predictions.

    Attributes:
        values: Shape (n,), or (0,) if the table has none. Class codes or values; NaN: unknown.
        note: The run's metric on these rows; empty without any.
    """

    values: Floats
    note: str = ""


def compare_with_targets(
    prepared_run: PreparedRun, raw: RawTable, predictions: AnyArray
) -> ObservedTargets:
    """Compare predictions, (n, C) or (n,), with the targets in the table itself, if any."""
    recipe = prepared_run.problem.make_recipe()
    targets = recipe.read_target(raw)
    if targets is None or not (targets.is_known.any() or targets.n_unknown):
        return ObservedTargets(np.empty(0))
    name = recipe.target.name
    rows = np.flatnonzero(targets.is_known)
    if not rows.size:
        no_known_class = phrase(
            "This table's own “{target}” has no class of the training rows, so the predictions "
            "are not compared with it.",
            target=name,
        )
        return ObservedTargets(np.empty(0), no_known_class)
    observed = np.where(targets.is_known, targets.y.astype(np.float64), np.nan)
    weights, weight_note = read_weights(raw, prepared_run.table, rows)
    comparison = _compare_losses(prepared_run, name, targets.y[rows], predictions[rows], weights)
    notes = (weight_note, *targets.notes) if comparison else targets.notes
    return ObservedTargets(observed, join_phrases((comparison, *notes)))


def _compare_losses(
    prepared_run: PreparedRun,
    target: str,
    truth: AnyArray,
    predictions: AnyArray,
    weights: Floats | None,
) -> str:
    """Return a sentence on the run's metric; empty where it does not judge these rows.

    Truth and weights have shape (n,), predictions (n, C) or (n,). Not judged are too few rows, rows
    of one class, equal numbers, and values that the metric excludes.
    """
    metric, n_rows = prepared_run.metric, len(truth)
    if n_rows < _MIN_COMPARED_ROWS or (truth == truth[0]).all():
        return ""
    constants = prepared_run.predict_constant(prepared_run.split.development, n_rows)
    try:
        losses = (
            metric.compute_loss(truth, predictions, weights),
            metric.compute_loss(truth, constants, weights),
        )
    except DataError:  # such as values below 0 with RMSLE
        return ""
    loss, guess = (format_loss_phrase(each, prepared_run.unit) for each in losses)
    values = {
        "count": n_rows,
        "metric": phrase(metric.title),
        "target": target,
        "loss": loss,
        "guess": guess,
    }
    weight_column = prepared_run.table.get_single_column("weight")
    if weights is None or weight_column is None:
        return phrase(
            "{metric} on {count:,} rows, compared with this table's own “{target}”: {loss}; always "
            "predicting the same value, {guess}.",
            **values,
        )
    return phrase(
        "{metric} on {count:,} rows weighted by “{weight}”, compared with this table's own "
        "“{target}”: {loss}; always predicting the same value, {guess}.",
        **values,
        weight=weight_column.name,
    )
