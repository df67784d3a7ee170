"""Train one configuration and predict, inside a worker (METHODS 0, 5)."""

import pickle
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data.balance import fit_weights
from studio.errors import LearnerError
from studio.learners.base import Learner
from studio.learners.choice import Choice
from studio.learners.facts import Facts
from studio.learners.handover import Watched, fit_watching, handed_over
from studio.runs.fold_models import MOST_BYTES_OF_TRIAL, name_of
from studio.runs.hopeless import Bars
from studio.runs.staging import TrialData, load_array
from studio.trial import Value

SUM_TOLERANCE = 1e-6
"""How far the probabilities of a row may be from summing to 1 before they are refused."""

ON_TIME = 0.92
"""Part of a fold's time that is its learner's; the rest is for preparing and predicting."""

TOO_LARGE = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Outcome:
    """What a trial gave.

    Attributes
    ----------
    validation : array
        Stored form: shape (n_V, C) float16 (one-hot for label-only learners), or (n_V,) float32.
        Out-of-fold with k-fold.
    test : array or None
        The same for the test rows; with k-fold the mean over the fold models (for label-only
        learners that is their shares of the vote). ``None`` where there are no test rows.
    used : Mapping
        Values that were clipped, by the space's parameter name.
    seconds : float
        Wall seconds of all fits and predictions.
    peak_memory : int
        The worker's highest resident bytes meanwhile; 0 if unknown.
    selection : array or None
        Each fold model's predictions for the selection rows in stored form: shape (k, n_S, C) or
        (k, n_S). ``None`` where there are no such rows.
    note : str
        What the user should know about how it was trained; mostly empty.
    """

    validation: AnyArray
    test: AnyArray | None
    used: Mapping[str, Value] = field(default_factory=dict)
    seconds: float = 0.0
    peak_memory: int = 0
    selection: AnyArray | None = None
    note: str = ""

    def to_parts(self) -> tuple[dict[str, Any], dict[str, AnyArray]]:
        """Return the outcome as plain JSON and arrays, as a worker sends it."""
        arrays = {"validation": self.validation, "test": self.test, "selection": self.selection}
        header = {"used": dict(self.used), "seconds": self.seconds, "note": self.note}
        return header, {name: array for name, array in arrays.items() if array is not None}

    @classmethod
    def from_parts(
        cls, header: Mapping[str, Any], arrays: Mapping[str, AnyArray], peak_memory: int
    ) -> "Outcome":
        """Put together what :meth:`to_parts` took apart."""
        return cls(
            validation=arrays["validation"],
            test=arrays.get("test"),
            used=dict(header["used"]),
            seconds=float(header["seconds"]),
            peak_memory=peak_memory,
            selection=arrays.get("selection"),
            note=str(header["note"]),
        )


@dataclass(frozen=True)
class Refitted:
    """A configuration trained once more on given rows, kept in a file.

    Attributes
    ----------
    predictions : tuple of array
        For each matrix asked about: shape (n, C) float64 (one-hot for label-only learners) or
        (n,) float64.
    used, seconds, peak_memory
        As in :class:`Outcome`.
    """

    predictions: tuple[Floats, ...]
    used: Mapping[str, Value] = field(default_factory=dict)
    seconds: float = 0.0
    peak_memory: int = 0


def work(
    data: TrialData, learner: Learner, choice: Choice, job: Mapping[str, Any]
) -> Outcome | Refitted:
    """Do what a job of :mod:`studio.runs.jobs` asks: a trial, or one more training."""
    if job["kind"] == "evaluate":
        models = None if job["models"] is None else Path(job["models"])
        bars = None if job["bars"] is None else Bars.from_json(job["bars"], data.task)
        return evaluate(
            data,
            learner,
            choice,
            job["seed"],
            models=models,
            seconds=job["seconds"],
            bars=bars,
            most_bytes=job["most_bytes"],
        )
    return refit(
        data,
        learner,
        choice.settled(job["settled"], learner.settles),
        job["seed"],
        rows=load_array(Path(job["rows"])),
        watched=None if job["watched"] is None else load_array(Path(job["watched"])),
        destination=Path(job["pickle"]) if job["pickle"] else None,
        matrices=[load_array(Path(matrix)) for matrix in job["matrices"]],
    )


def evaluate(
    data: TrialData,
    learner: Learner,
    choice: Choice,
    seed: int,
    *,
    models: Path | None = None,
    seconds: float | None = None,
    bars: Bars | None = None,
    most_bytes: int | None = None,
) -> Outcome:
    """Train on every fold's training rows; predict its validation rows and the test rows.

    Parameters
    ----------
    models : Path or None
        A folder in which the fitted pipelines are left, up to a size, for whoever asked.
    seconds : float or None
        Wall seconds after which the result is of no use. A learner that can end early gets an
        equal share for each fold; others are given up as soon as they are seen to take longer.
    bars : Bars or None
        Losses above which the first folds leave no hope; ``None``: all folds are worth it.
    most_bytes : int or None
        What the models of all folds may take; the first one tells. ``None``: no limit.

    Raises
    ------
    LearnerError
        If predictions have the wrong shape, are not finite, or are no probabilities, if the folds
        would not end in time, or the first of them leave no hope.
    """
    begun = time.perf_counter()
    folds = data.folds_of(seed)
    rows = np.sort(np.concatenate([held_out for _, held_out in folds]))
    validation = np.zeros((rows.size, data.n_classes) if data.n_classes else (rows.size,))
    test: Floats | None = None
    selection: list[AnyArray] = []
    used: dict[str, Value] = {}
    note = ""
    X_test = data.X[data.test] if data.test.size else None
    X_selection = data.X[data.selection] if data.selection.size else None
    settled: list[Mapping[str, Value]] = []
    kept = 0
    for fold, (training, held_out) in enumerate(folds):
        spent = time.perf_counter() - begun
        left = None if seconds is None else max(0.0, seconds - spent)
        share = None if left is None else ON_TIME * left / (len(folds) - fold)
        fitted = fit(data, learner, choice, seed, training, held_out=held_out, seconds=share)
        if models is not None and kept <= MOST_BYTES_OF_TRIAL:
            kept += _leave(fitted.pipeline, models / name_of(fold))
            if fold == 0 and most_bytes is not None:
                _check_size(learner, kept * len(folds), most_bytes)
        used.update(fitted.used)
        settled.append(fitted.settled)
        note = fitted.note
        places = np.searchsorted(rows, held_out)
        validation[places] = predict(fitted.pipeline, learner, data.X[held_out], data.n_classes)
        if X_test is not None:
            predicted = predict(fitted.pipeline, learner, X_test, data.n_classes)
            test = predicted if test is None else test + predicted
        if X_selection is not None:
            predicted = predict(fitted.pipeline, learner, X_selection, data.n_classes)
            selection.append(_stored(predicted, data.n_classes))
        spent = time.perf_counter() - begun
        if bars is not None and fold + 1 < len(folds):
            some = np.sort(np.concatenate([each for _, each in folds[: fold + 1]]))
            weights = None if data.weights is None else data.weights[some]
            predicted = _stored(validation[np.searchsorted(rows, some)], data.n_classes)
            bars.check(fold + 1, len(folds), data.y[some], predicted, weights)
        if seconds is not None:
            _check_in_time(learner, fold + 1, len(folds), spent, seconds)
    if test is not None:
        test = test / len(folds)
    used.update(choice.named(_average(settled)))
    return Outcome(
        validation=_stored(validation, data.n_classes),
        test=None if test is None else _stored(test, data.n_classes),
        used=used,
        seconds=time.perf_counter() - begun,
        selection=np.stack(selection) if selection else None,
        note=note,
    )


def _check_size(learner: Learner, expected: int, most: int) -> None:
    """Give a trial up whose models could not be kept."""
    if expected > most:
        raise LearnerError(
            f"{learner.title} was given up after its first fold: the models of all folds would "
            f"take {expected >> 20:,} MB, and {most >> 20} MB of a trial are kept. Grow fewer or "
            "smaller trees, or take fewer rows."
        )


def _check_in_time(learner: Learner, done: int, folds: int, spent: float, seconds: float) -> None:
    """Give a trial up that would not end in the time that is left (a tenth more is forgiven)."""
    # One that can end early has what is left divided among the folds to come.
    expected = spent if learner.settles else spent / done * folds
    if done < folds and expected > 1.1 * seconds:
        raise LearnerError(
            f"{learner.title} was given up after {done} of {folds} folds: all of them would take "
            f"about {spent / done * folds:.1f} s, and {seconds:.1f} s were left of the run's time."
        )


def refit(
    data: TrialData,
    learner: Learner,
    choice: Choice,
    seed: int,
    *,
    rows: Integers,
    watched: Integers | None = None,
    destination: Path | None,
    matrices: Sequence[Floats],
) -> Refitted:
    """Train on the given rows, keep the pipeline as a pickle, and predict the given matrices.

    The pickle is of plain scikit-learn objects; it is written whole or not at all. It stays in the
    run's scratch folder: nothing here or in the engine loads it.
    """
    begun = time.perf_counter()
    fitted = fit(data, learner, choice, seed, rows, held_out=watched)
    pipeline = fitted.pipeline
    if destination is not None:
        _keep(pipeline, destination)
    predictions = tuple(predict(pipeline, learner, X, data.n_classes) for X in matrices)
    return Refitted(predictions, fitted.used, time.perf_counter() - begun)


def _keep(pipeline: Any, destination: Path) -> int:
    """Write a pipeline whole or not at all; return the bytes of the file."""
    partial = destination.with_name(destination.name + ".part")
    with partial.open("wb") as file:
        pickle.dump(pipeline, file, protocol=5)
    partial.replace(destination)
    return destination.stat().st_size


def _leave(pipeline: Any, destination: Path) -> int:
    """Write a pipeline where there is room: a full disk costs the file and not the trial."""
    try:
        return _keep(pipeline, destination)
    except OSError:
        return MOST_BYTES_OF_TRIAL + 1


def _average(settled: Sequence[Mapping[str, Value]]) -> dict[str, Value]:
    """Return the mean over the folds of whole numbers that trainings settled, rounded."""
    return {
        name: round(sum(float(each[name]) for each in settled) / len(settled))
        for name in (settled[0] if settled else ())
    }


@dataclass(frozen=True)
class Fitted:
    """A trained pipeline and what there is to know of it.

    Attributes
    ----------
    pipeline : Pipeline
        Of plain objects.
    used : dict
        Values that were clipped, by the space's names.
    note : str
        What the user should know; mostly empty.
    settled : Mapping
        What the training settled, by hyperparameter.
    """

    pipeline: Any
    used: dict[str, Value]
    note: str
    settled: Mapping[str, Value] = field(default_factory=dict)


def fit(
    data: TrialData,
    learner: Learner,
    choice: Choice,
    seed: int,
    rows: Integers,
    *,
    held_out: Integers | None = None,
    seconds: float | None = None,
) -> Fitted:
    """Train a pipeline on some rows, with their weights where it can take them.

    Parameters
    ----------
    rows, held_out : array of int
        What to train on; and rows at which a learner that ``settles`` may look to know when to end.
    seconds : float or None
        Wall seconds that such a learner may take.
    """
    X, y = np.asarray(data.X[rows]), np.asarray(data.y[rows])
    facts = Facts.of(
        X,
        y,
        task=data.task,
        n_classes=data.n_classes,
        categorical=data.categorical,
        seed=seed,
    )
    if data.n_classes and np.all(y == y[0]):
        raise LearnerError(
            "The training rows hold one class only, so there is nothing to learn. Use more rows, "
            "or another split."
        )
    built = learner.build(choice.values, facts, choice.operators)
    weights = fit_weights(
        None if data.weights is None else np.asarray(data.weights[rows]),
        y,
        balanced=data.n_classes > 0 and (data.balanced or built.balanced),
    )
    note, settled = "", {}
    if learner.settles:
        settled = dict(
            fit_watching(built.estimator, X, y, weights, _watched(data, held_out, seconds))
        )
    elif weights is None:
        built.estimator.fit(X, y)
    elif learner.weighted:
        built.estimator.fit(X, y, learner__sample_weight=weights)
    else:
        note = f"{learner.title} cannot weigh rows: all count the same where it is trained."
        built.estimator.fit(X, y)
    return Fitted(handed_over(built.estimator), choice.named(built.used), note, settled)


def _watched(data: TrialData, held_out: Integers | None, seconds: float | None) -> Watched:
    if held_out is None:
        return Watched(seconds=seconds)
    return Watched(
        np.asarray(data.X[held_out]),
        np.asarray(data.y[held_out]),
        None if data.weights is None else np.asarray(data.weights[held_out]),
        seconds,
    )


def predict(pipeline: Any, learner: Learner, X: Floats, n_classes: int) -> Floats:
    """Return checked predictions: shape (n, C) probabilities or one-hot labels, or (n,) values."""
    if X.shape[0] == 0:
        return np.zeros((0, n_classes) if n_classes else (0,))
    if learner.predicts == "probabilities":
        return _checked_probabilities(
            pipeline.predict_proba(X), pipeline.classes_, X.shape[0], n_classes, learner.title
        )
    predicted = _numbers(pipeline.predict(X), learner.title)
    if predicted.shape != (X.shape[0],):
        raise _refused(learner.title, f"an array of shape {predicted.shape}", f"{X.shape[0]} rows")
    if learner.predicts == "values":
        if not np.all(np.abs(predicted) <= TOO_LARGE):
            raise _refused(learner.title, "values that are not finite", "finite numbers")
        return predicted
    codes = np.clip(np.nan_to_num(predicted), 0, n_classes - 1).astype(np.int64)
    if not np.array_equal(codes, predicted):
        raise _refused(learner.title, "labels that are no classes", f"codes 0 to {n_classes - 1}")
    return np.eye(n_classes)[codes]


def _checked_probabilities(
    given: Any, classes: Any, n_rows: int, n_classes: int, title: str
) -> Floats:
    found = _numbers(given, title)
    seen = np.asarray(classes, dtype=np.int64)
    if found.shape != (n_rows, seen.size):
        expected = f"({n_rows}, {seen.size})"
        raise _refused(title, f"an array of shape {found.shape}", f"one of shape {expected}")
    if not np.all(np.isfinite(found)):
        raise _refused(title, "probabilities that are not finite", "numbers from 0 to 1")
    if found.min() < -SUM_TOLERANCE or not np.allclose(found.sum(axis=1), 1.0, atol=SUM_TOLERANCE):
        raise _refused(title, "numbers that are no probabilities", "rows that sum to 1")
    probabilities = np.zeros((n_rows, n_classes))
    # Classes that the training rows lack keep probability 0.
    probabilities[:, seen] = np.clip(found, 0.0, 1.0)
    return probabilities


def _numbers(given: Any, title: str) -> Floats:
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise _refused(title, "something that is no numbers", "numbers") from error


def _refused(title: str, came: str, expected: str) -> LearnerError:
    return LearnerError(f"{title} predicted {came}; expected were {expected}.")


def _stored(predictions: Floats, n_classes: int) -> AnyArray:
    return predictions.astype(np.float16 if n_classes else np.float32)
