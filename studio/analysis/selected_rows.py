"""Expected outcome of rows selected by their predictions."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from studio.analysis.answers.rows import ExpectedOutcome, PredictedRows, UnseenRows
from studio.arrays import Floats, Integers
from studio.data.amounts import are_amounts
from studio.data.intervals.pieces import RowGroups
from studio.data.intervals.resampling import get_units
from studio.data.intervals.sums import HitRates, TotalErrors, TotalEstimate
from studio.data.metrics.base import normalise_rows
from studio.document.store import Document
from studio.ensembles.base import Ensemble, compute_probabilities
from studio.errors import UsageError
from studio.runs.load import load_history
from studio.runs.margins import predict_unseen
from studio.runs.prepare import PreparedRun


def predict_unseen_rows(
    document: Document,
    run_id: int,
    prepared_run: PreparedRun,
    ensemble: Ensemble,
    predict: Callable[[Floats], Floats | None],
) -> UnseenRows:
    """Return out-of-fold predictions of a run's ensemble for its validation rows.

    For classes with rows ordered by time, the test rows are added, as the closest to new rows.

    Args:
        predict: Returns the final models' probabilities (k, C) of rows (k, d), if they have any.
    """
    history = load_history(document, run_id, prepared_run)
    rows, predictions = predict_unseen(
        document, run_id, prepared_run, history, ensemble, combine_members=compute_probabilities
    )
    problem, test = prepared_run.problem, prepared_run.split.test
    if not problem.classes:
        units = prepared_run.get_units(rows)
        return UnseenRows(predictions, problem.y[rows], prepared_run.get_weights(rows), units)
    units = None
    if problem.times is not None:
        shares = predict(problem.X[test]) if test.size else None
        if shares is not None:
            rows, predictions = np.append(rows, test), np.concatenate([predictions, shares])
        units = get_units(rows, times=problem.times)
    by_time = units is not None
    return UnseenRows(
        normalise_rows(predictions),
        problem.y[rows],
        prepared_run.get_weights(rows),
        units if by_time else prepared_run.get_units(rows),
        by_time,
    )


_MAX_CHANCE_SHARE = 0.005
"""Tolerance of a mean over draws, as a share of the interval's width."""

MIN_RATIO = 1.5
"""Ratio of past rates from which their variation is reported."""

_MAX_CHANCE = 0.01
"""Significance level for scores beyond all seen ones."""


@dataclass(frozen=True, eq=False)
class OutcomeEstimator:
    """Computes the expected outcome of selected rows of a table.

    Attributes:
        label: The positive class; empty for numbers.
        unit: The unit of numbers; empty without one.
        n_beyond: Number of rows above ``highest``, if more than chance explains; else 0.
        highest: The highest probability of the unseen rows.
    """

    error_model: HitRates | TotalErrors
    baseline_mean: float
    n_rows: int
    label: str
    lower_bound: float = 0.0
    unit: str = ""
    n_beyond: int = 0
    highest: float = math.inf

    @classmethod
    def learn(cls, rows: PredictedRows, positive_code: int) -> "OutcomeEstimator":
        """Learn from a table's stored unseen rows; raise UsageError if there are none."""
        unseen = rows.unseen_rows
        if unseen is None:
            raise UsageError(rows.no_estimate_reason)
        model: HitRates | TotalErrors
        if rows.classes:
            scores, hits = unseen.predictions[:, positive_code], unseen.truth == positive_code
            n_later = len(rows.predictions) if unseen.by_time else 0
            model = HitRates.learn(
                scores, hits, unseen.weights, units=unseen.units, n_later=n_later
            )
        else:
            truth = unseen.truth.astype(np.float64)
            model = TotalErrors.learn(unseen.predictions, truth, unseen.weights, units=unseen.units)
        all_pieces = RowGroups.from_predictions(rows.get_ranking_scores(positive_code))
        n_rows = len(rows.predictions)
        mean_outcome = float(model.draw(all_pieces).mean()) / n_rows
        if rows.classes:
            return cls(
                model,
                mean_outcome,
                n_rows,
                rows.classes[positive_code],
                n_beyond=count_beyond(rows.get_ranking_scores(positive_code), scores),
                highest=float(scores.max()),
            )
        lower_bound = 0.0 if are_amounts(unseen.truth) else -np.inf
        return cls(model, mean_outcome, n_rows, "", lower_bound, rows.unit)

    def estimate_outcome(self, row_groups: RowGroups) -> ExpectedOutcome:
        """Return the expected outcome of selected rows."""
        count, outcome = (
            int(row_groups.counts.sum()),
            TotalEstimate.from_draws(self.error_model.draw(row_groups)),
        )
        low, high = max(outcome.low, self.lower_bound), max(outcome.high, self.lower_bound)
        summed = float(row_groups.counts @ row_groups.means)
        is_noise = abs(outcome.mean - summed) <= _MAX_CHANCE_SHARE * (outcome.high - outcome.low)
        mean = summed if is_noise else outcome.mean
        shift = self.error_model.shift if isinstance(self.error_model, HitRates) else None
        has_varied = shift is not None and shift.highest >= MIN_RATIO * shift.lowest
        lowest, highest = (shift.lowest, shift.highest) if shift and has_varied else (0.0, 0.0)
        return ExpectedOutcome(
            count,
            mean,
            low,
            high,
            outcome.coverage,
            mean if count == self.n_rows else count * self.baseline_mean,
            self.label,
            summed=summed,
            unit=self.unit,
            lowest=lowest,
            highest=highest,
            beyond=self.n_beyond if row_groups.means.max() > self.highest else 0,
        )


def count_beyond(new: Floats, known_scores: Floats) -> int:
    """Return how many new scores, (n,), exceed all known ones, (m,); 0 if explained by chance.

    For exchangeable rows, the highest k of n + m are all new with a probability of
    n/(n + m) · (n − 1)/(n + m − 1) · … (Rosenbaum's test).
    """
    count = int((new > known_scores.max()).sum())
    offsets = np.arange(count)
    chance = np.prod((len(new) - offsets) / (len(new) + len(known_scores) - offsets))
    return count if chance < _MAX_CHANCE else 0


def select_first_rows(rows: PredictedRows, count: int, positive_code: int) -> Integers:
    """Return the top-ranked rows, shape (count,): most probable, or largest, first."""
    return np.argsort(-rows.get_ranking_scores(positive_code), kind="stable")[:count]


def make_row_groups(rows: PredictedRows, indices: Integers, positive_code: int) -> RowGroups:
    """Return selected rows, shape (k,), as input of the expected outcome."""
    groups = None if rows.unit_codes is None else rows.unit_codes[indices]
    return RowGroups.from_predictions(rows.get_ranking_scores(positive_code)[indices], groups)
