"""Predictions for a new table, by the same estimator that the pickle holds."""

import csv
import os
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.reading import ReadOptions, read
from studio.document.store import Document
from studio.errors import ExportError
from studio.export.estimator import train
from studio.export.frame import frame_of
from studio.export.shares import shares_of


@dataclass(frozen=True)
class Predicted:
    """Predictions for a table.

    Attributes
    ----------
    values : array, shape (n,)
        Classes (text or whole numbers) or values.
    shares : array or None, shape (n, C)
        Classification: each class' share of the votes, or its mean probability.
    classes : tuple
        The classes, in the order of the shares.
    notes : tuple of str
        What was noticed: missing and extra columns, unseen categories, members left out.
    """

    values: AnyArray
    shares: Floats | None
    classes: tuple[str | int, ...]
    notes: tuple[str, ...]


def predict_table(
    document: Document,
    run_id: int,
    path: Path,
    reading: ReadOptions | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Predicted:
    """Train a run's ensemble and predict every row of a file.

    Parameters
    ----------
    path : Path
        Read as the training file was, unless ``reading`` says otherwise.

    Raises
    ------
    DataError
        If the file cannot be read or has none of the columns.
    """
    first = _first_options(document, run_id) if reading is None else reading
    raw = read(path, first)
    trained = train(document, run_id, stopped)
    codec = trained.prepared.problem.codec()
    notes = codec.encode(raw).notes
    frame = frame_of(raw, codec, trained.columns)
    values = np.asarray(trained.estimator.predict(frame))
    classes = trained.prepared.problem.classes
    shares = shares_of(trained.estimator, frame, classes) if classes else None
    return Predicted(values, shares, classes, (*notes, *trained.notes))


def _first_options(document: Document, run_id: int) -> ReadOptions:
    """Return how the run's own table was read; its encoding is guessed anew for another file."""
    table_id = document.run(run_id).table_id
    if table_id is None:
        raise ExportError("This run has not read its table yet; let it run first.")
    description, _ = document.read_table(table_id)
    return ReadOptions.from_json({**description["options"], "encoding": None})


def predict_pickle(model: Path, path: Path, reading: ReadOptions) -> Predicted:
    """Load a pickle, which runs whatever code is in it, and predict every row of a file.

    Only to be called after the user has said that the pickle is to be trusted.

    Raises
    ------
    ExportError
        If it is not a model that Ensemble Studio exported, or does not fit the file.
    """
    import pandas as pd

    raw = read(path, reading)
    frame = pd.DataFrame(dict(zip(raw.names, raw.columns, strict=True)), dtype=object)
    try:
        with model.open("rb") as file:
            estimator = pickle.load(file)  # noqa: S301 - the user said --trust
        values = np.asarray(estimator.predict(frame))
    except (pickle.UnpicklingError, EOFError, AttributeError, ImportError) as error:
        raise ExportError(f"{model} is not a model that can be loaded here ({error}).") from error
    except ValueError as error:
        raise ExportError(f"{path} does not fit the model: {error}") from error
    classes = tuple(getattr(estimator, "classes_", ()))
    shares = shares_of(estimator, frame, classes) if classes else None
    return Predicted(values, shares, classes, raw.notes)


def write_predictions(predicted: Predicted, path: Path) -> None:
    """Write a CSV with a column ``prediction`` and one probability column a class.

    Raises
    ------
    ExportError
        If it cannot be written; an older file of that name is then untouched.
    """
    partial = path.with_name(f".{path.name}.part")
    try:
        with partial.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            shares = predicted.shares
            names = (
                [] if shares is None else [f"probability {label}" for label in predicted.classes]
            )
            writer.writerow(["prediction", *names])
            for row, value in enumerate(predicted.values.tolist()):
                extra = [] if shares is None else [f"{share:.6g}" for share in shares[row]]
                writer.writerow([value, *extra])
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise ExportError(
            f"{path} could not be written ({error.strerror or error}). "
            "Choose a folder in which you may write and that has space left."
        ) from error
