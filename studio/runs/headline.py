"""How good a run's ensemble is in plain words: on the test rows, else on the validation rows."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data.balance import rarer_class
from studio.data.metrics.base import predicted_labels
from studio.data.metrics.plain import PlainScore, score_classes, score_values
from studio.data.metrics.registry import metric_for
from studio.data.ranking import confused_classes, rank_rows
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
    guesses = _guesses(prepared, ())[test]
    score = _score(prepared, predictions, guesses, test)
    same = np.eye(problem.n_classes)[guesses.astype(np.int64)] if problem.classes else guesses
    counted = prepared.metric
    if counted.plain:
        counted = metric_for("error" if problem.classes else "mae", problem.task)
    apart = test_difference(prepared, predictions, same, counted)
    return replace(score, tested=True, beyond_chance=None if apart is None else apart[1] < 0.0)


def validation_headline(prepared: Prepared, seed: int, predictions: AnyArray) -> PlainScore:
    """Return how good predictions are of rows that the search has scored trials on.

    Args:
        seed: Of a trial that they are of, by which its rows were drawn where they are its own.
        predictions: Shape (n, C) or (n,). Of ``prepared.scored_rows(seed)``.
    """
    rows = prepared.scored_rows(seed)
    guesses = _guesses(prepared, prepared.data().folds_of(seed))[rows]
    return _score(prepared, predictions, guesses, rows)


def _score(
    prepared: Prepared, predictions: AnyArray, guesses: Floats, rows: Integers
) -> PlainScore:
    """Return the score of predictions, shape (n, C) or (n,), and guesses of rows, (n,) each."""
    problem, weights = prepared.problem, prepared.weights_of(rows)
    truth = problem.y[rows]
    unread = prepared.unread
    if not problem.classes:
        values = score_values(truth, predictions, guesses, weights, prepared.metric)
        return replace(values, unread=unread)
    found = replace(score_classes(truth, predictions, guesses, weights), unread=unread)
    labels = [str(each) for each in problem.classes]
    if weights is not None:
        return found
    if len(labels) > 2:
        answers = predicted_labels(predictions)
        return replace(found, confused=confused_classes(truth.astype(np.int64), answers, labels))
    code, units = rarer_class(problem.y), prepared.units_of(rows)
    ranked, other = (
        rank_rows(truth == each, predictions[:, each], labels[each], units)
        for each in (code, 1 - code)
    )
    return replace(found, ranked=ranked, ranked_other=other)


def _guesses(prepared: Prepared, parts: Parts) -> Floats:
    """Return what each row of the table is guessed to be, shape (N,): a class' code or a value."""
    # Rows that no fold holds out are guessed from all that may be learned from.
    guesses = np.full(len(prepared.problem.y), _constant(prepared, prepared.split.development))
    for training, held in parts:
        guesses[held] = _constant(prepared, training)
    return guesses


def _constant(prepared: Prepared, rows: Integers) -> float:
    """Return the best answer for rows (n,) without columns: the most common class, or a value."""
    best = prepared.best_constant(rows)
    return float(best.argmax() if prepared.problem.classes else best)
