"""How good a run's ensemble is in plain words: on the test rows, else on the validation rows."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data.metrics.plain import PlainScore, score_classes, score_values
from studio.data.metrics.registry import metric_for
from studio.runs.prepare import Prepared
from studio.runs.uncertainty import test_difference

Parts = Sequence[tuple[Integers, Integers]]
"""Rows that were learned from, and the rows that are guessed from those."""


def tested_headline(prepared: Prepared, predictions: AnyArray) -> PlainScore:
    """Return how good predictions of the test rows, shape (n, C) or (n,), are.

    What is more than chance is told by the interval of the difference on the same rows: of classes
    McNemar's exact test (decision 39).
    """
    problem, test = prepared.problem, prepared.split.test
    score = _score(prepared, (), predictions, test)
    constant = _constant(prepared, prepared.split.development)
    guess = np.full(len(test), constant)
    if problem.classes:
        guess = np.eye(len(problem.classes))[guess.astype(np.int64)]
    counted = metric_for("error" if problem.classes else "mae", problem.task)
    apart = test_difference(prepared, predictions, guess, counted)
    return replace(score, tested=True, beyond_chance=None if apart is None else apart[1] < 0.0)


def validation_headline(prepared: Prepared, seed: int, predictions: AnyArray) -> PlainScore:
    """Return how good predictions are of rows that the search has scored trials on.

    Parameters
    ----------
    seed : int
        Of a trial that they are of, by which its rows were drawn where they are its own.
    predictions : array, shape (n, C) or (n,)
        Of ``prepared.scored_rows(seed)``.
    """
    parts = prepared.data().folds_of(seed)
    return _score(prepared, parts, predictions, prepared.scored_rows(seed))


def _score(prepared: Prepared, parts: Parts, predictions: AnyArray, rows: Integers) -> PlainScore:
    """Return the score of predictions, shape (n, C) or (n,), of rows (n,)."""
    problem = prepared.problem
    # Rows that no fold holds out are guessed from all that may be learned from.
    guesses = np.full(len(problem.y), _constant(prepared, prepared.split.development))
    for training, held in parts:
        guesses[held] = _constant(prepared, training)
    score = score_classes if problem.classes else score_values
    return score(problem.y[rows], predictions, guesses[rows], prepared.weights_of(rows))


def _constant(prepared: Prepared, rows: Integers) -> float:
    """Return the answer that looks at no column: the most common class' code, or the mean."""
    problem = prepared.problem
    weights: Floats | None = prepared.weights_of(rows)
    if weights is not None and not weights.any():
        weights = None
    if not problem.classes:
        return float(np.average(problem.y[rows], weights=weights))
    counts = np.bincount(problem.y[rows].astype(np.int64), weights, len(problem.classes))
    return float(counts.argmax())
