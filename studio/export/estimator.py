"""The trained ensemble as one scikit-learn estimator of the raw table."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from studio.document.store import Document
from studio.ensembles.base import Ensemble
from studio.errors import ExportError
from studio.export.raw_table import RawColumn, matrix_of
from studio.runs.finish import refit_members, without_failed
from studio.runs.limits import Limits, memory_share
from studio.runs.load import load_history
from studio.runs.pool import WorkerPool
from studio.runs.prepare import Prepared, build_ensemble, prepare
from studio.runs.staging import TrialData


@dataclass(frozen=True)
class Trained:
    """A run's ensemble, trained on all rows but the test rows.

    Attributes
    ----------
    estimator : sklearn.pipeline.Pipeline
        Takes the raw table as a pandas DataFrame; consists of scikit-learn, pandas, numpy (and
        LightGBM) objects only.
    ensemble : Ensemble
        Members by trial number, and weights.
    columns : tuple of RawColumn
        The columns that the estimator needs.
    prepared : Prepared
        The run.
    notes : tuple of str
        What was left out, in sentences.
    """

    estimator: Any
    ensemble: Ensemble
    columns: tuple[RawColumn, ...]
    prepared: Prepared
    notes: tuple[str, ...]


def train(document: Document, run_id: int, stopped: Callable[[], bool] = lambda: False) -> Trained:
    """Train the ensemble of a run under the run's limits and put it together.

    Parameters
    ----------
    document : Document
        Open for writing or reading.
    run_id : int
        A run with at least one successful trial.
    stopped : callable
        Asked several times a second whether to give up.

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
    with (
        TemporaryDirectory(prefix="studio-", ignore_cleanup_errors=True) as scratch,
        WorkerPool(
            workers=min(settings.workers, len(ensemble.members)),
            scratch=Path(scratch),
            limits=Limits(settings.trial_seconds, memory),
            data=TrialData.of(prepared.problem, prepared.split),
        ) as pool,
    ):
        folder = Path(scratch)
        refitted, notes = refit_members(
            prepared, history, ensemble.members, pool, stopped, folder=folder
        )
        ensemble = without_failed(ensemble, refitted)
        # Written a moment ago by our own workers into a folder that only this user can enter.
        fitted = [_load(folder / f"{number}.pkl") for number in ensemble.members]
    columns = tuple(RawColumn.of(column) for column in prepared.table.features)
    estimator = _assemble(prepared, ensemble, fitted, columns)
    return Trained(estimator, ensemble, columns, prepared, tuple(notes))


def _load(path: Path) -> Any:
    with path.open("rb") as file:
        return pickle.load(file)  # noqa: S301 - our own workers' file, see the caller


def _assemble(
    prepared: Prepared, ensemble: Ensemble, fitted: list[Any], columns: tuple[RawColumn, ...]
) -> Any:
    import pandas as pd
    from sklearn.pipeline import Pipeline

    sample = pd.DataFrame({column.name: ["0"] for column in columns})
    matrix = matrix_of(columns, sample)
    voting = _voting(prepared, ensemble, fitted)
    return Pipeline([("table", matrix), ("ensemble", voting)])


def _voting(prepared: Prepared, ensemble: Ensemble, fitted: list[Any]) -> Any:
    """Return a fitted voter over fitted members, which are not trained again.

    Members know classes as codes 0..C-1, as ``VotingClassifier`` needs; it turns the winning code
    into the class. A tie goes to the smallest code, as in every test error that was shown.
    """
    from sklearn.ensemble import VotingClassifier, VotingRegressor
    from sklearn.frozen import FrozenEstimator
    from sklearn.preprocessing import LabelEncoder
    from sklearn.utils import Bunch

    names = [f"trial_{number}" for number in ensemble.members]
    members = [FrozenEstimator(each) for each in fitted]
    pairs = list(zip(names, members, strict=True))
    weights = list(ensemble.weights)
    classes = prepared.problem.classes
    if not classes:
        voter = VotingRegressor(pairs, weights=weights)
    else:
        soft = ensemble.combination == "mean" and len(members) > 1
        if soft:
            _check_soft(fitted, len(classes), ensemble)
        voter = VotingClassifier(pairs, voting="soft" if soft else "hard", weights=weights)
        encoder = LabelEncoder()
        encoder.classes_ = np.array(classes)
        voter.le_ = encoder
        voter.classes_ = encoder.classes_
    voter.estimators_ = members
    voter.named_estimators_ = Bunch(**dict(pairs))
    return voter


def _check_soft(fitted: list[Any], n_classes: int, ensemble: Ensemble) -> None:
    """Refuse to average probabilities that a member does not have."""
    for number, member in zip(ensemble.members, fitted, strict=True):
        if not hasattr(member, "predict_proba") or len(member.classes_) != n_classes:
            raise ExportError(
                f"Trial {number} gives labels (or did not see every class), so its probabilities "
                "cannot be averaged by scikit-learn. Choose --set ensemble.combination=vote."
            )
