"""Errors of an ensemble row by row, from its stored predictions.

Nothing is trained. The rows are the validation rows or the test rows, with predictions of the final
models, or at earlier iterations of the trials' models.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from studio.analysis.answers.predictions import (
    ALL_CLASSES,
    MAX_LISTED,
    ListedColumn,
    PredictionErrors,
)
from studio.analysis.decision import decide_labels, get_positive_class_code
from studio.analysis.final_test import load_final_test
from studio.analysis.one_row.row_ensemble import make_fields
from studio.analysis.what_if import NO_ENSEMBLE, get_actual_ensemble, make_test_reader
from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.data.column import Column
from studio.data.identifiers import MIN_DISTINCT_SHARE, is_key_name
from studio.data.metrics.base import find_argmax_labels, normalise_rows
from studio.data.metrics.curves import (
    Curve,
    Reliability,
    average_curves,
    compute_confusion,
    compute_precision_recall,
    compute_reliability,
    compute_roc,
    thin_curve,
)
from studio.data.pixels import find_pixels
from studio.data.shared_information import rank_columns_by_target
from studio.data.table import Table
from studio.document.decision import Decision
from studio.document.store import Document
from studio.ensembles.base import Ensemble, combine, compute_probabilities
from studio.phrases import phrase
from studio.runs.finish import find_best_single
from studio.runs.load import follow, get_final_ensemble, load_selection_predictions
from studio.runs.prepare import PreparedRun
from studio.trial import DIFFERENT_ROWS

Rows = Literal["validation", "test"]

NO_TEST = phrase("This run has no test rows. Look at the validation rows instead.")

MAX_POINTS = 201

MAX_DOTS = 2000
"""Maximum number of rows drawn as dots."""

_MAX_INFORMATIVE_ROWS, _MAX_INFORMATIVE_COLUMNS = 2000, 300
"""Maximum numbers of rows, and of columns from the first on, compared with the target."""

_SEED, _TOLERANCE = 1, 1e-9


@dataclass(frozen=True)
class EvaluatedRows:
    """Predictions of an ensemble, and of the best single trial, for the given rows.

    Attributes:
        truth: Shape (n,). Class codes, or values.
        ensemble_predictions: Shape (n, C) or (n,). The ensemble's predictions.
        probabilities: Shape (n, C) or (n,). Its probabilities, or the same values.
        single_predictions: Shape (n, C) or (n,). The best single trial's predictions; ``None`` if
            it is the only member.
        members: Shape (n, C) or (n,). Each member's predictions.
        trials: Length m. The members' numbers.
        weights: Shape (m,). The members' weights, summing to 1.
        indices: Shape (n,). Each row's index in the matrix.
        numbers: Shape (n,). Each row's number in its table, from 1.
        labels, votes: Shape (n,) and (m, n). The ensemble's class codes, and each member's; empty
            for values.
    """

    truth: AnyArray
    ensemble_predictions: Floats
    probabilities: Floats
    single_predictions: Floats | None
    members: list[AnyArray]
    trials: tuple[int, ...]
    weights: Floats
    indices: Integers
    numbers: Integers
    labels: Integers
    votes: Integers

    @property
    def both_predictions(self) -> list[Floats]:
        """Predictions of the ensemble, and of the best single trial if another: (n, C) or (n,)."""
        single = self.single_predictions
        return [self.ensemble_predictions, *([] if single is None else [single])]

    @cached_property
    def _index_by_number(self) -> dict[int, int]:
        return dict(zip(self.numbers.tolist(), self.indices.tolist(), strict=True))

    def get_indices(self, numbers: Integers) -> Integers:
        """Return the indices of rows with these numbers, (k,)."""
        return np.array([self._index_by_number[each] for each in numbers.tolist()], dtype=np.int64)


def compute_prediction_errors(
    path: Path,
    run_id: int,
    iteration: int,
    rows: Rows,
    about: int | None,
    *,
    decision: tuple[str, float] | None = None,
    columns: tuple[str, ...] = (),
    n_informative: int = 0,
) -> PredictionErrors:
    """Return the errors of a run's ensemble.

    Args:
        about: The class of the curves, or :data:`ALL_CLASSES`; ``None``: the positive class of two
            (:mod:`studio.analysis.decision`), or all of more than two.
        decision: The class and the threshold of the decision that makes the labels, if any.
        columns: The columns to list with the rows.
        n_informative: Without ``columns``, the number of columns to list: those most informative
            about the target.
    """
    with Document.open(path, writable=False) as document:
        prepared, history = follow(document, run_id)
        if not any(trial.number <= iteration for trial in history.succeeded):
            return PredictionErrors(reason=NO_ENSEMBLE)
        if rows == "test" and not prepared.split.test.size:
            return PredictionErrors(reason=NO_TEST)
        ensemble = get_actual_ensemble(prepared, history, iteration)
        best_number = find_best_single(history.take_first(iteration)).number
        if ensemble.members == (best_number,):
            best_number = 0
        if rows == "test":
            predict = make_test_reader(document, run_id, prepared, history)
            indices = prepared.split.test
            row = document.runs.get(run_id)
            if iteration >= len(history) and row.result is not None:
                ensemble = get_final_ensemble(row, prepared, history)
                final_test_models = load_final_test(document, row, prepared, history)
                predict = final_test_models.get_predictions
                if final_test_models.is_refitted and best_number not in ensemble.members:
                    best_number = 0  # its refitted model is not stored
        else:
            chosen_by = load_selection_predictions(document, run_id, prepared, history, ensemble)
            if chosen_by is None:
                return PredictionErrors(reason=DIFFERENT_ROWS)
            indices, predict = chosen_by
            if not history.comparable:
                best_number = 0  # a single trial is evaluated on its own rows
        rule = None if decision is None else Decision(*decision)
        evaluated_rows = _evaluate_rows(
            prepared, ensemble, best_number, predict, indices, decision=rule
        )
        positive_code = get_positive_class_code(document.runs.get(run_id).decision, prepared)
    classes = tuple(str(each) for each in prepared.problem.classes)
    columns = columns or _find_informative_columns(prepared, n_informative)
    common_fields = PredictionErrors(
        members=len(ensemble.members),
        best_single_trial=best_number,
        count=len(indices),
        is_weighted=prepared.problem.weights is not None,
    )
    if not classes:
        errors = _compute_regression_errors(evaluated_rows)
        return replace(
            common_fields,
            unit=prepared.table.target_unit,
            **errors,
            **_list_columns(prepared, evaluated_rows, errors, columns),
        )
    if about is None:
        about = positive_code if len(classes) == 2 else ALL_CLASSES
    errors = _compute_classification_errors(evaluated_rows, len(classes), about)
    return replace(
        common_fields,
        classes=classes,
        curve_class=about,
        listed_pixels=_get_pixels(prepared, evaluated_rows.get_indices(errors["listed_rows"])),
        decision_class=rule.looked_for if rule else "",
        threshold=rule.threshold if rule else math.nan,
        **errors,
        **_list_columns(prepared, evaluated_rows, errors, columns),
    )


def _evaluate_rows(
    prepared_run: PreparedRun,
    ensemble: Ensemble,
    best_number: int,
    predict: Callable[[int], AnyArray],
    indices: Integers,
    *,
    decision: Decision | None,
) -> EvaluatedRows:
    numbers = prepared_run.problem.rows[indices] + 1
    # Rows of a second file are not in the table: they are numbered separately.
    is_other = numbers == 0
    numbers = np.where(is_other, np.cumsum(is_other), numbers)
    combined, probabilities = combine(predict, ensemble), compute_probabilities(predict, ensemble)
    members = [predict(number) for number in ensemble.members]
    labels, votes = np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.int64)
    if classes := prepared_run.problem.classes:
        labels = decide_labels(combined, probabilities, decision, classes)
        votes = np.stack([decide_labels(each, each, decision, classes) for each in members])
    return EvaluatedRows(
        truth=prepared_run.problem.y[indices],
        ensemble_predictions=combined,
        probabilities=probabilities,
        single_predictions=combine(predict, Ensemble.from_single_trial(best_number))
        if best_number
        else None,
        members=members,
        trials=tuple(ensemble.members),
        weights=np.array(ensemble.weights),
        indices=indices,
        numbers=numbers.astype(np.int64),
        labels=labels,
        votes=votes,
    )


def _find_informative_columns(prepared_run: PreparedRun, count: int) -> tuple[str, ...]:
    """Return the names of the columns most informative about the target; none for images."""
    problem, train = prepared_run.problem, prepared_run.split.train
    if not count or find_pixels([column.name for column in prepared_run.table.columns]) is not None:
        return ()
    if len(train) > _MAX_INFORMATIVE_ROWS:
        train = np.random.default_rng(_SEED).choice(train, _MAX_INFORMATIVE_ROWS, replace=False)
    ranked = rank_columns_by_target(
        np.asarray(problem.X[train, :_MAX_INFORMATIVE_COLUMNS], np.float64),
        problem.categorical[:_MAX_INFORMATIVE_COLUMNS],
        problem.y[train],
        is_classification=bool(problem.classes),
    )
    features = problem.make_recipe().features
    return tuple(dict.fromkeys(features[j].column_name for j in ranked.tolist()))[:count]


def _list_columns(
    prepared_run: PreparedRun,
    evaluated_rows: EvaluatedRows,
    errors: dict[str, Any],
    names: tuple[str, ...],
) -> dict[str, Any]:
    """Return the table's identifier, and the named columns, of the listed and the worst rows."""
    worst, listed = (
        _list_columns_of(prepared_run, evaluated_rows.get_indices(errors[key]), names)
        for key in ("worst_rows", "listed_rows")
    )
    return {"worst_columns": worst[0], "listed_columns": listed[0], "has_identifier": worst[1]}


def _list_columns_of(
    prepared_run: PreparedRun, rows: Integers, names: tuple[str, ...]
) -> tuple[tuple[ListedColumn, ...], bool]:
    """Return the columns of rows (w,), and whether the first is their identifier.

    Rows of a second file have no identifiers, as these are not stored.
    """
    table, problem = prepared_run.table, prepared_run.problem
    source_rows = problem.rows[rows]
    identifiers = list_identifiers(table, source_rows) if (source_rows >= 0).all() else []
    fields = {each.column.name: each for each in make_fields(prepared_run, rows)} if names else {}
    features = table.features
    table_columns = [
        ListedColumn(
            name,
            features[fields[name].matrix_columns[0]].number_format.unit,
            tuple(
                fields[name].get_value(table, int(row))
                if row >= 0
                else fields[name].decode(problem.X[table_row], features)
                for row, table_row in zip(source_rows.tolist(), rows.tolist(), strict=True)
            ),
            fields[name].column.decimal,
            fields[name].column.thousands,
        )
        for name in names
        if name in fields
    ]
    return (*identifiers[:1], *table_columns), bool(identifiers)


def list_identifiers(table: Table, rows: Integers) -> list[ListedColumn]:
    """Return the identifiers of a table's rows, (w,), those named as keys first."""
    identifiers = [each for each in table.columns if each.role == "ignore" and _is_identifier(each)]
    identifiers.sort(key=lambda column: not is_key_name(column.name))
    return [_list_values(each, each.values[rows]) for each in identifiers]


def _is_identifier(column: Column) -> bool:
    """Return whether an ignored column identifies rows, of which copies may share a key."""
    n_rows, n_distinct = len(column.values), len(np.unique(column.values))
    may_repeat = column.kind == "category" or is_key_name(column.name)
    return not column.missing and (
        n_distinct > MIN_DISTINCT_SHARE * n_rows if may_repeat else n_distinct == n_rows
    )


def _list_values(column: Column, values: AnyArray) -> ListedColumn:
    """Return a column with these values, (w,); numbers as text: identifiers are not grouped."""
    if column.kind == "category":
        return ListedColumn(column.name, values=tuple(column.categories[each] for each in values))
    return ListedColumn(column.name, values=tuple(f"{each:.15g}" for each in values.tolist()))


def _get_pixels(prepared_run: PreparedRun, rows: Integers) -> AnyArray:
    """Return rows (r,) as images, (r, height, width), 0 to 255; empty if they are not images."""
    problem = prepared_run.problem
    names = [column.name for column in prepared_run.table.columns]
    shape = find_pixels(names)
    if shape is None or problem.categorical.any():
        return np.empty((0, 0, 0), dtype=np.uint8)
    position_by_name = dict(zip(names, shape.positions.tolist(), strict=True))
    used = [
        (j, position_by_name[name])
        for j, name in enumerate(problem.feature_names)
        if position_by_name[name] >= 0
    ]
    columns, positions = ([each[axis] for each in used] for axis in (0, 1))
    low, high = (find(problem.X[:, columns]) for find in (np.nanmin, np.nanmax))
    shades = np.nan_to_num((problem.X[rows][:, columns] - low) / ((high - low) or 1.0))
    pixels = np.zeros((len(rows), shape.height * shape.width), dtype=np.uint8)
    pixels[:, positions] = np.round(255 * shades)
    return pixels.reshape(len(rows), shape.height, shape.width)


# Classification ---------------------------------------------------------------------------


def _compute_classification_errors(
    evaluated_rows: EvaluatedRows, n_classes: int, class_code: int
) -> dict[str, Any]:
    truth, predicted_classes = evaluated_rows.truth, evaluated_rows.labels
    votes, others = evaluated_rows.votes, evaluated_rows.both_predictions[1:]
    is_guessing = _find_guessing_members(truth, votes)
    agreeing_weight = np.round(evaluated_rows.weights @ (votes == predicted_classes), 12)
    row_order = np.lexsort((evaluated_rows.numbers, agreeing_weight))[:MAX_LISTED]
    row_order = row_order[agreeing_weight[row_order] < 1.0]
    of_truth = normalise_rows(evaluated_rows.probabilities)[np.arange(len(truth)), truth]
    worst = _limit_cells(
        np.lexsort((evaluated_rows.numbers, of_truth)), n_classes * truth + predicted_classes
    )
    errors: dict[str, Any] = {
        "confusion": compute_confusion(truth, predicted_classes, n_classes),
        "listed_rows": evaluated_rows.numbers[row_order],
        "listed_truth": truth[row_order],
        "listed_predicted": predicted_classes[row_order],
        "listed_spread": agreeing_weight[row_order],
        "worst_rows": evaluated_rows.numbers[worst],
        "worst_truth": truth[worst],
        "worst_predicted": predicted_classes[worst],
        "worst_share": of_truth[worst],
        "listed_dissenters": _find_dissenting_members(
            evaluated_rows, votes[:, row_order] != predicted_classes[row_order]
        ),
        "listed_runner_up": _find_strongest_dissent(
            votes[:, row_order],
            predicted_classes[row_order],
            np.where(is_guessing, 1e-6, 1.0) * evaluated_rows.weights,
            n_classes,
        ),
        "guessing_members": tuple(np.array(evaluated_rows.trials)[is_guessing].tolist()),
    }
    both_probabilities = [evaluated_rows.probabilities, *others]
    for name, make, steps in (
        ("roc", compute_roc, False),
        ("precision", compute_precision_recall, True),
    ):
        errors[name] = tuple(
            _make_curve(truth, each, class_code, make, is_step_function=steps)
            for each in both_probabilities
        )
    labels = [predicted_classes, *(find_argmax_labels(each) for each in others)]
    errors["reliability"] = tuple(
        _compute_reliability(truth, predicted_classes, class_shares, class_code)
        for predicted_classes, class_shares in zip(labels, both_probabilities, strict=True)
    )
    return errors


def _find_guessing_members(truth: Integers, votes: Integers) -> Flags:
    """Return which members, votes (m, n), have no better mean recall than a constant, (m,)."""
    classes_present = np.unique(truth)
    is_right = votes == truth
    recalls = np.stack([is_right[:, truth == code].mean(axis=1) for code in classes_present])
    is_guessing: Flags = recalls.mean(axis=0) <= 1.0 / len(classes_present) + _TOLERANCE
    return is_guessing


def _limit_cells(order: Integers, cells: Integers) -> Integers:
    """Return rows in order, at most :data:`MAX_LISTED` per cell; each row's cell, shape (n,)."""
    by_cell = np.argsort(cells[order], kind="stable")
    sorted_cells = cells[order][by_cell]
    rank_in_cell = np.arange(len(order)) - np.searchsorted(sorted_cells, sorted_cells)
    return order[np.sort(by_cell[rank_in_cell < MAX_LISTED])]


def _make_curve(
    truth: Integers,
    class_shares: Floats,
    class_code: int,
    make: Callable[[Flags, Floats], Curve],
    *,
    is_step_function: bool,
) -> Curve:
    if class_code != ALL_CLASSES:
        return thin_curve(
            make(truth == class_code, class_shares[:, class_code].astype(np.float64)), MAX_POINTS
        )
    classes_present = np.unique(truth)
    curves = [
        make(truth == code, class_shares[:, code].astype(np.float64)) for code in classes_present
    ]
    return average_curves(curves, MAX_POINTS - 1, is_step_function=is_step_function)


def _compute_reliability(
    truth: Integers, predicted_classes: Integers, class_shares: Floats, class_code: int
) -> Reliability:
    normalised = normalise_rows(class_shares)
    if class_code != ALL_CLASSES:
        return compute_reliability(truth == class_code, normalised[:, class_code])
    return compute_reliability(
        truth == predicted_classes, normalised[np.arange(len(truth)), predicted_classes]
    )


def _find_dissenting_members(
    evaluated_rows: EvaluatedRows, disagrees: Flags
) -> tuple[tuple[int, ...], ...]:
    """Return the trials of the members with another prediction, shape (m, r), by row."""
    order = np.argsort(-evaluated_rows.weights, kind="stable").tolist()
    return tuple(
        tuple(evaluated_rows.trials[index] for index in order if row[index]) for row in disagrees.T
    )


def _find_strongest_dissent(
    votes: Integers, predicted_classes: Integers, weights: Floats, n_classes: int
) -> Integers:
    """Return the heaviest prediction that differs from the ensemble's, -1 for none, shape (r,)."""
    count = len(predicted_classes)
    vote_shares = np.zeros((count, n_classes))
    for vote, weight in zip(votes, weights, strict=True):
        vote_shares[np.arange(count), vote] += weight
    vote_shares[np.arange(count), predicted_classes] = 0.0
    return np.where(vote_shares.max(axis=1, initial=0.0) > 0, vote_shares.argmax(axis=1), -1)


# Regression -------------------------------------------------------------------------------


def _compute_regression_errors(evaluated_rows: EvaluatedRows) -> dict[str, Any]:
    truth = evaluated_rows.truth.astype(np.float64)
    members = np.stack([each.astype(np.float64) for each in evaluated_rows.members])
    spread = np.sqrt(evaluated_rows.weights @ np.square(members - evaluated_rows.weights @ members))
    row_order = np.lexsort((evaluated_rows.numbers, -spread))[:MAX_LISTED]
    row_order = row_order[spread[row_order] > 0]
    count = len(truth)
    dots = np.arange(count)
    if count > MAX_DOTS:
        sampled = np.random.default_rng(_SEED).choice(count, MAX_DOTS, replace=False)
        dots = np.sort(sampled)
    residuals = np.stack(
        [each.astype(np.float64) - truth for each in evaluated_rows.both_predictions]
    )
    worst = np.lexsort((evaluated_rows.numbers, -np.abs(residuals[0])))[:MAX_LISTED]
    total = float(np.square(truth - truth.mean()).sum())
    squares = np.square(residuals)
    r2 = 1.0 - squares.sum(axis=1) / total if total > 0 else np.full(len(residuals), np.nan)
    return {
        "listed_rows": evaluated_rows.numbers[row_order],
        "listed_truth": truth[row_order],
        "listed_predicted": evaluated_rows.ensemble_predictions[row_order].astype(np.float64),
        "listed_spread": spread[row_order],
        "listed_runner_up": np.full(len(row_order), np.nan),
        "worst_rows": evaluated_rows.numbers[worst],
        "worst_truth": truth[worst],
        "worst_predicted": evaluated_rows.ensemble_predictions[worst].astype(np.float64),
        "worst_share": np.full(len(worst), np.nan),
        "dot_rows": evaluated_rows.numbers[dots],
        "dots_truth": truth[dots],
        "dots_predicted": evaluated_rows.ensemble_predictions[dots].astype(np.float64),
        "rmse": np.sqrt(squares.mean(axis=1)),
        "mae": np.abs(residuals).mean(axis=1),
        "r2": r2,
    }
