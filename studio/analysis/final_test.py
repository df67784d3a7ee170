"""Test predictions of a run's final models.

After a refit, the trials' stored predictions belong to other models, with other errors; therefore
the stored members predict the test rows once.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from studio.analysis.what_if import make_test_reader
from studio.arrays import AnyArray, Floats
from studio.document.runs import RunRow
from studio.document.store import Document
from studio.errors import EnsembleError
from studio.learners.base import Learner
from studio.runs.checked_predictions import predict_mean
from studio.runs.jobs import build_training
from studio.runs.kept_ensemble import StoredModels, read_kept
from studio.runs.prepare import PreparedRun
from studio.trial import History


@dataclass(frozen=True)
class FinalTest:
    """Final models' predictions for the test rows.

    Attributes:
        get_predictions: Returns predictions by trial number, shape (n, C) or (n,). Raises
            :class:`studio.errors.EnsembleError` if there are none.
        lacks_final_models: Whether the document lacks the final models, which differ from these.
    """

    get_predictions: Callable[[int], AnyArray]
    is_refitted: bool = False
    lacks_final_models: bool = False


def load_final_test(
    document: Document, row: RunRow, prepared_run: PreparedRun, history: History
) -> FinalTest:
    """Return the test predictions of the models of a run's result.

    If a run was continued after its result, the predictions are those of its trials.

    Raises:
        LearnerError: If a stored model returns invalid predictions.
    """
    result = row.result
    if result is None or not result.refitted or result.trials != len(history):
        return FinalTest(make_test_reader(document, row.id, prepared_run, history))
    key = (result.key, result.kept_bytes)
    if (cached := _REFITTED_CACHE.get(history)) is None or cached[0] != key:
        cached = _REFITTED_CACHE[history] = (
            key,
            _predict_with_refitted(document, row.id, prepared_run, history),
        )
    if cached[1] is None:
        return FinalTest(
            make_test_reader(document, row.id, prepared_run, history), lacks_final_models=True
        )
    predictions = cached[1]

    def make_predictions(number: int) -> AnyArray:
        if number not in predictions:
            raise EnsembleError("Trial {number} was not refitted.", number=number)
        return predictions[number]

    return FinalTest(make_predictions, is_refitted=True)


def _predict_with_refitted(
    document: Document, run_id: int, prepared_run: PreparedRun, history: History
) -> Mapping[int, Floats] | None:
    stored_models, _ = read_kept(document, run_id, prepared_run)
    if stored_models is None:
        return None
    rows = prepared_run.problem.X[prepared_run.split.test]
    n_classes, n_folds = prepared_run.problem.n_classes, len(prepared_run.split.folds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            number: predict_mean(models, learner, rows, n_classes, n_folds)
            for number, (learner, models) in load_models(
                prepared_run, history, stored_models
            ).items()
        }


def load_models(
    prepared_run: PreparedRun, history: History, stored_models: StoredModels
) -> dict[int, tuple[Learner, tuple[Any, ...]]]:
    """Return the learner and the models of each member of a stored ensemble, by trial number."""
    models_by_member = zip(stored_models.ensemble.members, stored_models.models, strict=True)
    return {
        number: (
            build_training(prepared_run.space, history.trials[number - 1].configuration)[0],
            models,
        )
        for number, models in models_by_member
    }


_RefittedPredictions = tuple[tuple[str, int | None], Mapping[int, Floats] | None]

_REFITTED_CACHE: WeakKeyDictionary[History, _RefittedPredictions] = WeakKeyDictionary()
