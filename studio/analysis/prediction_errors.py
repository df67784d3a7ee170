"""Errors of an ensemble row by row, from its stored predictions.

Nothing is trained. The rows are the validation rows, or the test rows as the final models predicted
them; at earlier iterations as the trials' own models did.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from studio.analysis.answers.predictions import ALL, PredictionErrors
from studio.analysis.decision import positive_class_code
from studio.analysis.final_test import final_test
from studio.analysis.what_if import NO_ENSEMBLE, actual_ensemble, stored_test
from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.data.metrics.base import normalise_rows, predicted_labels
from studio.data.metrics.curves import (
    Curve,
    Reliability,
    confusion,
    macro_average,
    precision_recall,
    reliability,
    roc,
    thin_curve,
)
from studio.data.pixels import find_pixels
from studio.document.store import Document
from studio.ensembles.base import Ensemble, combine, probabilities
from studio.phrases import phrase
from studio.runs.finish import best_single
from studio.runs.load import final_ensemble, follow, scored_predictions
from studio.runs.prepare import PreparedRun
from studio.trial import DIFFERENT_ROWS

Rows = Literal["validation", "test"]

NO_TEST = phrase("This run keeps no test rows. Look at the validation rows instead.")

MAX_POINTS = 201
"""Maximum number of points of a curve."""

MAX_DOTS = 2000
"""Maximum number of rows drawn as dots."""

MAX_LISTED = 200
"""Maximum number of listed rows: of the largest disagreement, and of the most wrong."""

BARS = 40
"""Number of bins of the residuals' histogram."""

_SEED = 1


@dataclass(frozen=True)
class EvaluatedRows:
    """Predictions of an ensemble, and of the best single trial, for some rows.

    Attributes:
        truth: Shape (n,). Class codes, or values.
        together: Shape (n, C) or (n,). The ensemble's predictions.
        sure: Shape (n, C) or (n,). Its probabilities, or the same values.
        alone: Shape (n, C) or (n,). The best single trial's; ``None`` if it is all of the ensemble.
        members: Shape (n, C) or (n,). Each member's.
        trials: Length m. The members' numbers.
        weights: Shape (m,). The members', summing to 1.
        numbers: Shape (n,). Each row's number in its table, from 1.
    """

    truth: AnyArray
    together: Floats
    sure: Floats
    alone: Floats | None
    members: list[AnyArray]
    trials: tuple[int, ...]
    weights: Floats
    numbers: Integers


def prediction_errors(
    path: Path, run_id: int, iteration: int, rows: Rows, about: int | None
) -> PredictionErrors:
    """Return the errors of a run's ensemble.

    Args:
        iteration: The ensemble's; nothing later is used.
        about: The class of the curves, or :data:`ALL`; ``None``: of two classes the positive one
            (:mod:`studio.analysis.decision`), or all of more.
    """
    with Document.open(path, writable=False) as document:
        prepared, history = follow(document, run_id)
        if not any(trial.number <= iteration for trial in history.succeeded):
            return PredictionErrors(reason=NO_ENSEMBLE)
        if rows == "test" and not prepared.split.test.size:
            return PredictionErrors(reason=NO_TEST)
        ensemble = actual_ensemble(prepared, history, iteration)
        single = best_single(history.prefix(iteration)).number
        if ensemble.members == (single,):
            single = 0
        if rows == "test":
            predicted, places = (
                stored_test(document, run_id, prepared, history),
                prepared.split.test,
            )
            row = document.runs.get(run_id)
            if iteration >= len(history) and row.result is not None:
                ensemble = final_ensemble(row, prepared, history)
                final = final_test(document, row, prepared, history)
                predicted = final.predictions_of
                if final.refitted and single not in ensemble.members:
                    single = 0  # its refitted model is not stored
        elif history.comparable:
            predicted, places = history.predictions, prepared.split.validation
        elif len(ensemble.members) == 1:
            # A single trial can be evaluated on its own rows.
            only = ensemble.members[0]
            single = 0
            seed = history.trials[only - 1].seed
            places = prepared.scored_rows(seed)
            kept = scored_predictions(document, run_id, only, prepared, seed)
            predicted = {only: kept}.__getitem__
        else:
            return PredictionErrors(reason=DIFFERENT_ROWS)
        judged = _evaluate_rows(prepared, ensemble, single, predicted, places)
        looked_for = positive_class_code(document.runs.get(run_id).decision, prepared)
    classes = tuple(str(each) for each in prepared.problem.classes)
    both = [judged.together] if judged.alone is None else [judged.together, judged.alone]
    common = PredictionErrors(members=len(ensemble.members), single=single, count=len(places))
    if not classes:
        unit = prepared.table.target_unit
        return replace(common, unit=unit, **_regression_errors(judged, both))
    if about is None:
        about = looked_for if len(classes) == 2 else ALL
    found = _classification_errors(judged, both, len(classes), about)
    by_number = dict(zip(judged.numbers.tolist(), places.tolist(), strict=True))
    listed = [by_number[number] for number in found["listed"].tolist()]
    pixels = _pixels(prepared, np.array(listed, dtype=np.int64))
    return replace(common, classes=classes, about=about, listed_pixels=pixels, **found)


def _evaluate_rows(
    prepared: PreparedRun,
    ensemble: Ensemble,
    single: int,
    predicted: Callable[[int], AnyArray],
    places: Integers,
) -> EvaluatedRows:
    numbers = prepared.problem.rows[places] + 1
    # Rows of a second file are not in the table: they are numbered separately.
    other = numbers == 0
    numbers = np.where(other, np.cumsum(other), numbers)
    return EvaluatedRows(
        truth=prepared.problem.y[places],
        together=combine(predicted, ensemble),
        sure=probabilities(predicted, ensemble),
        alone=combine(predicted, Ensemble.alone(single)) if single else None,
        members=[predicted(number) for number in ensemble.members],
        trials=tuple(ensemble.members),
        weights=np.array(ensemble.weights),
        numbers=numbers.astype(np.int64),
    )


def _pixels(prepared: PreparedRun, rows: Integers) -> AnyArray:
    """Return the rows (r,) as images, (r, height, width), 0 to 255; empty if they are none.

    Columns that are not used, such as those of a corner that is always empty, count as 0.
    """
    problem = prepared.problem
    names = [column.name for column in prepared.table.columns]
    shape = find_pixels(names)
    if shape is None or problem.categorical.any():
        return np.empty((0, 0, 0), dtype=np.uint8)
    place = dict(zip(names, shape.places.tolist(), strict=True))
    used = [(j, place[name]) for j, name in enumerate(problem.feature_names) if place[name] >= 0]
    columns, places = ([each[axis] for each in used] for axis in (0, 1))
    low, high = (find(problem.X[:, columns]) for find in (np.nanmin, np.nanmax))
    shades = np.nan_to_num((problem.X[rows][:, columns] - low) / ((high - low) or 1.0))
    found = np.zeros((len(rows), shape.height * shape.width), dtype=np.uint8)
    found[:, places] = np.round(255 * shades)
    return found.reshape(len(rows), shape.height, shape.width)


# Classification ---------------------------------------------------------------------------


def _classification_errors(
    judged: EvaluatedRows, both: list[Floats], n_classes: int, about: int
) -> dict[str, Any]:
    truth, answers = judged.truth, predicted_labels(judged.together)
    votes = np.stack([each.argmax(axis=1) for each in judged.members])
    agree = np.round(judged.weights @ (votes == answers), 12)
    listed = np.lexsort((judged.numbers, agree))[:MAX_LISTED]
    listed = listed[agree[listed] < 1.0]
    of_truth = normalise_rows(judged.sure)[np.arange(len(truth)), truth]
    worst = np.lexsort((judged.numbers, of_truth))
    worst = worst[answers[worst] != truth[worst]][:MAX_LISTED]
    found: dict[str, Any] = {
        "confusion": confusion(truth, answers, n_classes),
        "listed": judged.numbers[listed],
        "listed_truth": truth[listed],
        "listed_predicted": answers[listed],
        "listed_spread": agree[listed],
        "worst": judged.numbers[worst],
        "worst_truth": truth[worst],
        "worst_predicted": answers[worst],
        "worst_share": of_truth[worst],
        "listed_wrong": _find_dissenting_members(judged, votes[:, listed] != answers[listed]),
        "listed_other": _find_strongest_dissent(
            votes[:, listed], answers[listed], judged.weights, n_classes
        ),
    }
    chances = [judged.sure, *both[1:]]
    for name, make, steps in (("roc", roc, False), ("precision", precision_recall, True)):
        found[name] = tuple(_curve(truth, each, about, make, steps=steps) for each in chances)
    labels = [predicted_labels(each) for each in both]
    found["reliability"] = tuple(
        _reliability(truth, answers, shares, about)
        for answers, shares in zip(labels, chances, strict=True)
    )
    return found


def _curve(
    truth: Integers,
    shares: Floats,
    about: int,
    make: Callable[[Flags, Floats], Curve],
    *,
    steps: bool,
) -> Curve:
    if about != ALL:
        return thin_curve(make(truth == about, shares[:, about].astype(np.float64)), MAX_POINTS)
    there = np.unique(truth)
    curves = [make(truth == code, shares[:, code].astype(np.float64)) for code in there]
    return macro_average(curves, MAX_POINTS - 1, steps=steps)


def _reliability(truth: Integers, answers: Integers, shares: Floats, about: int) -> Reliability:
    chances = normalise_rows(shares)
    if about != ALL:
        return reliability(truth == about, chances[:, about])
    return reliability(truth == answers, chances[np.arange(len(truth)), answers])


def _find_dissenting_members(
    judged: EvaluatedRows, otherwise: Flags
) -> tuple[tuple[int, ...], ...]:
    """Return the trials of the members with another prediction, shape (m, r), by row."""
    order = np.argsort(-judged.weights, kind="stable").tolist()
    return tuple(
        tuple(judged.trials[place] for place in order if row[place]) for row in otherwise.T
    )


def _find_strongest_dissent(
    votes: Integers, answers: Integers, weights: Floats, n_classes: int
) -> Integers:
    """Return the heaviest prediction other than the ensemble's, -1 if all agree, shape (r,)."""
    count = len(answers)
    shares = np.zeros((count, n_classes))
    for vote, weight in zip(votes, weights, strict=True):
        shares[np.arange(count), vote] += weight
    shares[np.arange(count), answers] = 0.0
    return np.where(shares.max(axis=1, initial=0.0) > 0, shares.argmax(axis=1), -1)


# Regression -------------------------------------------------------------------------------


def _regression_errors(judged: EvaluatedRows, both: list[Floats]) -> dict[str, Any]:
    truth = judged.truth.astype(np.float64)
    members = np.stack([each.astype(np.float64) for each in judged.members])
    spread = np.sqrt(judged.weights @ np.square(members - judged.weights @ members))
    listed = np.lexsort((judged.numbers, -spread))[:MAX_LISTED]
    listed = listed[spread[listed] > 0]
    count = len(truth)
    dots = np.arange(count)
    if count > MAX_DOTS:
        drawn = np.random.default_rng(_SEED).choice(count, MAX_DOTS, replace=False)
        dots = np.sort(drawn)
    residuals = np.stack([each.astype(np.float64) - truth for each in both])
    worst = np.lexsort((judged.numbers, -np.abs(residuals[0])))[:MAX_LISTED]
    reach = 1.02 * float(np.abs(residuals).max()) or 1.0
    edges = np.linspace(-reach, reach, BARS + 1)
    total = float(np.square(truth - truth.mean()).sum())
    squares = np.square(residuals)
    r2 = 1.0 - squares.sum(axis=1) / total if total > 0 else np.full(len(both), np.nan)
    return {
        "listed": judged.numbers[listed],
        "listed_truth": truth[listed],
        "listed_predicted": judged.together[listed].astype(np.float64),
        "listed_spread": spread[listed],
        "listed_other": np.full(len(listed), np.nan),
        "worst": judged.numbers[worst],
        "worst_truth": truth[worst],
        "worst_predicted": judged.together[worst].astype(np.float64),
        "worst_share": np.full(len(worst), np.nan),
        "dots": judged.numbers[dots],
        "dots_truth": truth[dots],
        "dots_predicted": judged.together[dots].astype(np.float64),
        "edges": edges,
        "bars": np.stack([np.histogram(each, bins=edges)[0] for each in residuals]),
        "rmse": np.sqrt(squares.mean(axis=1)),
        "mae": np.abs(residuals).mean(axis=1),
        "r2": r2,
    }
