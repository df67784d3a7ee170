"""The trained ensemble as one scikit-learn estimator of the raw table."""

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from studio.document.store import Document
from studio.ensembles.base import Ensemble
from studio.errors import ExportError
from studio.export.members import (
    linear_model,
    side_by_side,
    whole_weights,
    with_probabilities,
)
from studio.export.progress import TRAINING, Told, silent
from studio.export.raw_table import RawColumn, matrix_of
from studio.runs.finish import refit_members, without_failed
from studio.runs.limits import Limits, memory_share
from studio.runs.load import load_history
from studio.runs.pool import WorkerPool
from studio.runs.pools import PoolMaker
from studio.runs.prepare import Prepared, build_ensemble, prepare
from studio.trial import Trial


@dataclass(frozen=True)
class Trained:
    """A run's ensemble, trained on all rows but the test rows.

    Attributes
    ----------
    estimator : sklearn.pipeline.Pipeline
        Takes the raw table as a pandas DataFrame; consists of scikit-learn, pandas, numpy (and
        LightGBM or PyTorch) objects only.
    ensemble : Ensemble
        Members by trial number, and weights.
    columns : tuple of RawColumn
        The columns that the estimator needs.
    prepared : Prepared
        The run.
    notes : tuple of str
        What was left out, in sentences.
    fitted : tuple of estimators
        The members alone, in the ensemble's order: pipelines from the matrix of
        :attr:`studio.data.problem.Problem.X` to class codes or values.
    trials : tuple of Trial
        The members' trials.
    """

    estimator: Any
    ensemble: Ensemble
    columns: tuple[RawColumn, ...]
    prepared: Prepared
    notes: tuple[str, ...]
    fitted: tuple[Any, ...] = ()
    trials: tuple[Trial, ...] = ()


def train(
    document: Document,
    run_id: int,
    stopped: Callable[[], bool] = lambda: False,
    make_pool: PoolMaker = WorkerPool,
    told: Told = silent,
) -> Trained:
    """Train the ensemble of a run under the run's limits and put it together.

    Parameters
    ----------
    document : Document
        Open for writing or reading.
    run_id : int
        A run with at least one successful trial.
    stopped : callable
        Asked several times a second whether to give up.
    make_pool : callable
        Makes what members are trained in: worker processes unless told otherwise.
    told : callable
        Called with what is being done, how many members are trained, of how many.

    Raises
    ------
    ExportError
        If the run has nothing to train, or its parts cannot be combined as scikit-learn objects.
    StoppedError
        If ``stopped`` said so.
    """
    prepared = prepare(document, run_id)
    history = load_history(document, run_id, prepared)
    if not history.succeeded:
        raise ExportError(
            "This run has no successful trial yet, so there is nothing to train. Let it run first."
        )
    ensemble = build_ensemble(prepared, history)
    settings = prepared.settings
    memory = memory_share(settings.trial_memory, settings.workers)
    told(TRAINING, 0, len(ensemble.members))
    with (
        TemporaryDirectory(prefix="studio-", ignore_cleanup_errors=True) as scratch,
        make_pool(
            min(settings.workers, len(ensemble.members)),
            Path(scratch),
            Limits(settings.trial_seconds, memory),
            prepared.data(),
        ) as pool,
    ):
        folder = Path(scratch)
        refitted, notes = refit_members(
            prepared,
            history,
            ensemble.members,
            pool,
            stopped,
            folder=folder,
            told=lambda done, of: told(TRAINING, done, of),
        )
        ensemble = without_failed(ensemble, refitted)
        # Written a moment ago by our own workers into a folder that only this user can enter.
        fitted = [_load(folder / f"{number}.pkl") for number in ensemble.members]
    columns = tuple(RawColumn.of(column) for column in prepared.table.features)
    matrix = matrix_of(columns, _sample(columns))
    estimator = assemble(matrix, prepared, ensemble, fitted)
    trials = tuple(history.trials[number - 1] for number in ensemble.members)
    return Trained(estimator, ensemble, columns, prepared, tuple(notes), tuple(fitted), trials)


def _load(path: Path) -> Any:
    with path.open("rb") as file:
        return pickle.load(file)  # noqa: S301 - our own workers' file, see the caller


def _sample(columns: tuple[RawColumn, ...]) -> Any:
    import pandas as pd

    return pd.DataFrame({column.name: ["0"] for column in columns})


def assemble(front: Any, prepared: Prepared, ensemble: Ensemble, fitted: Sequence[Any]) -> Any:
    """Put what makes the matrix, the fitted members and what combines them into one pipeline.

    Parameters
    ----------
    front : estimator
        A fitted transformer from some table to the matrix that trials saw.
    prepared : Prepared
        The run.
    ensemble : Ensemble
        What combines the members.
    fitted : sequence of estimators
        The members, in the ensemble's order.
    """
    from sklearn.pipeline import Pipeline

    classes = prepared.problem.classes
    if ensemble.layer is not None:
        union = side_by_side(fitted, ensemble, len(classes))
        layer = linear_model(ensemble.layer, classes)
        return Pipeline([("table", front), ("members", union), ("ensemble", layer)])
    return Pipeline([("table", front), ("ensemble", _voting(ensemble, fitted, classes))])


def _voting(ensemble: Ensemble, fitted: Sequence[Any], classes: Sequence[Any]) -> Any:
    """Return a fitted voter over fitted members, which are not trained again.

    Members know classes as codes 0..C-1, as ``VotingClassifier`` needs; it turns the winning code
    into the class. A tie goes to the smallest code, as in every test error that was shown.
    """
    from sklearn.ensemble import VotingClassifier, VotingRegressor
    from sklearn.frozen import FrozenEstimator
    from sklearn.preprocessing import LabelEncoder
    from sklearn.utils import Bunch

    soft = bool(classes) and ensemble.combination == "mean"
    if len(fitted) == 1:  # nothing to average: a label, or classes that were not seen, do no harm
        soft = soft and len(getattr(fitted[0], "classes_", ())) == len(classes)
    combined = with_probabilities(fitted, ensemble, len(classes)) if soft else list(fitted)
    names = [f"trial_{number}" for number in ensemble.members]
    members = [FrozenEstimator(each) for each in combined]
    pairs = list(zip(names, members, strict=True))
    if not classes:
        voter = VotingRegressor(pairs, weights=list(ensemble.weights))
    else:
        weights = whole_weights(ensemble.weights)
        voter = VotingClassifier(pairs, voting="soft" if soft else "hard", weights=weights)
        encoder = LabelEncoder()
        encoder.classes_ = np.array(classes)
        voter.le_ = encoder
        voter.classes_ = encoder.classes_
    voter.estimators_ = members
    voter.named_estimators_ = Bunch(**dict(pairs))
    return voter
