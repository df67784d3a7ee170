"""Uncertainty of an ensemble's predictions: intervals of values, shares of votes."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data.intervals.prediction import SHARE, PredictionMargins
from studio.data.metrics.base import WeightedMetric
from studio.data.problem import Problem
from studio.document.store import Document
from studio.ensembles.base import Ensemble, EnsembleBuilder, Metric, combine
from studio.errors import UsageError
from studio.runs.jobs import build_training
from studio.runs.load import load_scored_predictions
from studio.runs.prepare import PreparedRun, derive_ensemble_seed
from studio.trial import History

N_PARTS = 5

CombineFunction = Callable[[Callable[[int], AnyArray], Ensemble], Floats]
"""Combines the members' predictions to the ensemble's."""


def compute_cross_fitted_predictions(
    builder: EnsembleBuilder,
    history: History,
    metric_for: Callable[[AnyArray, Floats | None], Metric],
    seed: int,
    units: Integers | None = None,
    *,
    combine_members: CombineFunction = combine,
) -> Floats:
    """Return each row's prediction by an ensemble selected without the row's part.

    Args:
        history: Trials that were scored on the same n rows.
        metric_for: Returns the metric of rows by their truth (k,) and weights, (k,) or ``None``.
        units: Shape (n,). Unit codes; rows of a unit stay in the same part.
        combine_members: Returns the deciding (:func:`studio.ensembles.base.combine`) or the
            displayed (:func:`studio.ensembles.base.compute_probabilities`) prediction.

    Returns:
        Shape (n,) or (n, C), as returned by ``combine_members``.
    """
    count = len(history.truth)
    unit_of_row = np.arange(count) if units is None else units
    codes = np.unique(unit_of_row)
    shuffled_units = np.random.default_rng(seed).permutation(len(codes))
    part_of_row = (shuffled_units % N_PARTS)[np.searchsorted(codes, unit_of_row)]
    predictions: Floats = np.empty((count, history.n_classes) if history.n_classes else count)
    for number in np.unique(part_of_row):
        training_rows = np.flatnonzero(part_of_row != number)
        rows = np.flatnonzero(part_of_row == number)
        if not training_rows.size:
            training_rows = rows  # a single unit cannot be excluded
        restricted_history, metric = _restrict_to_rows(history, training_rows, metric_for)
        ensemble = builder.build(restricted_history, metric, seed)
        scored_trials = {each: history.get_predictions(each)[rows] for each in ensemble.members}
        predictions[rows] = combine_members(scored_trials.__getitem__, ensemble)
    return predictions


def _restrict_to_rows(
    history: History, rows: Integers, metric_for: Callable[[AnyArray, Floats | None], Metric]
) -> tuple[History, Metric]:
    """Return the history scored on rows (m,) only, and the metric."""
    weights = None if history.weights is None else history.weights[rows]
    restricted_history = History(history.truth[rows], history.n_classes, weights=weights)
    metric = metric_for(restricted_history.truth, restricted_history.weights)
    for trial in history.trials:
        predictions = None if trial.loss is None else history.get_predictions(trial.number)[rows]
        loss = None if predictions is None else float(metric(restricted_history.truth, predictions))
        restricted_history.append(replace(trial, loss=loss), predictions)
    return restricted_history, metric


def are_votes(prepared_run: PreparedRun, history: History, ensemble: Ensemble) -> bool:
    """Return whether an ensemble's probabilities are its members' shares of votes.

    They are if all members only predict labels and are not calibrated: their mean
    (docs/decisions/0037) is then the share of members that predict a class, not its frequency.
    """
    if not prepared_run.problem.classes or not ensemble.is_plain:
        return False
    trials = [history.trials[number - 1] for number in ensemble.members]
    learners = (build_training(prepared_run.space, each.configuration)[0] for each in trials)
    return all(each.prediction_type == "labels" for each in learners)


def learn_margins(
    prepared_run: PreparedRun, rows: Integers, predictions: Floats, share: float = SHARE
) -> PredictionMargins:
    """Learn the margins of an ensemble's predictions from unseen rows.

    New rows are assumed to be similar: from new groups if the run has groups, and from a period
    like the past.

    Args:
        rows, predictions: Shape (n,). As returned by :func:`predict_unseen`.
        share: The coverage, in (0, 1).

    Raises:
        UsageError: As :func:`check_interval` does.
    """
    problem = prepared_run.problem
    check_interval(share, problem)
    units = prepared_run.get_units(rows)
    return PredictionMargins.learn(
        predictions,
        problem.y[rows],
        share,
        prepared_run.get_weights(rows),
        units=units,
        floor=prepared_run.settings.aim.floor,
        unit=prepared_run.settings.aim.unit,
    )


def check_interval(share: float, problem: Problem, *, is_voting: bool = False) -> None:
    """Reject an invalid interval: an invalid coverage, or an interval for classification.

    Args:
        is_voting: Whether the probabilities of classes are shares of votes (:func:`are_votes`).

    Raises:
        UsageError: The message suggests an alternative.
    """
    if not 0.0 < share < 1.0:
        raise UsageError(
            "An interval contains the true value with a probability between 0 and 1, such as 0.9; "
            "{share} was given.",
            share=share,
        )
    if problem.classes and is_voting:
        raise UsageError(
            "Intervals are for numbers. For a class, the share of votes is written beside it; "
            "the members of this ensemble predict labels only, so the certainty is unknown."
        )
    if problem.classes:
        raise UsageError(
            "Intervals are for numbers. For a class, the probability written beside it shows its "
            "certainty."
        )


def predict_unseen(
    document: Document,
    run_id: int,
    prepared_run: PreparedRun,
    history: History,
    ensemble: Ensemble,
    *,
    combine_members: CombineFunction = combine,
) -> tuple[Integers, Floats]:
    """Return rows, (n,), with predictions by an ensemble selected without them.

    The rows are the validation rows (with folds, out-of-fold), predicted by an ensemble selected
    without them (:func:`compute_cross_fitted_predictions`). Predictions have shape (n,) or (n, C),
    as returned by ``combine_members``. If every trial has its own validation rows, the ensemble is
    a single trial, and its predictions are returned.
    """
    if not history.comparable:
        member = history.trials[ensemble.members[0] - 1]
        scored_trials = load_scored_predictions(
            document, run_id, member.number, prepared_run, member.seed
        )
        return prepared_run.get_scored_rows(member.seed), scored_trials.astype("float64")
    rows = prepared_run.split.validation
    units = prepared_run.get_units(rows)

    def get_metric(truth: AnyArray, weights: Floats | None) -> Metric:
        if weights is None:
            return prepared_run.metric
        return WeightedMetric(prepared_run.metric, truth, weights)

    seed = derive_ensemble_seed(prepared_run.settings)
    unseen = compute_cross_fitted_predictions(
        prepared_run.method.ensemble,
        history,
        get_metric,
        seed,
        units,
        combine_members=combine_members,
    )
    return rows, unseen
