"""Predictions for a new table, by the same estimator that the pickle holds."""

import csv
import io
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from studio.analysis.answers.new_rows import NewRows
from studio.analysis.new_rows.compare import new_rows
from studio.arrays import AnyArray, Floats
from studio.data.names import match, spelling_note
from studio.data.read_options import ReadOptions
from studio.data.reading import RawTable, read
from studio.data.recipe import Encoded
from studio.document.store import Document
from studio.document.whole_files import write_whole
from studio.errors import DataError, ExportError, StudioError
from studio.export.cells import as_is, safe
from studio.export.estimator import train
from studio.export.intervals import TOO_FEW, Intervals, intervals_of
from studio.export.progress import PREDICTING, OnProgress, Stopped, never, silent
from studio.export.shares import predicted
from studio.runs.chosen import final_ensemble
from studio.runs.final_models import StoppedError
from studio.runs.fitting import fit_file, training_options
from studio.runs.load import load_history
from studio.runs.margins import refuse
from studio.runs.prepare import Prepared, prepare
from studio.runs.votes import are_votes

PIECE = 20_000
"""Rows that are predicted at a time."""

_SHOWN_CHARACTERS = 200


_UNTRIED = NewRows()


@dataclass(frozen=True)
class TablePredictions:
    """Predictions for a table.

    Attributes
    ----------
    values : array, shape (n,)
        Classes (text or whole numbers) or values.
    shares : array or None, shape (n, C)
        Classification: the probability of each class; where members vote, the mean of theirs.
    classes : tuple
        The classes, in the order of the shares.
    notes : tuple of str
        What was noticed: missing and extra columns, unseen categories, members left out.
    raw : RawTable or None
        The table that was predicted.
    intervals : Intervals or None
        Values, where they were asked for: between what each true value lies.
    unlike : NewRows
        How the rows compare with those that were learned from; of a pickle's nothing is known.
    """

    values: AnyArray
    shares: Floats | None
    classes: tuple[str | int, ...]
    notes: tuple[str, ...]
    raw: RawTable | None = None
    intervals: Intervals | None = None
    unlike: NewRows = _UNTRIED

    @property
    def separator(self) -> str:
        """What separates the cells of the table, and of a file with its rows beside."""
        return "," if self.raw is None else self.raw.options.separator or ","


def predict_table(
    document: Document,
    run_id: int,
    path: Path,
    reading: ReadOptions | None = None,
    *,
    interval: float | None = None,
    stopped: Stopped = never,
    progress: OnProgress = silent,
    trial: int | None = None,
) -> TablePredictions:
    """Predict every row of a file with a run's trained ensemble, which is trained where it must be.

    Parameters
    ----------
    path : Path
        Read as the training file was, unless ``reading`` says otherwise, or more of it is
        understood in another way (:func:`studio.runs.fitting.fit_file`).
    interval : float or None
        How often an interval around each value is to hold the true one, in (0, 1).
    stopped, progress : callable
        Asked whether to give up; called with how far it is.
    trial : int or None
        The trial to predict with alone; ``None`` for the ensemble.

    Raises
    ------
    DataError
        If the file cannot be read, or lacks columns without which all rows look the same.
    UsageError
        If an interval is asked for around classes, or with a probability that is none.
    StoppedError
        If ``stopped`` said so.
    """
    like = training_options(document, run_id) if reading is None else reading
    # A file that cannot be predicted is refused before anything is trained.
    prepared = prepare(document, run_id)
    if interval is not None:
        refuse(interval, prepared.problem, votes=_votes(document, run_id, prepared))
    if interval is not None and trial is not None:
        raise ExportError(
            "Intervals are those of the ensemble. Leave out the interval, or the trial."
        )
    recipe = prepared.problem.recipe()
    fitting = fit_file(path, recipe, like, given=reading is not None)
    trained = train(document, run_id, stopped, progress=progress, trial=trial)
    classes = trained.prepared.problem.classes
    try:
        values, shares = _in_pieces(trained.behind, fitting.encoded.X, classes, stopped, progress)
    except StudioError:
        raise
    except Exception as error:
        if not trained.kept:
            raise
        raise ExportError(
            "The trained ensemble that the document keeps cannot predict ({error}), so it is "
            "damaged. Refit it: studio refit, or “Refit the members” in the window.",
            error=error,
        ) from error
    _refuse_one_answer(values if shares is None else shares, fitting.encoded, path)
    notes = [*prepared.overruled, *fitting.notes, *trained.notes]
    intervals = None
    if interval is not None:
        intervals = intervals_of(document, run_id, trained, values, interval)
        notes += [] if intervals else [TOO_FEW]
    unlike = new_rows(prepared, fitting.encoded)
    return TablePredictions(values, shares, classes, tuple(notes), fitting.raw, intervals, unlike)


def _refuse_one_answer(answers: AnyArray, encoded: Encoded, path: Path) -> None:
    """Refuse equal answers, (n,) or (n, C), for rows that differ, where columns are missing."""
    rows = np.nan_to_num(encoded.X)
    differ, same = (rows != rows[0]).any(), (answers == answers[0]).all()
    if encoded.absent and differ and same:
        raise DataError(
            "All {n_rows:,} rows of {name!r} would get the same prediction, since it lacks columns "
            "on which it depends ({listed}). Add them to the file, or check how it names them.",
            n_rows=len(answers),
            name=path.name,
            listed=", ".join(map(repr, encoded.absent[:5])),
        )


def _in_pieces(
    estimator: Any, X: Floats, classes: Sequence[Any], stopped: Stopped, progress: OnProgress
) -> tuple[AnyArray, Floats | None]:
    """Predict rows X, (n, d), some thousand at a time, to show progress and stop.

    Returns the values, (n,), and the shares, (n, C).
    """
    values: list[AnyArray] = []
    shares: list[Floats] = []
    for start in range(0, len(X), PIECE):
        if stopped():
            raise StoppedError("Stopped while rows were predicted; nothing was written.")
        progress(PREDICTING, start, len(X))
        found, sure = predicted(estimator, X[start : start + PIECE], classes)
        values.append(found)
        if sure is not None:
            shares.append(sure)
    if not values:
        raise ExportError("The file has no rows, so there is nothing to predict.")
    return np.concatenate(values), np.concatenate(shares) if shares else None


def predict_pickle(model: Path, path: Path, reading: ReadOptions) -> TablePredictions:
    """Load a pickle, which runs whatever code is in it, and predict every row of a file.

    Only to be called after the user has said that the pickle is to be trusted.

    Raises
    ------
    ExportError
        If it is not a model that Ensemble Studio exported, or does not fit the file.
    """
    import pandas as pd

    raw = read(path, reading)
    try:
        with model.open("rb") as file:
            estimator = pickle.load(file)  # noqa: S301 - the user said --trust
        classes = tuple(getattr(estimator, "classes_", ()))
        wanted = list(map(str, getattr(estimator, "feature_names_in_", ())))
        places = zip(
            match([(each,) for each in wanted], raw.names, raw.aliases), wanted, strict=True
        )
        known = {at: name for at, name in places if at is not None}
        cells = {known.get(at, name): _cells(raw, at) for at, name in enumerate(raw.names)}
        frame = pd.DataFrame(cells, dtype=object)
        values, shares = predicted(estimator, frame, classes)
    except (pickle.UnpicklingError, EOFError, AttributeError, ImportError) as error:
        raise ExportError(
            "{model} is not a model that can be loaded here ({error}).", model=model, error=error
        ) from error
    except ValueError as error:
        raise ExportError(
            "{path} does not fit the model: {error}", path=path, error=error
        ) from error
    spelled = [
        (raw.names[at], name)
        for at, name in known.items()
        if name not in {raw.names[at], *raw.aliases[at]}
    ]
    notes = (*raw.notes, *filter(None, (spelling_note(spelled),)))
    return TablePredictions(values, shares, classes, notes, raw)


def _cells(raw: RawTable, at: int) -> AnyArray:
    """Return a column as the pickle takes it, (n,): numbers where it writes them in its own way."""
    known = raw.formats[at]
    if known.kind != "number" or known.number_format.is_plain:
        return raw.columns[at]
    cells = raw.distinct(at)
    return cells.numbers.astype(object)[cells.codes]


def table_of(predicted: TablePredictions, rows: int | None = None) -> list[list[Any]]:
    """Return a heading and the predictions as they are written: labels, shares with six digits.

    Values are followed by the ends of their intervals, where there are any.

    Parameters
    ----------
    rows : int or None
        How many of the first rows; ``None`` for all.
    """
    shares = predicted.shares
    names = [] if shares is None else [f"probability {label}" for label in predicted.classes]
    beside = np.empty((len(predicted.values), 0)) if shares is None else shares
    digits = 6
    if predicted.intervals is not None:
        names, beside, digits = predicted.intervals.names, predicted.intervals.ends, 10
    lines: list[list[Any]] = [["prediction", *names]]
    for value, more in zip(predicted.values[:rows].tolist(), beside.tolist(), strict=False):
        lines.append([value, *(f"{each:.{digits}g}" for each in more)])
    return lines


def own_columns(raw: RawTable, rows: int, columns: int) -> list[list[str]]:
    """Return the names of a table's first columns, and their cells in its first rows."""
    shown = [str(name) for name in raw.names[:columns]]
    cells = [
        [str(cell)[:_SHOWN_CHARACTERS] for cell in each.cells(slice(rows))]
        for each in raw.coded[:columns]
    ]
    return [shown, *map(list, zip(*cells, strict=True))]


def _votes(document: Document, run_id: int, prepared: Prepared) -> bool:
    """Return whether the ensemble's probabilities are shares of votes."""
    if not prepared.problem.classes:
        return False
    history = load_history(document, run_id, prepared)
    return are_votes(prepared, history, final_ensemble(document.run(run_id), prepared, history))


def write_predictions(
    predicted: TablePredictions, path: Path, *, beside: bool = False, for_spreadsheet: bool = False
) -> None:
    """Write a CSV with a column ``prediction`` and one probability column a class.

    Parameters
    ----------
    beside : bool
        Whether the rows' own columns come before them. The file is then written as the table
        was: with its separator and its decimal mark, so that the same spreadsheet opens it.
    for_spreadsheet : bool
        Whether cells that a spreadsheet would run as a formula get an apostrophe in front; a label
        such as "=x" is then no longer equal to its prediction, so it is not done by default.

    Raises
    ------
    ExportError
        If it cannot be written; an older file of that name is then untouched.
    """
    cell = safe if for_spreadsheet else as_is
    text = io.StringIO()
    if beside and predicted.raw is not None:
        writer = csv.writer(text, delimiter=predicted.separator)
        lines = _beside(predicted, predicted.raw)
    else:
        writer = csv.writer(text)
        lines = iter(table_of(predicted))
    writer.writerows(list(map(cell, line)) for line in lines)
    # Spreadsheets take a CSV for the country's old encoding unless it says that it is UTF-8.
    encoding = "utf-8-sig" if beside or for_spreadsheet else "utf-8"
    write_whole(path, text.getvalue().encode(encoding))


def _beside(predicted: TablePredictions, raw: RawTable) -> Iterator[list[Any]]:
    """Yield the heading and the rows with their predictions, numbers as the table has them."""
    comma = raw.marks.decimal == ","
    first, *rest = table_of(predicted)
    yield [*raw.names, *first]
    for cells, line in zip(zip(*raw.columns, strict=True), rest, strict=True):
        value, *shares = line
        words = [value if isinstance(value, str) else str(value), *shares]
        if comma:
            numbers = range(len(words)) if predicted.shares is None else range(1, len(words))
            for place in numbers:
                words[place] = words[place].replace(".", ",")
        yield [*cells, *words]
