"""Margins of an ensemble on the validation rows, and their losses.

The margin of a row is in [-1, 1]: 1 if all votes are for the true class. Thesis 4.3 plots the
losses over it (figures 4.6 and 4.7). For regression it is replaced by the residual.
"""

from pathlib import Path

import numpy as np

from studio.analysis.answers.ensemble import EnsembleMargins, LossCurve
from studio.analysis.what_if import NO_ENSEMBLE, get_actual_ensemble
from studio.arrays import Floats, Integers
from studio.data.metrics.weighting import compute_mean
from studio.document.store import Document
from studio.ensembles.base import SHARE_DECIMALS, Ensemble, combine
from studio.ensembles.losses.base import EnsembleLoss, ValueLoss, VoteLoss
from studio.ensembles.losses.registry import REGISTRY
from studio.runs.load import follow
from studio.runs.prepare import PreparedRun
from studio.trial import DIFFERENT_ROWS

VOTES = 400
"""Votes of the drawn curves: a margin's step is 1/200."""

BINS = 40

MAX_POINTS = 60
"""Maximum number of members for marking a row's possible losses on the curve."""


def compute_margins(path: Path, run_id: int, iteration: int) -> EnsembleMargins:
    """Return the losses and margins of the ensemble at an iteration, on the validation rows."""
    with Document.open(path, writable=False) as document:
        prepared, history = follow(document, run_id)
    if not history.comparable:
        return EnsembleMargins(reason=DIFFERENT_ROWS)
    if not any(trial.number <= iteration for trial in history.succeeded):
        return EnsembleMargins(reason=NO_ENSEMBLE)
    ensemble = get_actual_ensemble(prepared, history, iteration)
    combined = combine(history.get_predictions, ensemble)
    if history.is_regression:
        residuals = combined - history.truth
        return compute_residual_losses(
            residuals,
            len(ensemble.members),
            _find_search_loss(prepared),
            "mse" if prepared.metric.level is None else "mae",
            history.weights,
        )
    return compute_vote_margins(
        combined, history.truth, ensemble, _find_search_loss(prepared), history.weights
    )


def compute_vote_margins(
    combined: Floats,
    truth: Integers,
    ensemble: Ensemble,
    search_loss: EnsembleLoss | None,
    weights: Floats | None = None,
) -> EnsembleMargins:
    """Return losses by margin of predictions (n, C) and truth (n,); weights (n,) affect means."""
    size = len(ensemble.members)
    vote_loss = search_loss.with_size(size) if isinstance(search_loss, VoteLoss) else None
    uses_runner_up_votes = vote_loss is None or vote_loss.uses_runner_up
    margins = compute_row_margins(combined, truth, uses_runner_up_votes=uses_runner_up_votes)
    loss_types = [
        each for each in REGISTRY if issubclass(each, VoteLoss) and each.is_mean_over_rows
    ]
    losses = [
        vote_loss if vote_loss is not None and vote_loss.key == each.key else each().with_size(size)
        for each in loss_types
    ]
    curves = tuple(
        LossCurve(loss.key, loss.title, loss.get_formula(), compute_loss_by_margin(loss, VOTES))
        for loss in losses
    )
    points = np.empty(0)
    is_drawn = vote_loss is not None and vote_loss.is_mean_over_rows
    if is_drawn and ensemble.combination == "vote" and size <= MAX_POINTS:
        points = 2.0 * np.arange(size + 1) / size - 1.0
    counts, edges = np.histogram(margins, bins=BINS, range=(-1.0, 1.0))
    return EnsembleMargins(
        grid=np.linspace(-1.0, 1.0, VOTES + 1),
        curves=curves,
        search_loss=vote_loss.key if vote_loss else "",
        points_x=points,
        points_y=compute_loss_by_margin(vote_loss, size) if vote_loss and points.size else points,
        edges=edges,
        counts=counts.astype(np.int64),
        size=size,
        wrong_share=compute_mean(margins < 0, weights),
        low_margin_share=compute_mean((margins >= 0) & (margins <= 0.5), weights),
        mean=compute_mean(margins, weights),
        is_regression=False,
        note=vote_loss.describe_loss(margins, weights) if vote_loss else "",
    )


def compute_row_margins(combined: Floats, truth: Integers, *, uses_runner_up_votes: bool) -> Floats:
    """Return each row's margin in [-1, 1], shape (n,); for two classes both kinds are equal.

    Args:
        combined: Shape (n, C). Shares of the votes, rows summing to 1.
        truth: Shape (n,). True classes.
        uses_runner_up_votes: Whether the margin is (v* - v_max)/|E| (thesis eq. 4.25, 4.26),
            negative exactly if the vote is wrong; otherwise it is M of eq. 4.5, which counts all
            wrong votes.
    """
    rows = np.arange(len(truth))
    true_votes: Floats = combined[rows, truth].astype(np.float64)
    if not uses_runner_up_votes:
        margins_of_two: Floats = np.clip(2.0 * true_votes - 1.0, -1.0, 1.0)
        return margins_of_two
    runner_up_votes = combined.astype(np.float64)
    runner_up_votes[rows, truth] = -np.inf
    # Equal shares may differ in the last bits.
    margins: Floats = np.clip(
        (true_votes - runner_up_votes.max(axis=1)).round(SHARE_DECIMALS), -1.0, 1.0
    )
    return margins


def compute_loss_by_margin(loss: VoteLoss, n_votes: int) -> Floats:
    """Return the loss of a row at the margins -1, -1 + 2/votes, …, 1, shape (votes + 1,)."""
    true_counts = np.arange(n_votes + 1, dtype=np.int64)
    terms = loss.compute_terms(
        true_counts, n_votes - true_counts, np.ones_like(true_counts), n_votes
    )
    return loss.finish(terms, 1, n_votes)


def compute_residual_losses(
    residuals: Floats,
    size: int,
    search_loss: EnsembleLoss | None,
    metric: str = "",
    weights: Floats | None = None,
) -> EnsembleMargins:
    """Return the losses by residual of an ensemble of regressors.

    Args:
        residuals: Shape (n,). Predicted minus true values, in the target's unit.
        metric: The curve that replaces the run's metric, if it has none: "mse", "mae" or empty.
        weights: Shape (n,). Used in the mean; the histogram counts rows.
    """
    rms_residual = float(np.sqrt(compute_mean(np.square(residuals), weights)))
    limit = 1.05 * float(np.abs(residuals).max()) or 1.0
    grid = np.linspace(-limit, limit, VOTES + 1)
    scaled = grid / (rms_residual or 1.0)
    loss_types = [each for each in REGISTRY if issubclass(each, ValueLoss)]
    losses = [search_loss if isinstance(search_loss, each) else each() for each in loss_types]
    curves = [
        LossCurve(
            loss.key,
            loss.title,
            loss.get_formula(),
            np.array([loss.compute_loss(np.array([each])) for each in scaled]),
        )
        for loss in losses
    ]
    counts, edges = np.histogram(residuals, bins=BINS, range=(-limit, limit))
    return EnsembleMargins(
        grid=grid,
        curves=(*curves, LossCurve("mae", "Absolute error", "|r| / s", np.abs(scaled))),
        search_loss=search_loss.key if search_loss else metric,
        edges=edges,
        counts=counts.astype(np.int64),
        size=size,
        mean=rms_residual,
        is_regression=True,
    )


def _find_search_loss(prepared_run: PreparedRun) -> EnsembleLoss | None:
    """Return the loss of the run's ensemble search, if it is an ensemble loss."""
    method, regression = prepared_run.method, prepared_run.problem.n_classes == 0
    for builder in (method.proposer.get_search_ensemble(), method.ensemble):
        loss = None if builder is None else builder.get_search_loss(prepared_run.metric)
        if loss is not None and ("regression" in loss.tasks) == regression:
            return loss
    return None
