"""Predictions for a new table, by the same estimator as in the pickle."""

import pickle
import shlex
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import bdtrc

from studio.analysis.decision import get_positive_class_code
from studio.analysis.new_rows import compare_new_rows
from studio.analysis.number_phrases import format_loss_phrase
from studio.analysis.prediction_digits import choose_saved_decimals, count_observed_decimals
from studio.analysis.selected_rows import predict_unseen_rows
from studio.analysis.selected_rows_text import CAUTION
from studio.arrays import AnyArray, Floats, Integers
from studio.data.dates import format_date
from studio.data.duplicates import are_rows_among
from studio.data.names import describe_spelling, match
from studio.data.read_options import ReadOptions
from studio.data.reading import RawTable, read
from studio.data.recipe import EncodedTable, Recipe, check_columns_present, describe_absent_columns
from studio.document.store import Document
from studio.errors import DataError, ExportError, StudioError
from studio.export.bundle import get_amounts, get_decision_notes, get_target_format, read_metadata
from studio.export.estimator import TrainedEnsemble, train
from studio.export.members import predict_with_probabilities
from studio.export.observed import compare_with_targets
from studio.export.predictions import PredictedTable, TablePredictions, compute_intervals
from studio.export.progress import PREDICTING, SILENT_REPORTER, ProgressReporter
from studio.phrases import count_phrase, join_phrases, join_quoted, phrase
from studio.runs.load import get_final_ensemble, load_history
from studio.runs.margins import are_votes, check_interval
from studio.runs.prepare import PreparedRun, prepare
from studio.runs.table_files import get_training_options, read_prediction_file

CHUNK_ROWS = 20_000


def predict_table(
    document: Document,
    run_id: int,
    path: Path,
    reading: ReadOptions | None = None,
    *,
    interval: float | None = None,
    progress: ProgressReporter = SILENT_REPORTER,
    trial: int | None = None,
    with_expected_outcome: bool = False,
) -> TablePredictions:
    """Predict every row of a file with a run's ensemble, training it if necessary.

    Args:
        path: Read like the training file, unless ``reading`` or a better match differs
            (:func:`studio.runs.table_files.read_prediction_file`).
        interval: The coverage of an interval around each value, in (0, 1).
        with_expected_outcome: Whether to collect predictions of unseen rows for the expected
            outcome; not for a single trial, which was selected on those rows.

    Raises:
        DataError: If the file cannot be read, or all rows are equal because of missing columns.
        UsageError: If an interval is requested for classes, or with an invalid probability.
    """
    options = get_training_options(document, run_id) if reading is None else reading
    # An unpredictable file is rejected before training.
    prepared_run = prepare(document, run_id)
    if interval is not None:
        check_interval(
            interval, prepared_run.problem, is_voting=_is_vote(document, run_id, prepared_run)
        )
    if interval is not None and trial is not None:
        raise ExportError(
            "Intervals are those of the ensemble. Leave out the interval, or the trial."
        )
    recipe = prepared_run.problem.make_recipe()
    weight_column = prepared_run.table.get_single_column("weight")
    # The weights, to judge the predictions.
    needed = () if weight_column is None else (weight_column.sources,)
    file_fit = read_prediction_file(
        path, recipe, options, are_options_fixed=reading is not None, needed=needed
    )
    trained = train(
        document,
        run_id,
        progress=progress,
        trial=trial,
        prepared_run=prepared_run,
        only_to_predict=True,
    )
    classes = trained.prepared_run.problem.classes
    try:
        values, shares = _predict_in_chunks(trained.pipeline, file_fit.encoded.X, classes, progress)
    except StudioError:
        raise
    except Exception as error:
        if not trained.is_from_document:
            raise
        raise ExportError(
            "The stored ensemble is damaged: it cannot predict ({error}). Refit it: studio refit, "
            "or “Refit the members” in the window.",
            error=error,
        ) from error
    encoded, losses = file_fit.encoded, EmptiedLosses(trained.pipeline, prepared_run)
    rows, answers = np.nan_to_num(encoded.X), values if shares is None else shares
    rows_differ = bool((rows != rows[0]).any())
    _check_predictions_differ(answers, encoded.missing_columns, path, differ=rows_differ)
    missing_note = describe_missing_columns(losses, encoded)
    fit_notes = [
        missing_note if note == encoded.missing_columns_note else note for note in file_fit.notes
    ]
    deciding_columns = find_deciding_columns(losses, encoded)
    no_forecast_note = describe_deciding_columns(deciding_columns)
    notes = [*prepared_run.overruled, *fit_notes, *trained.notes]
    intervals = None
    if interval is not None and deciding_columns:
        no_forecast_note = join_phrases((no_forecast_note, NO_VALID_INTERVALS))
    elif interval is not None:
        intervals, interval_note = compute_intervals(document, run_id, trained, values, interval)
        notes += [interval_note] if interval_note else []
    observed = compare_with_targets(prepared_run, file_fit.raw, answers)
    known_rows_note = _describe_known_rows(prepared_run, file_fit.encoded.X)
    probability_note = prepared_run.probability_note
    notes += filter(None, (probability_note, known_rows_note, no_forecast_note, observed.note))
    new_row_report = compare_new_rows(prepared_run, file_fit.encoded)
    decimals, unit = None, prepared_run.table.target_unit
    if not classes:
        observed_decimals = count_observed_decimals(prepared_run.problem.y)
        decimals = choose_saved_decimals(values, observed_decimals, unit)
    raw = recipe.with_training_formats(file_fit.raw)
    predictions = TablePredictions(
        values,
        shares,
        classes,
        tuple(notes),
        PredictedTable.from_raw_table(raw, prepared_run.table.decimal),
        intervals,
        new_row_report,
        raw,
        encoded.X,
        missing_columns_note=missing_note,
        caution=describe_unseen_dates(prepared_run, encoded)
        or (CAUTION if new_row_report.conclusion or encoded.unused else ""),
        unit_codes=_get_resampling_units(prepared_run, file_fit.raw),
        positive_code=_get_positive_code(document, run_id, prepared_run),
        unit=unit,
        deciding_columns=deciding_columns,
        decimals=decimals,
        observed=observed.values,
        observed_note=observed.note,
        target=prepared_run.problem.target_name,
        probability_note=probability_note,
    )
    if deciding_columns:
        return replace(predictions, no_estimate_reason=no_forecast_note)
    if with_expected_outcome:
        return _add_expected_outcome(document, run_id, trained, predictions)
    return predictions


_MIN_KNOWN_EXCESS = 0.5
"""Minimum excess of the share of known rows over that in the test rows for a note."""


def _describe_known_rows(prepared_run: PreparedRun, X: Floats) -> str:
    """Return a note if most rows of a matrix, (n, d), are training rows of the models."""
    split, X_training = prepared_run.split, prepared_run.problem.X
    is_known = are_rows_among(X, X_training[split.development])
    test = are_rows_among(X_training[split.test], X_training[split.development])
    usual_share = float(test.mean()) if len(test) else 0.0
    if float(is_known.mean()) <= usual_share + _MIN_KNOWN_EXCESS * (1.0 - usual_share):
        return ""
    if len(X) == 1:
        return phrase(
            "The row is one of the training rows, so its prediction looks more certain than that "
            "of a new row."
        )
    return count_phrase(
        "1 of {n_rows:,} rows is a training row, so its prediction looks more certain than that of "
        "a new row.",
        "{count:,} of {n_rows:,} rows are training rows, so their predictions look more certain "
        "than those of new rows.",
        int(is_known.sum()),
        n_rows=len(X),
    )


NOT_FOR_TRIALS = phrase(
    "Expected totals are available for the ensemble only: a single trial was selected on the rows "
    "needed to estimate them."
)


def _add_expected_outcome(
    document: Document, run_id: int, ensemble: TrainedEnsemble, predictions: TablePredictions
) -> TablePredictions:
    """Add the expected outcome of selected rows, or the reason for its absence."""
    if ensemble.is_single_trial:
        return replace(predictions, no_estimate_reason=NOT_FOR_TRIALS)
    try:

        def predict_shares(X: Floats) -> Floats | None:
            return _predict_in_chunks(ensemble.pipeline, X, predictions.classes, SILENT_REPORTER)[1]

        unseen = predict_unseen_rows(
            document, run_id, ensemble.prepared_run, ensemble.ensemble, predict_shares
        )
    except StudioError as error:  # from damaged trials; the predictions themselves are unaffected
        reason = phrase("Expected totals are not available. {error}", error=error)
        return replace(predictions, no_estimate_reason=reason)
    return replace(predictions, unseen_rows=unseen)


def _get_positive_code(document: Document, run_id: int, prepared_run: PreparedRun) -> int:
    """Return the code of the positive class: that of the decision, or the rarest class."""
    problem = prepared_run.problem
    if len(problem.classes) > 2:
        return int(np.bincount(problem.y.astype(np.int64), minlength=problem.n_classes).argmin())
    return get_positive_class_code(document.runs.get(run_id).decision, prepared_run)


def _get_resampling_units(prepared_run: PreparedRun, raw: RawTable) -> Integers | None:
    """Return the resampling units of new rows, codes (n,): groups, or a single unit with times."""
    problem, group = prepared_run.problem, prepared_run.table.get_single_column("group")
    if group is not None and group.name in raw.names:
        return raw.get_cells(raw.find_position(group.name)).codes.astype(np.int64)
    if problem.groups is None and problem.times is None:
        return None
    return np.zeros(raw.n_rows, dtype=np.int64)


def _check_predictions_differ(
    answers: AnyArray, absent: Sequence[str], path: Path, *, differ: bool
) -> None:
    """Reject equal predictions, (n,) or (n, C), for different rows if columns are missing."""
    if absent and differ and (answers == answers[0]).all():
        raise DataError(
            "All {n_rows:,} rows of {name!r} would get the same prediction, since it lacks columns "
            "on which it depends ({listed}). Add them to the file, or check how it names them.",
            n_rows=len(answers),
            name=path.name,
            listed=join_quoted(absent),
        )


def _predict_in_chunks(
    estimator: Any, X: Floats, classes: Sequence[Any], progress: ProgressReporter
) -> tuple[AnyArray, Floats | None]:
    """Predict rows X, (n, d), in chunks; return the values, (n,), and the shares, (n, C)."""
    values: list[AnyArray] = []
    shares: list[Floats] = []
    for start in range(0, len(X), CHUNK_ROWS):
        progress.report_progress(PREDICTING, start, len(X))
        chunk_values, chunk_shares = predict_with_probabilities(
            estimator, X[start : start + CHUNK_ROWS], classes
        )
        values.append(chunk_values)
        if chunk_shares is not None:
            shares.append(chunk_shares)
    if not values:
        raise ExportError("The file has no rows, so there is nothing to predict.")
    return np.concatenate(values), np.concatenate(shares) if shares else None


def predict_pickle(model: Path, path: Path, reading: ReadOptions) -> TablePredictions:
    """Load a trusted pickle (it may run code) and predict a file; raise ExportError if invalid."""
    import pandas as pd

    raw, metadata = read(path, reading), read_metadata(model)
    try:
        with model.open("rb") as file:
            estimator = pickle.load(file)  # noqa: S301 - the user said --trust
        classes = tuple(getattr(estimator, "classes_", ()))
        expected = list(map(str, getattr(estimator, "feature_names_in_", ())))
        positions = match([(each,) for each in expected], raw.names, raw.aliases)
        matches = list(zip(positions, expected, strict=True))
        name_of = {index: name for index, name in matches if index is not None}
        absent_columns = [name for index, name in matches if index is None]
        check_columns_present(absent_columns, expected, raw.source)
        cells = {
            name_of.get(index, name): _get_raw_cells(raw, index)
            for index, name in enumerate(raw.names)
        }
        unit_notes = []
        amounts = get_amounts(metadata)
        for index, name in name_of.items():
            if name in amounts:
                feature, own_cells = Recipe.reread_column(amounts[name], raw, index, {})
                note = feature.describe_unreadable(own_cells, raw.formats[index].number_format)
                if note:  # numbers in another unit must not be read as the column's
                    cells[name] = raw.columns[index]
                    unit_notes.append(note)
        # Pickles of older versions reject tables with missing columns.
        frame = pd.DataFrame(cells | dict.fromkeys(absent_columns), dtype=object)
        values, shares = predict_with_probabilities(estimator, frame, classes)
    except (pickle.UnpicklingError, EOFError, AttributeError, ImportError) as error:
        raise ExportError(
            "{model} cannot be loaded as a model ({error}).", model=model, error=error
        ) from error
    except ValueError as error:
        raise ExportError(
            "{path} does not fit the model: {error}", path=path, error=error
        ) from error
    respelled_names = [
        (raw.names[index], name)
        for index, name in name_of.items()
        if name not in {raw.names[index], *raw.aliases[index]}
    ]
    rows_differ = len(frame[expected].drop_duplicates()) > 1
    _check_predictions_differ(
        values if shares is None else shares, absent_columns, path, differ=rows_differ
    )
    missing_note = describe_absent_columns(absent_columns, len(expected)) if absent_columns else ""
    notes = (
        *raw.notes,
        *filter(None, (*unit_notes, missing_note, describe_spelling(respelled_names))),
        *get_decision_notes(metadata),
    )
    decimal, decimals = get_target_format(metadata, values)
    return TablePredictions(
        values,
        shares,
        classes,
        notes,
        PredictedTable.from_raw_table(raw, decimal),
        unit="" if decimals is None else metadata["target_unit"],
        decimals=decimals,
    )


def _get_raw_cells(raw: RawTable, index: int) -> AnyArray:
    """Return a column as expected by the pickle, (n,): numbers in their original format."""
    column_format = raw.formats[index]
    if column_format.kind != "number" or column_format.number_format.is_plain:
        return raw.columns[index]
    cells = raw.get_distinct(index)
    return cells.numbers.astype(object)[cells.codes]


def _is_vote(document: Document, run_id: int, prepared_run: PreparedRun) -> bool:
    if not prepared_run.problem.classes:
        return False
    history = load_history(document, run_id, prepared_run)
    return are_votes(
        prepared_run, history, get_final_ensemble(document.runs.get(run_id), prepared_run, history)
    )


MIN_UNSEEN_SHARE = 0.2
"""Minimum share of dates beyond the training rows for a warning about the estimate."""


def describe_unseen_dates(prepared_run: PreparedRun, encoded: EncodedTable) -> str:
    """Name the column whose dates are mostly beyond the training rows; "" for none."""
    problem = prepared_run.problem
    if problem.times is not None:
        return ""
    candidates = []
    for index, feature in enumerate(problem.make_recipe().features):
        if feature.date is None or feature.date.part != "days":
            continue
        training_values = problem.X[prepared_run.split.development, index]
        new_values = encoded.X[:, index]
        if np.isnan(training_values).all() or np.isnan(new_values).all():
            continue
        for sign in (1, -1):
            bound = np.nanmax(sign * training_values)
            share = float(np.mean(sign * new_values > bound))
            if share >= MIN_UNSEEN_SHARE:
                candidates.append(
                    (share, sign, format_date(feature.date, float(sign * bound)), feature)
                )
    if not candidates:
        return ""
    share, sign, bound, column = max(candidates, key=lambda each: each[0])
    values = {"name": column.column_name, "share": 100 * share, "end": bound.partition(" ")[0]}
    if sign > 0:
        return phrase(
            "“{name}” is later than in all training rows (until {end}) in {share:.0f} % of these "
            "rows. The estimate comes from earlier rows and may be too low or too high. Remedy: "
            "give “{name}” the role “time” (on the Data page, or with --role {option}) and run "
            "again, so that the estimate comes from later rows; models then no longer see the "
            "column itself.",
            option=shlex.quote(f"{column.column_name}=time"),
            **values,
        )
    return phrase(
        "“{name}” is earlier than in all training rows (from {end}) in {share:.0f} % of these "
        "rows. The estimate comes from later rows and may be too low or too high.",
        **values,
    )


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
            if feature.column_name in empty:
                X[:, index] = feature.missing_value
        values, shares = predict_with_probabilities(self.estimator, X, problem.classes)
        return self.prepared.compute_loss(self.rows, values if shares is None else shares)

    @cached_property
    def guess(self) -> float:
        """The loss of the best constant prediction."""
        development = self.prepared.split.development
        constants = self.prepared.predict_constant(development, len(self.rows))
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
            names.append(feature.column_name)
    return tuple(names)


NO_VALID_INTERVALS = phrase(
    "There are no intervals either: based on the errors of rows with these values, they would be "
    "too narrow."
)


def describe_deciding_columns(names: Collection[str]) -> str:
    """Explain that prediction is impossible without the deciding columns; "" for none."""
    if not names:
        return ""
    return count_phrase(
        "No forecast is possible: {listed} has no value in these rows, and more than half of the "
        "gain over guessing depends on it.",
        "No forecast is possible: {listed} have no values in these rows, and more than half of the "
        "gain over guessing depends on them.",
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
